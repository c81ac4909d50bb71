// How users sign in, as far as an administrator has a say in it.

import { API_PATH } from "../http/paths.ts";
import { SECOND_FACTOR_RULES } from "../tenants/index.ts";
import { json, jsonBody, operation } from "./operation.ts";
import { type Area, type Parameter, type Schema, schemaRef } from "./types.ts";

const TAG = "Users' sign-in";
const USER = `${API_PATH}/User/{Id}`;

export function users(): Area {
  return {
    tags: [{ name: TAG, description: "Password links, second factors, and what the tenant demands." }],
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
    },
    schemas: { TenantSettings: SETTINGS_SCHEMA, PasswordReset: RESET_SCHEMA, SecondFactor: FACTOR_SCHEMA },
  };
}

const ID: Parameter = {
  name: "Id",
  in: "path",
  required: true,
  description: "The User's Id.",
  schema: { type: "string", pattern: "^[1-9][0-9]{0,15}$" },
};

const SETTINGS = { SecondFactor: "Required" };
const RESET = {
  Url: "https://id.example.com/account/reset?token=Xb3…",
  ExpiresOn: "2026-01-31T13:00:00.000Z",
};
const FACTOR = { Type: "TOTP", EnrolledOn: "2026-01-31T12:00:00.000Z", RecoveryCodes: 10 };

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
