// …/User/{Id}/PasswordReset, …/SecondFactor, …/Identities and …/Sessions.

import { Type } from "@sinclair/typebox";
import { route, withoutRecords } from "../../access/index.ts";
import { NO_STORE } from "../../http/conditions.ts";
import { ABSTRACT_TEXT, time, uuid, word } from "../../http/fields.ts";
import { idTextParameter, textParameter } from "../../http/query.ts";
import type { Route } from "../../http/route.ts";
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
      summary: "Remove the second factor of a User who has lost it",
      answer: { description: "The removed second factor.", schema: FACTOR, example: EXAMPLE_FACTOR },
      handle: (caller, { params: { Id } }) => users.removeSecondFactor(caller, Id),
    }),
    route({
      ...read,
      path: `${user}/Identities`,
      id: "listIdentities",
      summary: "List a User's linked accounts at identity providers",
      answer: { description: "All of them.", schema: IDENTITY, example: EXAMPLE_IDENTITY, list: true },
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
        examples: { one: { IdentityProviderId: "1001", Subject: EXAMPLE_IDENTITY.Subject } },
      },
      answer: { description: "The account to link.", schema: IDENTITY, example: EXAMPLE_IDENTITY },
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
      answer: { description: "Its last state.", schema: IDENTITY, example: EXAMPLE_IDENTITY },
      handle: (caller, { params: { Id, IdentityId } }) => users.unlinkIdentity(caller, Id, IdentityId),
    }),
    route({
      ...read,
      path: `${user}/Sessions`,
      id: "listSessions",
      summary: "List the browsers in which a User is signed in",
      description: "Newest first.",
      paged: true,
      answer: { description: "A page of sessions.", schema: SESSION, example: EXAMPLE_SESSION, list: true },
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
      answer: { description: "Its last state.", schema: SESSION, example: EXAMPLE_SESSION },
      handle: (caller, { params: { Id, SessionId } }) => users.endSession(caller, Id, SessionId),
    }),
  ];
}

const RESET = Type.Object(
  { Url: Type.String({ description: "Give it only to the User." }), ExpiresOn: time() },
  { $id: "PasswordReset" },
);
const EXAMPLE_RESET = {
  Url: "https://id.example.com/account/reset?token=Xb3…",
  ExpiresOn: "2026-01-31T13:00:00.000Z",
};

const FACTOR = Type.Object(
  {
    Type: word(["TOTP"]),
    EnrolledOn: time(),
    RecoveryCodes: Type.Integer({ format: "int32", description: "Unused recovery codes." }),
  },
  { $id: "SecondFactor" },
);
const EXAMPLE_FACTOR = { Type: "TOTP", EnrolledOn: "2026-01-31T12:00:00.000Z", RecoveryCodes: 10 };

const SESSION = Type.Object(
  {
    Id: uuid(),
    Device: Type.String({ description: "The browser's name." }),
    UserAgent: Type.String({ description: "The shortened User-Agent." }),
    Address: Type.String({ description: "The address of the sign-in; for IPv6 the /64 network." }),
    StartedOn: time(),
    LastSeen: time("Accurate to a minute."),
    Amr: Type.Array(Type.String(), { description: "How the User was authenticated (RFC 8176)." }),
    Acr: word(["1", "2"], { description: "The number of factors." }),
  },
  { $id: "Session" },
);
const EXAMPLE_SESSION = {
  Id: "0197c6f3-0a1b-7c2d-8e3f-405162738495",
  Device: "Firefox on Linux",
  UserAgent: "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0",
  Address: "203.0.113.7",
  StartedOn: "2026-01-31T12:00:00.000Z",
  LastSeen: "2026-01-31T12:30:00.000Z",
  Amr: ["pwd", "otp", "mfa"],
  Acr: "2",
};

const IDENTITY = Type.Object(
  {
    Id: Type.String(),
    IdentityProvider: ABSTRACT_TEXT,
    Subject: Type.String({ description: "The User's sub at the provider." }),
    LinkedOn: time(),
    Is_Usable: Type.Boolean({ description: "Whether the provider is active and its issuer unchanged since the link." }),
  },
  { $id: "Identity" },
);
const EXAMPLE_IDENTITY = {
  Id: "mJ0mVb5x2qg0V0l1sZbX1m3h0rRj1pTq8v7wqF3bO0k",
  IdentityProvider: { Id: "1001", ExternalId: "", Name: "Contoso", Type: "IdentityProvider" },
  Subject: "248289761001",
  LinkedOn: "2026-01-31T12:00:00.000Z",
  Is_Usable: true,
};

const ENDED = Type.Object(
  { Ended: Type.Integer({ format: "int32", description: "The number of ended sessions." }) },
  { $id: "EndedSessions" },
);
