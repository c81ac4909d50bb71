// The token endpoint (docs/behaviour.md "Token request") and the keys that its tokens verify by.

import { FORM_BODY_LIMIT } from "../http/body.ts";
import { OUTAGES } from "../http/error-record.ts";
import { SPEC_TOKEN_PATH } from "../oauth/index.ts";
import { DATABASE_AWAY, ERROR_RECORD } from "./errors.ts";
import { headersOf, json, operation } from "./operation.ts";
import { type Answer, type Area, type Operation, type Schema, schemaRef } from "./types.ts";

const TAG = "OAuth";

export function oauth(): Area {
  return {
    tags: [{ name: TAG, description: "Access tokens, and the keys they verify by." }],
    paths: {
      [SPEC_TOKEN_PATH]: { post: token() },
      "/.well-known/jwks.json": {
        get: operation({
          id: "getJwks",
          tag: TAG,
          summary: "The keys that tokens verify by",
          answers: { 200: json("RFC 7517 5.", schemaRef("JsonWebKeySet")) },
        }),
      },
    },
    schemas: { TokenRequest: TOKEN_REQUEST, TokenResponse: TOKEN_RESPONSE, TokenError: TOKEN_ERROR, JsonWebKeySet },
  };
}

function token(): Operation {
  return {
    operationId: "requestToken",
    tags: [TAG],
    summary: "Ask for an access token",
    description:
      "The client says who it is by client_id and client_secret in the form, or by the Basic header (RFC 6749 2.3.1), " +
      "never both. A field without a value counts as absent; none may stand in the form twice.",
    security: [{}, { client: [] }],
    requestBody: {
      required: true,
      content: {
        "application/x-www-form-urlencoded": {
          schema: schemaRef("TokenRequest"),
          examples: {
            clientCredentials: {
              value: { grant_type: "client_credentials", client_id: "7", client_secret: "<SECRET>", scope: "*" },
            },
            authorizationCode: {
              value: { grant_type: "authorization_code", client_id: "7", client_secret: "<SECRET>", code: "<CODE>" },
            },
            refreshToken: {
              value: {
                grant_type: "refresh_token",
                client_id: "7",
                client_secret: "<SECRET>",
                refresh_token: "<REFRESH_TOKEN>",
              },
            },
          },
        },
      },
    },
    responses: {
      200: json("The tokens.", schemaRef("TokenResponse"), {
        token_type: "Bearer",
        expires_in: 3600,
        access_token: "<ACCESS_TOKEN>",
        refresh_token: "<REFRESH_TOKEN>",
      }),
      400: failure(
        "The request is wrong, or client authentication failed.",
        example(
          400,
          "Unauthorized",
          "Unauthorized",
          "Client authentication failed: client_id or client_secret is wrong.",
        ),
        example(400, "Bad Input", "Bad Request", "grant_type is missing."),
      ),
      403: failure(
        "The client is not permitted to use the grant, or the code or refresh_token is another client's.",
        example(403, "Permission", "Forbidden", "The client is not permitted to use grant_type authorization_code."),
      ),
      405: failure(
        "The header Allow names the method.",
        example(405, "Method Not Allowed", "Method Not Allowed", "Use POST here."),
      ),
      413: failure(
        "The form is too large.",
        example(413, "Payload Too Large", "Payload Too Large", `The body is larger than ${FORM_BODY_LIMIT} bytes.`),
      ),
      415: failure(
        "The body is no form.",
        example(
          415,
          "Unsupported Media Type",
          "Unsupported Media Type",
          "Send the body as Content-Type application/x-www-form-urlencoded.",
        ),
      ),
      429: {
        ...failure(
          "The client has sent too many requests; the header Retry-After says when to go on.",
          example(
            429,
            "Too Many Requests",
            "Too Many Requests",
            "This client sends more than 500 requests a second. Wait, and send fewer.",
          ),
        ),
        headers: headersOf(["X-Request-Id", "Retry-After", "RateLimit", "RateLimit-Policy"]),
      },
      500: failure(
        "Something failed on our side.",
        example(500, "Internal Server Error", "Internal Server Error", "Something failed on our side."),
      ),
      503: {
        ...failure(DATABASE_AWAY, example(503, "Service Unavailable", "Service Unavailable", OUTAGES.away)),
        headers: headersOf(["X-Request-Id", "Retry-After"]),
      },
    },
  };
}

function failure(description: string, ...examples: TokenErrorExample[]): Answer {
  const named = examples.map((value) => [value.error.replaceAll(" ", ""), { value }]);
  return {
    ...json(description, schemaRef("TokenError")),
    content: { "application/json": { schema: schemaRef("TokenError"), examples: Object.fromEntries(named) } },
  };
}

type TokenErrorExample = ReturnType<typeof example>;

function example(status: number, kind: string, title: string, text: string) {
  return {
    error: kind,
    error_description: text,
    Errors: [text],
    Type: `/Errors/${kind}`,
    Title: title,
    StatusCode: status,
    Instance: SPEC_TOKEN_PATH,
  };
}

const TOKEN_REQUEST: Schema = {
  type: "object",
  required: ["grant_type"],
  properties: {
    grant_type: { type: "string", enum: ["authorization_code", "client_credentials", "refresh_token"] },
    client_id: { type: "string", description: "The Application's Id." },
    client_secret: { type: "string", format: "password", description: "One of its secrets." },
    scope: {
      type: "string",
      default: "openid profile name",
      description:
        "Space-delimited; `*` gives all scopes. `AccessManager:Create, Update` stands for AccessManager:Create and " +
        "AccessManager:Update.",
    },
    code: { type: "string", description: "Of the authorization code grant." },
    redirect_uri: { type: "string", description: "Optional; if sent, as in the authorization request." },
    code_verifier: { type: "string", description: "PKCE (RFC 7636), if the authorization request had a challenge." },
    refresh_token: { type: "string", description: "Of the refresh grant." },
  },
};

/** docs/behaviour.md "Token response". */
const TOKEN_RESPONSE: Schema = {
  type: "object",
  required: ["token_type", "expires_in", "access_token"],
  properties: {
    token_type: { type: "string", const: "Bearer" },
    expires_in: { type: "integer", format: "int32", description: "Lifetime of the access token in seconds." },
    access_token: { type: "string", description: "A JWT (RFC 9068)." },
    id_token: {
      type: "string",
      description: "Returned in the authorization code grant when the openid scope was requested.",
    },
    refresh_token: { type: "string" },
  },
};

const { RequestKey: _, ...OF_ERROR_RECORD } = ERROR_RECORD.properties;

/** docs/behaviour.md "Token endpoint errors". */
const TOKEN_ERROR: Schema = {
  type: "object",
  description: "The error record, with the fields of RFC 6749 5.2; the header X-Request-Id has its RequestKey.",
  required: ["error", "error_description", ...Object.keys(OF_ERROR_RECORD)],
  properties: {
    error: { type: "string", description: "The last part of Type." },
    error_description: { type: "string", description: "Human-readable explanation." },
    ...OF_ERROR_RECORD,
  },
};

const JsonWebKeySet: Schema = {
  type: "object",
  required: ["keys"],
  properties: {
    keys: {
      type: "array",
      items: {
        type: "object",
        required: ["kty", "kid", "alg", "use"],
        properties: Object.fromEntries(
          ["kty", "kid", "alg", "use", "crv", "x", "y", "n", "e"].map((name) => [name, { type: "string" }]),
        ),
      },
    },
  },
};
