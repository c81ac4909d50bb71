// What makes an Application an OAuth client: its credentials and its secrets.

import { DEFAULT_SCOPES, SCOPES } from "../access/index.ts";
import { API_PATH } from "../http/paths.ts";
import {
  ACCESS_TOKEN_ALGS,
  CLIENT_TYPES,
  GRANT_TYPES,
  ID_TOKEN_ALGS,
  MOST_REDIRECT_URIS,
  REDIRECT_URI_LIMIT,
  REDIRECT_URIS_LIMIT,
} from "../oauth/index.ts";
import { json, jsonBody, NOT_MODIFIED, operation, pageOf } from "./operation.ts";
import { CONDITIONS } from "./parameters.ts";
import { type Area, type Operation, type Parameter, type Schema, schemaRef } from "./types.ts";

const TAG = "Credentials";
const APPLICATION = `${API_PATH}/Application/{Id}`;

export function credentials(): Area {
  return {
    tags: [{ name: TAG, description: "What makes an Application an OAuth client." }],
    paths: {
      [`${APPLICATION}/Credentials`]: {
        get: operation({
          id: "getCredentials",
          tag: TAG,
          summary: "Read an Application's credentials",
          scopes: ["Settings:Read"],
          parameters: [ID, ...CONDITIONS],
          answers: { 200: json("The credentials.", schemaRef("Credentials"), EXAMPLE, ["ETag"]), 304: NOT_MODIFIED },
          errors: ["BadInput", "NotFound", "PreconditionFailed"],
        }),
        patch: change("changeCredentials", "Change an Application's credentials"),
        post: change("postCredentials", "The same as PATCH"),
      },
      [`${APPLICATION}/Secrets`]: {
        get: operation({
          id: "listSecrets",
          tag: TAG,
          summary: "List an Application's secrets, without the secrets themselves",
          scopes: ["Settings:Read"],
          parameters: [ID],
          answers: { 200: json("All of them.", pageOf(schemaRef("Secret")), { Items: [SECRET], Next: null }) },
          errors: ["NotFound"],
        }),
        post: operation({
          id: "makeSecret",
          tag: TAG,
          summary: "Make a secret",
          description: "This answer alone has it. Two may live at a time, so that one can be replaced; a third is 409.",
          scopes: ["Settings:Update"],
          parameters: [ID],
          answers: {
            200: json("The secret.", schemaRef("NewSecret"), { ...SECRET, Secret: "<SECRET>" }),
          },
          errors: ["BadInput", "NotFound", "Conflict"],
        }),
      },
      [`${APPLICATION}/Secrets/{SecretId}`]: {
        delete: operation({
          id: "deleteSecret",
          tag: TAG,
          summary: "Delete a secret",
          description: "The last one of the client that calls is refused with 409.",
          scopes: ["Settings:Update"],
          parameters: [
            ID,
            {
              name: "SecretId",
              in: "path",
              required: true,
              description: "The secret's Id.",
              schema: { type: "string", format: "uuid" },
            },
          ],
          answers: { 200: json("What it was, without the secret itself.", schemaRef("Secret"), SECRET) },
          errors: ["NotFound", "Conflict"],
        }),
      },
    },
    schemas: {
      Credentials: { type: "object", required: Object.keys(FIELDS), properties: FIELDS },
      CredentialsData: CREDENTIALS_DATA,
      Secret: { type: "object", required: Object.keys(SECRET_FIELDS), properties: SECRET_FIELDS },
      NewSecret: {
        type: "object",
        required: [...Object.keys(SECRET_FIELDS), "Secret"],
        properties: { ...SECRET_FIELDS, Secret: { type: "string", description: "It is never shown again." } },
      },
    },
  };
}

function change(id: string, summary: string): Operation {
  return operation({
    id,
    tag: TAG,
    summary,
    description: "Refused with 409 when the client that calls would lose its own grant or Settings scopes.",
    scopes: ["Settings:Update"],
    parameters: [ID, ...CONDITIONS],
    requestBody: jsonBody("Absent fields are left alone, null sets one back.", schemaRef("CredentialsData"), {
      confidential: { RedirectUris: EXAMPLE.RedirectUris },
      public: { ClientType: "public", RedirectUris: ["http://localhost:3001/callback"] },
      native: { ClientType: "native", RedirectUris: ["http://127.0.0.1/callback"], GrantTypes: ["authorization_code"] },
    }),
    answers: { 200: json("The credentials as they stand.", schemaRef("Credentials"), EXAMPLE, ["ETag"]) },
    errors: ["BadInput", "NotFound", "Conflict", "PreconditionFailed"],
  });
}

const ID: Parameter = {
  name: "Id",
  in: "path",
  required: true,
  description: "The Application's Id, which is its client_id.",
  schema: { type: "string", pattern: "^[1-9][0-9]{0,15}$" },
};

const SECRET = { Id: "0197c6f4-0a1b-7c2d-8e3f-405162738495", CreatedOn: "2026-01-31T12:00:00.000Z" };

const EXAMPLE = {
  RedirectUris: ["https://payroll.example.com/callback"],
  PostLogoutRedirectUris: [],
  GrantTypes: [...GRANT_TYPES],
  Scopes: ["openid", "profile", "name"],
  ClientType: "confidential",
  AccessTokenAlg: "EdDSA",
  IdTokenAlg: "RS256",
  FirstParty: false,
};

const URIS: Schema = {
  type: "array",
  description: `At most ${REDIRECT_URIS_LIMIT} characters together.`,
  maxItems: MOST_REDIRECT_URIS,
  items: { type: "string", format: "uri", maxLength: REDIRECT_URI_LIMIT },
  default: [],
};

const FIELDS: Record<string, Schema> = {
  RedirectUris: {
    ...URIS,
    description:
      "Where users may be sent back to; compared as they are written. https, or http on 127.0.0.1, [::1] or " +
      "localhost: of a native client with any port, of others for development.",
  },
  PostLogoutRedirectUris: { ...URIS, description: "Where users may be sent after they have signed out." },
  GrantTypes: {
    type: "array",
    items: { type: "string", enum: GRANT_TYPES },
    default: GRANT_TYPES,
    description:
      "The grants it may use at the token endpoint. The default of public and native clients, and what they come to " +
      "have if nobody chose others, is without client_credentials.",
  },
  Scopes: {
    type: "array",
    items: { type: "string", enum: SCOPES },
    default: DEFAULT_SCOPES,
    description: "What it may ask for.",
  },
  ClientType: {
    type: "string",
    enum: CLIENT_TYPES,
    default: "confidential",
    description: "RFC 6749 2.1 and RFC 8252: public and native clients have no secret and no client_credentials.",
  },
  AccessTokenAlg: { type: "string", enum: ACCESS_TOKEN_ALGS, default: "EdDSA" },
  IdTokenAlg: { type: "string", enum: ID_TOKEN_ALGS, default: "RS256" },
  FirstParty: { type: "boolean", default: false, description: "Users are not asked for their consent." },
};

const CREDENTIALS_DATA: Schema = {
  type: "object",
  description: "Absent fields are left alone, null sets one back to its default.",
  properties: Object.fromEntries(Object.entries(FIELDS).map(([name, field]) => [name, orNull(field)])),
  additionalProperties: false,
};

const SECRET_FIELDS: Record<string, Schema> = {
  Id: { type: "string", format: "uuid" },
  CreatedOn: { type: "string", format: "date-time" },
};

function orNull(field: Schema): Schema {
  const { type, enum: words, ...rest } = field;
  return { type: [type, "null"], ...rest, ...(words ? { enum: [...(words as string[]), null] } : {}) };
}
