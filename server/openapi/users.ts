// How users sign in, as far as an administrator has a say in it.

import { API_PATH } from "../http/paths.ts";
import { SUBJECT_LIMIT } from "../signin/index.ts";
import { SECOND_FACTOR_RULES } from "../tenants/index.ts";
import { json, jsonBody, operation, pageOf } from "./operation.ts";
import { parameterRef } from "./parameters.ts";
import { type Area, type Parameter, type Schema, schemaRef } from "./types.ts";

const TAG = "Users' sign-in";
const USER = `${API_PATH}/User/{Id}`;

export function users(): Area {
  return {
    tags: [{ name: TAG, description: "Password links, second factors, sessions, and what the tenant demands." }],
    paths: {
      [`${API_PATH}/TenantSettings`]: {
        get: operation({
          id: "getTenantSettings",
          tag: TAG,
          summary: "Read what holds for all of the caller's tenant",
          scopes: ["Settings:Read"],
          answers: { 200: json("The settings.", schemaRef("TenantSettings"), SETTINGS) },
        }),
        patch: operation({
          id: "changeTenantSettings",
          tag: TAG,
          summary: "Change them",
          description: "What is left out stays as it is. It counts for the next request of every user.",
          scopes: ["Settings:Update"],
          requestBody: jsonBody("What is to change.", schemaRef("TenantSettings"), { required: SETTINGS }),
          answers: { 200: json("The settings.", schemaRef("TenantSettings"), SETTINGS) },
          errors: ["BadInput"],
        }),
      },
      [`${USER}/PasswordReset`]: {
        post: operation({
          id: "makePasswordReset",
          tag: TAG,
          summary: "Make a link by which a User sets a password, the first one too",
          description:
            "It is good once and for an hour, and a new one takes its place. Setting the password ends all of the " +
            "User's sessions, refresh tokens included.",
          scopes: ["Settings:Update"],
          parameters: [ID],
          answers: { 200: json("The link, shown this once.", schemaRef("PasswordReset"), RESET) },
          errors: ["NotFound", "Conflict"],
        }),
      },
      [`${USER}/SecondFactor`]: {
        get: operation({
          id: "getSecondFactor",
          tag: TAG,
          summary: "Read whether a User has a second factor",
          scopes: ["Settings:Read"],
          parameters: [ID],
          answers: { 200: json("The second factor.", schemaRef("SecondFactor"), FACTOR) },
          errors: ["NotFound"],
        }),
        delete: operation({
          id: "deleteSecondFactor",
          tag: TAG,
          summary: "Remove it, of a User who has lost it",
          scopes: ["Settings:Update"],
          parameters: [ID],
          answers: { 200: json("What was removed.", schemaRef("SecondFactor"), FACTOR) },
          errors: ["NotFound"],
        }),
      },
      [`${USER}/Identities`]: {
        get: operation({
          id: "listIdentities",
          tag: TAG,
          summary: "List the accounts at identity providers that a User signs in by",
          scopes: ["Settings:Read"],
          parameters: [ID],
          answers: { 200: json("All of them.", pageOf(schemaRef("Identity")), { Items: [IDENTITY], Next: null }) },
          errors: ["NotFound"],
        }),
        post: operation({
          id: "linkIdentity",
          tag: TAG,
          summary: "Link an account at an identity provider, which signs the User in from then on",
          description: "409 if it is linked with another User. With this one, nothing changes.",
          scopes: ["Settings:Update"],
          parameters: [ID],
          requestBody: jsonBody("The account.", schemaRef("IdentityData"), {
            one: { IdentityProviderId: "1001", Subject: IDENTITY.Subject },
          }),
          answers: { 200: json("What is linked.", schemaRef("Identity"), IDENTITY) },
          errors: ["BadInput", "NotFound", "Conflict"],
        }),
      },
      [`${USER}/Identities/{IdentityId}`]: {
        delete: operation({
          id: "unlinkIdentity",
          tag: TAG,
          summary: "Unlink one of them",
          description: "The sessions that its provider has begun end as well, with their refresh tokens.",
          scopes: ["Settings:Update"],
          parameters: [
            ID,
            { ...ID, name: "IdentityId", description: "The identity's Id.", schema: { type: "string" } },
          ],
          answers: { 200: json("Its last state.", schemaRef("Identity"), IDENTITY) },
          errors: ["NotFound"],
        }),
      },
      [`${USER}/Sessions`]: {
        get: operation({
          id: "listSessions",
          tag: TAG,
          summary: "List the browsers in which a User is signed in",
          description: "The newest first.",
          scopes: ["Settings:Read"],
          parameters: [ID, parameterRef("Limit"), parameterRef("Cursor")],
          answers: { 200: json("A page of sessions.", pageOf(schemaRef("Session")), { Items: [SESSION], Next: null }) },
          errors: ["BadInput", "NotFound"],
        }),
        delete: operation({
          id: "endSessions",
          tag: TAG,
          summary: "End all of them",
          description: "All of the User's refresh tokens end as well.",
          scopes: ["Settings:Update"],
          parameters: [ID],
          answers: { 200: json("How many there were.", schemaRef("EndedSessions"), { Ended: 2 }) },
          errors: ["NotFound"],
        }),
      },
      [`${USER}/Sessions/{SessionId}`]: {
        delete: operation({
          id: "endSession",
          tag: TAG,
          summary: "End one of them",
          description: "The refresh tokens that came of it end as well.",
          scopes: ["Settings:Update"],
          parameters: [ID, { ...ID, name: "SessionId", description: "The session's Id.", schema: UUID }],
          answers: { 200: json("Its last state.", schemaRef("Session"), SESSION) },
          errors: ["NotFound"],
        }),
      },
    },
    schemas: {
      TenantSettings: SETTINGS_SCHEMA,
      PasswordReset: RESET_SCHEMA,
      SecondFactor: FACTOR_SCHEMA,
      Identity: IDENTITY_SCHEMA,
      IdentityData: IDENTITY_DATA,
      Session: SESSION_SCHEMA,
      EndedSessions: ENDED_SCHEMA,
    },
  };
}

const ID: Parameter = {
  name: "Id",
  in: "path",
  required: true,
  description: "The User's Id.",
  schema: { type: "string", pattern: "^[1-9][0-9]{0,15}$" },
};

const UUID: Schema = { type: "string", format: "uuid" };
const TIME: Schema = { type: "string", format: "date-time" };
const SETTINGS = { SecondFactor: "Required" };
const RESET = {
  Url: "https://id.example.com/account/reset?token=Xb3…",
  ExpiresOn: "2026-01-31T13:00:00.000Z",
};
const FACTOR = { Type: "TOTP", EnrolledOn: "2026-01-31T12:00:00.000Z", RecoveryCodes: 10 };
const SESSION = {
  Id: "0197c6f3-0a1b-7c2d-8e3f-405162738495",
  Device: "Firefox on Linux",
  UserAgent: "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0",
  Address: "203.0.113.7",
  StartedOn: "2026-01-31T12:00:00.000Z",
  LastSeen: "2026-01-31T12:30:00.000Z",
  Amr: ["pwd", "otp", "mfa"],
  Acr: "2",
};

const IDENTITY = {
  Id: "mJ0mVb5x2qg0V0l1sZbX1m3h0rRj1pTq8v7wqF3bO0k",
  IdentityProvider: { Id: "1001", ExternalId: "", Name: "Contoso", Type: "IdentityProvider" },
  Subject: "248289761001",
  LinkedOn: "2026-01-31T12:00:00.000Z",
  Is_Usable: true,
};

const SETTINGS_SCHEMA: Schema = {
  type: "object",
  properties: {
    SecondFactor: {
      type: "string",
      enum: [...SECOND_FACTOR_RULES],
      description: "Required: a user without a second factor is led through setting one up at sign-in.",
    },
  },
};

const RESET_SCHEMA: Schema = {
  type: "object",
  required: Object.keys(RESET),
  properties: {
    Url: { type: "string", description: "To be given to the User, and nobody else." },
    ExpiresOn: { type: "string", format: "date-time" },
  },
};

const FACTOR_SCHEMA: Schema = {
  type: "object",
  required: Object.keys(FACTOR),
  properties: {
    Type: { type: "string", enum: ["TOTP"] },
    EnrolledOn: { type: "string", format: "date-time" },
    RecoveryCodes: { type: "integer", format: "int32", description: "Those not used yet." },
  },
};

const SESSION_SCHEMA: Schema = {
  type: "object",
  required: Object.keys(SESSION),
  properties: {
    Id: UUID,
    Device: { type: "string", description: "What the browser calls itself, in words." },
    UserAgent: { type: "string", description: "The head of what the browser calls itself." },
    Address: { type: "string", description: "Where the User signed in; of IPv6 the /64." },
    StartedOn: TIME,
    LastSeen: { ...TIME, description: "To the minute." },
    Amr: { type: "array", items: { type: "string" }, description: "How the User was authenticated (RFC 8176)." },
    Acr: { type: "string", enum: ["1", "2"], description: "By how many factors." },
  },
};

const IDENTITY_DATA: Schema = {
  type: "object",
  required: ["IdentityProviderId", "Subject"],
  properties: {
    IdentityProviderId: { type: "string", pattern: "^[1-9][0-9]{0,14}$" },
    Subject: {
      type: "string",
      minLength: 1,
      maxLength: SUBJECT_LIMIT,
      pattern: "^[^\\u0000]*[^\\s\\u0000][^\\u0000]*$",
      description: "What the provider calls the account: its sub.",
    },
  },
  additionalProperties: false,
};

const IDENTITY_SCHEMA: Schema = {
  type: "object",
  required: Object.keys(IDENTITY),
  properties: {
    Id: { type: "string" },
    IdentityProvider: schemaRef("AbstractText"),
    Subject: { type: "string", description: "What the provider calls the User." },
    LinkedOn: TIME,
    Is_Usable: { type: "boolean", description: "The provider is switched on, and still the one that was linked." },
  },
};

const ENDED_SCHEMA: Schema = {
  type: "object",
  required: ["Ended"],
  properties: { Ended: { type: "integer", format: "int32", description: "How many sessions there were." } },
};
