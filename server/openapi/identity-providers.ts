// Where a tenant's users may sign in instead of here.

import { API_PATH } from "../http/paths.ts";
import {
  AUTH_METHODS,
  CREDENTIAL_LIMIT,
  MAPPED,
  MOST_ALLOWED,
  MOST_SCOPES,
  NAME_LIMIT,
  PROVIDER_TYPES,
  PROVISIONINGS,
  URL_LIMIT,
  WORD_LIMIT,
} from "../signin/index.ts";
import { TEST, TEST_SCHEMA } from "./identity-provider-test.ts";
import { json, jsonBody, NOT_MODIFIED, operation, pageOf } from "./operation.ts";
import { CONDITIONS, parameterRef } from "./parameters.ts";
import { type Answer, type Area, type Operation, type Parameter, type Schema, schemaRef } from "./types.ts";

const TAG = "IdentityProvider";
const PATH = `${API_PATH}/IdentityProvider`;
const NUL_FREE = "^[^\\u0000]*$";

const ID: Parameter = {
  name: "Id",
  in: "path",
  required: true,
  description: "The Id of the provider.",
  schema: { type: "string", pattern: "^[1-9][0-9]{0,15}$" },
};

export function identityProviders(): Area {
  return {
    tags: [
      { name: TAG, description: "Providers that users sign in with: OpenID Connect, or OAuth 2.0 with userinfo." },
    ],
    paths: {
      [PATH]: {
        get: operation({
          id: "listIdentityProvider",
          tag: TAG,
          summary: "List identity providers",
          description: "Without those that the caller may not read.",
          scopes: ["Settings:Read"],
          parameters: [
            parameterRef("Limit"),
            parameterRef("Cursor"),
            { name: "Name", in: "query", description: "The provider of this Name.", schema: { type: "string" } },
          ],
          answers: {
            200: json("A page of providers.", pageOf(schemaRef("IdentityProvider")), { Items: [RECORD], Next: null }),
          },
          errors: ["BadInput"],
        }),
        patch: upsert("upsertIdentityProvider", "Update or make an identity provider"),
        post: upsert("postIdentityProvider", "The same as PATCH"),
      },
      [`${PATH}/{Id}`]: {
        get: operation({
          id: "getIdentityProvider",
          tag: TAG,
          summary: "Read one identity provider",
          scopes: ["Settings:Read"],
          parameters: [ID, ...CONDITIONS],
          answers: { 200: one("The provider."), 304: NOT_MODIFIED },
          errors: ["BadInput", "NotFound", "PreconditionFailed"],
        }),
        delete: operation({
          id: "deleteIdentityProvider",
          tag: TAG,
          summary: "Delete an identity provider",
          description:
            "Its links to users and the sessions begun by it end, and these users' refresh tokens that came of signing " +
            "in at a provider; the users stay. 409 while an Application's AuthenticationId points at it.",
          scopes: ["Settings:Update"],
          parameters: [ID, ...CONDITIONS],
          answers: { 200: one("Its last state.") },
          errors: ["BadInput", "NotFound", "Conflict", "PreconditionFailed"],
        }),
      },
      [`${PATH}/{Id}/Test`]: {
        post: operation({
          id: "testIdentityProvider",
          tag: TAG,
          summary: "Ask a provider what a sign-in would",
          description:
            "Reads the metadata and the keys, and presents a made-up code by the ClientId and its secret. Nothing is " +
            "changed, and a provider that is switched off is asked too. It takes 10 s at most.",
          scopes: ["Settings:Update"],
          parameters: [ID],
          answers: { 200: json("What was found.", schemaRef("IdentityProviderTest"), TEST) },
          errors: ["NotFound"],
        }),
      },
    },
    schemas: {
      IdentityProviderTest: TEST_SCHEMA,
      IdentityProvider: RECORD_SCHEMA,
      IdentityProviderData: INPUT_SCHEMA,
    },
  };
}

function upsert(id: string, summary: string): Operation {
  return operation({
    id,
    tag: TAG,
    summary,
    description:
      "The provider that Id, or without it Name or ExternalId, points at is updated; else a new one is made, which " +
      "needs Name, Type, ClientId, and the Issuer or, with Type OAuth2, the three endpoints.",
    scopes: ["Settings:Update"],
    parameters: CONDITIONS,
    requestBody: jsonBody("One identity provider.", schemaRef("IdentityProviderData"), {
      OpenIDConnect: INPUT,
      OAuth2: OAUTH2_INPUT,
    }),
    answers: { 200: one("The provider as it stands.") },
    errors: ["BadInput", "NotFound", "Conflict", "PreconditionFailed"],
  });
}

function one(description: string): Answer {
  return json(description, schemaRef("IdentityProvider"), RECORD, ["ETag"]);
}

const INPUT = {
  Name: "Example ID",
  Type: "OpenIDConnect",
  Issuer: "https://id.example.com",
  ClientId: "gatehouse",
  ClientSecret: "a-long-secret",
  Provisioning: "Create",
  AllowedDomains: ["example.com"],
  Is_Active: true,
};

const OAUTH2_INPUT = {
  Name: "Example Social",
  Type: "OAuth2",
  AuthorizationEndpoint: "https://social.example.com/authorize",
  TokenEndpoint: "https://social.example.com/token",
  UserinfoEndpoint: "https://social.example.com/me",
  ClientId: "gatehouse",
  ClientSecret: "a-long-secret",
  Mapping: { Subject: "id", Name: "display_name" },
};

const { ClientSecret: _, ...SHOWN } = INPUT;
const RECORD = {
  Id: "1001",
  ...SHOWN,
  ExternalId: "",
  AuthorizationEndpoint: "",
  TokenEndpoint: "",
  UserinfoEndpoint: "",
  TokenEndpointAuthMethod: "",
  Scopes: ["openid", "profile", "email"],
  Mapping: { Name: "name", Username: "preferred_username", Email: "email", EmailVerified: "email_verified" },
  AllowedDomains: ["example.com"],
  AllowedTenants: [],
  RequireVerifiedEmail: false,
  AllowLocal: false,
  Is_Active: true,
  RedirectUri: "https://gatehouse.example.com/signin/upstream/1001/callback",
};

const wordList = (pattern: string): Schema => ({
  type: "array",
  maxItems: MOST_ALLOWED,
  items: { type: "string", maxLength: WORD_LIMIT, pattern },
});

const address = (description: string): Schema => ({ type: "string", maxLength: URL_LIMIT, description });

const FIELDS: Record<string, Schema> = {
  Name: { type: "string", minLength: 1, maxLength: NAME_LIMIT, description: "Unique; stands on the sign-in page." },
  ExternalId: { type: "string", maxLength: NAME_LIMIT, description: "External system code; unique in the system." },
  Type: { type: "string", enum: PROVIDER_TYPES, description: "The protocol." },
  Issuer: address(
    "OpenIDConnect: https, as the provider's metadata spells it. With another, ClientSecret has to be sent again.",
  ),
  AuthorizationEndpoint: address("OAuth2: where users sign in."),
  TokenEndpoint: address("OAuth2: where codes are exchanged. With another, ClientSecret has to be sent again."),
  UserinfoEndpoint: address("OAuth2: where claims about the user are read."),
  ClientId: {
    type: "string",
    minLength: 1,
    maxLength: CREDENTIAL_LIMIT,
    description: "What Gatehouse is called there.",
  },
  TokenEndpointAuthMethod: {
    type: "string",
    enum: ["", ...AUTH_METHODS],
    description: "How the ClientSecret is sent. Empty: as the metadata says, or else client_secret_basic.",
  },
  Scopes: {
    type: "array",
    maxItems: MOST_SCOPES,
    items: { type: "string", maxLength: WORD_LIMIT, pattern: "^[\\x21\\x23-\\x5b\\x5d-\\x7e]+$" },
    description: "What is asked for there; with OpenIDConnect openid is among them.",
  },
  Mapping: {
    type: "object",
    description:
      "Which claim gives a User's field. Subject (with OAuth2 alone; default sub) is who the user is there; " +
      "EmailVerified says by true that Email is the user's own, and without that Email is not taken.",
    properties: Object.fromEntries(MAPPED.map((name) => [name, { type: "string", maxLength: WORD_LIMIT }])),
    additionalProperties: false,
  },
  Provisioning: {
    type: "string",
    enum: PROVISIONINGS,
    description:
      "Whether an unknown user gets a User, or can only be linked to one that is there. Default LinkOnly. Where anybody can " +
      "have an account, Create needs AllowedDomains or AllowedTenants.",
  },
  AllowedDomains: {
    ...wordList("^([A-Za-z0-9-]+\\.)+[A-Za-z0-9-]{2,}$"),
    description: "With Provisioning Create, only who has a verified Email at one of these domains gets a User.",
  },
  AllowedTenants: {
    ...wordList("^[!-~]+$"),
    description:
      "With Provisioning Create, only who is of one of these organisations there (the claim hd or tid) gets a User.",
  },
  RequireVerifiedEmail: {
    type: "boolean",
    description: "With Provisioning Create, only who has a verified Email gets a User.",
  },
  AllowLocal: {
    type: "boolean",
    description: "Users of an Application that points here may also sign in by password.",
  },
  Is_Active: { type: "boolean", default: false, description: "Users can sign in by it; a new one is off." },
};

const REDIRECT_URI: Schema = { type: "string", description: "What the provider has to have registered for ClientId." };

const RECORD_SCHEMA: Schema = {
  type: "object",
  description: "An identity provider; its secret is never read back.",
  required: Object.keys(RECORD),
  properties: { Id: { type: "string" }, ...FIELDS, RedirectUri: REDIRECT_URI },
};

const INPUT_SCHEMA: Schema = {
  type: "object",
  description: "Absent fields are left alone.",
  properties: {
    Id: {
      type: ["string", "null"],
      description: "Empty: it is found by its Name or ExternalId, or is new.",
      pattern: "^([1-9][0-9]{0,14})?$",
    },
    ...FIELDS,
    ...Object.fromEntries(
      ["ExternalId", "Issuer", "AuthorizationEndpoint", "TokenEndpoint", "UserinfoEndpoint"].map((name) => [
        name,
        { ...FIELDS[name], type: ["string", "null"], pattern: NUL_FREE },
      ]),
    ),
    Name: { ...FIELDS.Name, pattern: "^[^\\u0000]*[^\\s\\u0000][^\\u0000]*$" },
    ClientId: { ...FIELDS.ClientId, pattern: NUL_FREE },
    ClientSecret: {
      type: ["string", "null"],
      writeOnly: true,
      maxLength: CREDENTIAL_LIMIT,
      pattern: NUL_FREE,
      description: "Empty: a public client, by PKCE alone.",
    },
    RedirectUri: { ...REDIRECT_URI, type: ["string", "null"], readOnly: true },
  },
  additionalProperties: false,
};
