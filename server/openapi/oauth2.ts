// The endpoints that keep strictly to the RFCs, and the discovery documents that name them.

import { OUTAGES } from "../http/error-record.ts";
import { DATABASE_AWAY } from "./errors.ts";
import { headersOf, json, operation } from "./operation.ts";
import { type Answer, type Area, type Operation, type Schema, schemaRef } from "./types.ts";

const TAG = "OAuth 2.0";
const CLIENT = { client_id: "7", client_secret: "<SECRET>" };

export function oauth2(): Area {
  return {
    tags: [{ name: TAG, description: "The endpoints that OAuth client libraries use, strictly by the RFCs." }],
    paths: {
      "/oauth2/token": {
        post: endpoint({
          id: "token",
          summary: "Ask for an access token (RFC 6749 3.2)",
          schema: schemaRef("TokenRequest"),
          example: { grant_type: "client_credentials", ...CLIENT, scope: "AccessManager:Read" },
          answer: json("The tokens.", schemaRef("Rfc6749TokenResponse"), {
            token_type: "Bearer",
            expires_in: 3600,
            access_token: "<ACCESS_TOKEN>",
            scope: "AccessManager:Read",
          }),
        }),
      },
      "/oauth2/revoke": {
        post: endpoint({
          id: "revoke",
          summary: "Revoke a token (RFC 7009)",
          description:
            "A refresh token ends its whole family, access tokens included; an access token ends alone. An unknown " +
            "token is as good as revoked.",
          schema: schemaRef("TokenReference"),
          example: { ...CLIENT, token: "<REFRESH_TOKEN>" },
          answer: { description: "It is good no more." },
        }),
      },
      "/oauth2/introspect": {
        post: endpoint({
          id: "introspect",
          summary: "Ask what a token is good for (RFC 7662)",
          description: "For confidential clients. Of what is not their tenant's, only that it is not active.",
          schema: schemaRef("TokenReference"),
          example: { ...CLIENT, token: "<ACCESS_TOKEN>" },
          answer: json("The token's claims, or that it is not active.", schemaRef("Introspection"), { active: false }),
        }),
      },
      "/.well-known/openid-configuration": { get: metadata("getOpenIdConfiguration", "OIDC Discovery 3") },
      "/.well-known/oauth-authorization-server": { get: metadata("getAuthorizationServer", "RFC 8414") },
    },
    schemas: {
      Rfc6749TokenResponse: TOKEN_RESPONSE,
      Rfc6749Error: ERROR,
      TokenReference: TOKEN_REFERENCE,
      Introspection: INTROSPECTION,
      ProviderMetadata: METADATA,
    },
  };
}

interface Endpoint {
  id: string;
  summary: string;
  description?: string;
  schema: Schema;
  example: Record<string, string>;
  answer: Answer;
}

function endpoint({ id, summary, description, schema, example, answer }: Endpoint): Operation {
  return {
    operationId: id,
    tags: [TAG],
    summary,
    description,
    security: [{}, { client: [] }],
    requestBody: {
      required: true,
      content: { "application/x-www-form-urlencoded": { schema, examples: { form: { value: example } } } },
    },
    responses: {
      200: answer,
      400: failure("The request is wrong.", "invalid_request", "grant_type is missing."),
      401: failure("Client authentication failed.", "invalid_client", "Client authentication failed."),
      405: failure("The header Allow names the method.", "invalid_request", "Use POST here."),
      413: failure("The form is too large.", "invalid_request", "The body is larger than 65536 bytes."),
      429: tooManyRequests(),
      500: failure("Something failed on our side.", "server_error", "Something failed on our side."),
      503: json(
        DATABASE_AWAY,
        schemaRef("Rfc6749Error"),
        { error: "temporarily_unavailable", error_description: OUTAGES.away },
        ["Retry-After"],
      ),
    },
  };
}

function failure(description: string, error: string, error_description: string): Answer {
  return json(description, schemaRef("Rfc6749Error"), { error, error_description });
}

function tooManyRequests(): Answer {
  const description = "The client has sent too many requests; the header Retry-After says when to go on.";
  const answer = failure(description, "invalid_request", "This client sends more than 500 requests a second.");
  return { ...answer, headers: headersOf(["X-Request-Id", "Retry-After", "RateLimit", "RateLimit-Policy"]) };
}

function metadata(id: string, source: string): Operation {
  return operation({
    id,
    tag: TAG,
    summary: `What a client library needs to know (${source})`,
    answers: { 200: json("The provider's metadata.", schemaRef("ProviderMetadata")) },
  });
}

const TOKEN_RESPONSE: Schema = {
  type: "object",
  required: ["token_type", "expires_in", "access_token"],
  properties: {
    token_type: { type: "string", const: "Bearer" },
    expires_in: { type: "integer", format: "int32", description: "Lifetime of the access token in seconds." },
    access_token: { type: "string", description: "A JWT (RFC 9068)." },
    id_token: { type: "string", description: "Returned to a user's client with the scope openid." },
    refresh_token: { type: "string", description: "Not of the client credentials grant (RFC 6749 4.4.3)." },
    scope: { type: "string", description: "What was granted." },
  },
};

const ERROR: Schema = {
  type: "object",
  description: "RFC 6749 5.2.",
  required: ["error", "error_description"],
  properties: { error: { type: "string" }, error_description: { type: "string" } },
};

const TOKEN_REFERENCE: Schema = {
  type: "object",
  required: ["token"],
  properties: {
    token: { type: "string", description: "An access token or a refresh token." },
    token_type_hint: { type: "string", description: "Not needed." },
    client_id: { type: "string" },
    client_secret: { type: "string", format: "password" },
  },
};

/** RFC 7662 2.2. */
const INTROSPECTION: Schema = {
  type: "object",
  required: ["active"],
  properties: {
    active: { type: "boolean" },
    ...Object.fromEntries(
      ["token_type", "scope", "client_id", "sub", "iss", "jti", "tenant", "acr"].map((name) => [
        name,
        { type: "string" },
      ]),
    ),
    aud: { type: ["string", "array"], items: { type: "string" } },
    amr: { type: "array", items: { type: "string" } },
    ...Object.fromEntries(["iat", "exp", "auth_time"].map((name) => [name, { type: "integer", format: "int64" }])),
  },
};

const METADATA: Schema = {
  type: "object",
  required: ["issuer", "token_endpoint", "jwks_uri"],
  properties: {
    issuer: { type: "string", format: "uri" },
    token_endpoint: { type: "string", format: "uri" },
    jwks_uri: { type: "string", format: "uri" },
  },
  additionalProperties: true,
};
