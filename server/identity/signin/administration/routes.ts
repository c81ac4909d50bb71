// …/User/{Id}/PasswordReset, …/SecondFactor, …/Identities and …/Sessions.

import { Type } from "@sinclair/typebox";
import { NO_STORE } from "../../../platform/http/conditions.ts";
import { uuid } from "../../../platform/http/fields.ts";
import { idTextParameter, textParameter } from "../../../platform/http/query.ts";
import type { Route } from "../../../platform/http/route.ts";
import { route, withoutRecords } from "../../../records/index.ts";
import { FACTOR, IDENTITY, PASSKEY, RESET, SESSION } from "./contract.ts";
import { IDENTITY_DATA } from "./identities.ts";
import { noFactor, type UserAdministration } from "./service.ts";

export const USERS_TAG = {
  name: "Users' sign-in",
  description: "Password links, second factors, sessions, and the tenant's requirements.",
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
      summary: "Create a link for a User to set a password, including the first one",
      description:
        "It can be used once within an hour, and a new link replaces it. Setting the password ends all of the " +
        "User's sessions and refresh tokens.",
      answer: {
        description: "The link, shown this once.",
        schema: RESET.record,
        example: RESET.example,
        headers: NO_STORE,
      },
      errors: ["Conflict"],
      handle: (caller, { params: { Id } }) => users.makePasswordReset(caller, Id),
    }),
    route({
      ...read,
      path: `${user}/SecondFactor`,
      id: "getSecondFactor",
      summary: "Read whether a User has a second factor",
      answer: { description: "The second factor.", schema: FACTOR.record, example: FACTOR.example },
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
      summary: "Remove the second factor of a User who has lost it",
      answer: { description: "The removed second factor.", schema: FACTOR.record, example: FACTOR.example },
      handle: (caller, { params: { Id } }) => users.removeSecondFactor(caller, Id),
    }),
    route({
      ...read,
      path: `${user}/Passkeys`,
      id: "listPasskeys",
      summary: "List a User's passkeys",
      description: "Newest first.",
      answer: { description: "All of them.", schema: PASSKEY.record, example: PASSKEY.example, list: true },
      handle: (caller, { params: { Id } }) => users.listPasskeys(caller, Id),
    }),
    route({
      ...end,
      path: `${user}/Passkeys/{PasskeyId}`,
      params: { ...params, PasskeyId: textParameter("The passkey's Id.", uuid()) },
      id: "deletePasskey",
      summary: "Remove a passkey, such as one that is lost",
      description: "Sessions that began with it stay.",
      answer: { description: "Its last state.", schema: PASSKEY.record, example: PASSKEY.example },
      handle: (caller, { params: { Id, PasskeyId } }) => users.removePasskey(caller, Id, PasskeyId),
    }),
    route({
      ...read,
      path: `${user}/Identities`,
      id: "listIdentities",
      summary: "List a User's linked accounts at identity providers",
      answer: { description: "All of them.", schema: IDENTITY.record, example: IDENTITY.example, list: true },
      handle: (caller, { params: { Id } }) => users.listIdentities(caller, Id),
    }),
    route({
      ...make,
      path: `${user}/Identities`,
      id: "linkIdentity",
      summary: "Link an account at an identity provider, so the User can sign in with it",
      description: "409 if it is linked to another User. If already linked to this one, nothing changes.",
      body: {
        ...IDENTITY_DATA,
        description: "The account.",
        examples: { one: { IdentityProviderId: "1001", Subject: IDENTITY.example.Subject } },
      },
      answer: { description: "The account to link.", schema: IDENTITY.record, example: IDENTITY.example },
      errors: ["Conflict"],
      handle: (caller, { params: { Id }, input }) => users.linkIdentity(caller, Id, input),
    }),
    route({
      ...end,
      path: `${user}/Identities/{IdentityId}`,
      params: { ...params, IdentityId: textParameter("The identity's Id.") },
      id: "unlinkIdentity",
      summary: "Unlink an account",
      description: "Sessions started by its provider end as well, with their refresh tokens.",
      answer: { description: "Its last state.", schema: IDENTITY.record, example: IDENTITY.example },
      handle: (caller, { params: { Id, IdentityId } }) => users.unlinkIdentity(caller, Id, IdentityId),
    }),
    route({
      ...read,
      path: `${user}/Sessions`,
      id: "listSessions",
      summary: "List the browsers in which a User is signed in",
      description: "Newest first.",
      paged: true,
      answer: { description: "A page of sessions.", schema: SESSION.record, example: SESSION.example, list: true },
      handle: (caller, { params: { Id }, paging }) => users.listSessions(caller, Id, paging),
    }),
    route({
      ...end,
      path: `${user}/Sessions`,
      id: "endSessions",
      summary: "End all sessions of a User",
      description: "All of the User's refresh tokens end as well.",
      answer: { description: "The number of ended sessions.", schema: ENDED, example: { Ended: 2 } },
      handle: async (caller, { params: { Id } }) => withoutRecords({ Ended: await users.endSessions(caller, Id) }),
    }),
    route({
      ...end,
      path: `${user}/Sessions/{SessionId}`,
      params: { ...params, SessionId: textParameter("The session's Id.", uuid()) },
      id: "endSession",
      summary: "End a session",
      description: "Its refresh tokens end as well.",
      answer: { description: "Its last state.", schema: SESSION.record, example: SESSION.example },
      handle: (caller, { params: { Id, SessionId } }) => users.endSession(caller, Id, SessionId),
    }),
  ];
}

const ENDED = Type.Object(
  { Ended: Type.Integer({ format: "int32", description: "The number of ended sessions." }) },
  { $id: "EndedSessions" },
);
