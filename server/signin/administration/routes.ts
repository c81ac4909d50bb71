// …/User/{Id}/PasswordReset, …/SecondFactor, …/Identities and …/Sessions.

import { withoutRecords } from "../../access/index.ts";
import { uuid } from "../../http/fields.ts";
import { idTextParameter, textParameter } from "../../http/inputs.ts";
import { NO_STORE } from "../../http/no-store.ts";
import { type Route, route } from "../../http/route.ts";
import { IDENTITY_DATA } from "./identities.ts";
import {
  ENDED,
  EXAMPLE_FACTOR,
  EXAMPLE_IDENTITY,
  EXAMPLE_RESET,
  EXAMPLE_SESSION,
  FACTOR,
  IDENTITY,
  RESET,
  SESSION,
} from "./schemas.ts";
import { noFactor, type UserAdministration } from "./service.ts";

export const USERS_TAG = {
  name: "Users' sign-in",
  description: "Password links, second factors, sessions, and what the tenant demands.",
};

export function userRoutes(users: UserAdministration): Route[] {
  const user = "/User/{Id}";
  const params = { Id: idTextParameter("The User's Id.") };
  const read = { method: "GET" as const, tag: USERS_TAG, params, scopes: ["Settings:Read"] as const };
  const make = { ...read, method: "POST" as const, scopes: ["Settings:Update"] as const };
  const end = { ...make, method: "DELETE" as const };
  return [
    route({
      ...make,
      path: `${user}/PasswordReset`,
      id: "makePasswordReset",
      summary: "Make a link by which a User sets a password, the first one too",
      description:
        "It is good once and for an hour, and a new one takes its place. Setting the password ends all of the " +
        "User's sessions, refresh tokens included.",
      answer: { description: "The link, shown this once.", schema: RESET, example: EXAMPLE_RESET, headers: NO_STORE },
      errors: ["Conflict"],
      handle: (caller, { params: { Id } }) => users.makePasswordReset(caller, Id),
    }),
    route({
      ...read,
      path: `${user}/SecondFactor`,
      id: "getSecondFactor",
      summary: "Read whether a User has a second factor",
      answer: { description: "The second factor.", schema: FACTOR, example: EXAMPLE_FACTOR },
      async handle(caller, { params: { Id } }) {
        const factor = await users.findSecondFactor(caller, Id);
        if (!factor) throw noFactor();
        return factor;
      },
    }),
    route({
      ...end,
      path: `${user}/SecondFactor`,
      id: "deleteSecondFactor",
      summary: "Remove it, of a User who has lost it",
      answer: { description: "What was removed.", schema: FACTOR, example: EXAMPLE_FACTOR },
      handle: (caller, { params: { Id } }) => users.removeSecondFactor(caller, Id),
    }),
    route({
      ...read,
      path: `${user}/Identities`,
      id: "listIdentities",
      summary: "List the accounts at identity providers that a User signs in by",
      answer: { description: "All of them.", schema: IDENTITY, example: EXAMPLE_IDENTITY, list: true },
      handle: (caller, { params: { Id } }) => users.listIdentities(caller, Id),
    }),
    route({
      ...make,
      path: `${user}/Identities`,
      id: "linkIdentity",
      summary: "Link an account at an identity provider, which signs the User in from then on",
      description: "409 if it is linked with another User. With this one, nothing changes.",
      body: {
        ...IDENTITY_DATA,
        description: "The account.",
        examples: { one: { IdentityProviderId: "1001", Subject: EXAMPLE_IDENTITY.Subject } },
      },
      answer: { description: "What is linked.", schema: IDENTITY, example: EXAMPLE_IDENTITY },
      errors: ["Conflict"],
      handle: (caller, { params: { Id }, input }) => users.linkIdentity(caller, Id, input),
    }),
    route({
      ...end,
      path: `${user}/Identities/{IdentityId}`,
      params: { ...params, IdentityId: textParameter("The identity's Id.") },
      id: "unlinkIdentity",
      summary: "Unlink one of them",
      description: "The sessions that its provider has begun end as well, with their refresh tokens.",
      answer: { description: "Its last state.", schema: IDENTITY, example: EXAMPLE_IDENTITY },
      handle: (caller, { params: { Id, IdentityId } }) => users.unlinkIdentity(caller, Id, IdentityId),
    }),
    route({
      ...read,
      path: `${user}/Sessions`,
      id: "listSessions",
      summary: "List the browsers in which a User is signed in",
      description: "The newest first.",
      paged: true,
      answer: { description: "A page of sessions.", schema: SESSION, example: EXAMPLE_SESSION, list: true },
      handle: (caller, { params: { Id }, paging }) => users.listSessions(caller, Id, paging),
    }),
    route({
      ...end,
      path: `${user}/Sessions`,
      id: "endSessions",
      summary: "End all of them",
      description: "All of the User's refresh tokens end as well.",
      answer: { description: "How many there were.", schema: ENDED, example: { Ended: 2 } },
      handle: async (caller, { params: { Id } }) => withoutRecords({ Ended: await users.endSessions(caller, Id) }),
    }),
    route({
      ...end,
      path: `${user}/Sessions/{SessionId}`,
      params: { ...params, SessionId: textParameter("The session's Id.", uuid()) },
      id: "endSession",
      summary: "End one of them",
      description: "The refresh tokens that came of it end as well.",
      answer: { description: "Its last state.", schema: SESSION, example: EXAMPLE_SESSION },
      handle: (caller, { params: { Id, SessionId } }) => users.endSession(caller, Id, SessionId),
    }),
  ];
}
