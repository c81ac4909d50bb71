// The endpoints of both doors that take a form of OAuth's, the keys that tokens verify by, and the discovery documents.
// What they refuse is written by the code that refuses it.

import type { TSchema } from "@sinclair/typebox";
import {
  type ApiError,
  MethodNotAllowed,
  PayloadTooLarge,
  ServiceUnavailable,
  TooManyRequests,
  UnsupportedMediaType,
} from "../errors.ts";
import { FORM_BODY_LIMIT } from "../http/body.ts";
import { asApiError, OUTAGES } from "../http/error-record.ts";
import {
  type Door,
  INTROSPECTION,
  JSON_WEB_KEY_SET,
  PROVIDER_METADATA,
  RFC_ERROR,
  RFC_TOKEN_RESPONSE,
  SPEC_TOKEN_PATH,
  TOKEN_REFERENCE,
  TOKEN_REQUEST,
  TOKEN_RESPONSE,
  TokenError,
  tokenRefusal,
} from "../oauth/index.ts";
import { DATABASE_AWAY, ERROR_RECORD } from "./errors.ts";
import {
  type Answer,
  type Area,
  type Examples,
  formBody,
  headersOf,
  json,
  type Operation,
  operation,
  type Schema,
  schemaRef,
} from "./operation.ts";
import { documentedSchema } from "./routes.ts";

const SPEC_TAG = { name: "OAuth", description: "Access tokens, and the keys they verify by." };
const RFC_TAG = {
  name: "OAuth 2.0",
  description: "The endpoints that OAuth client libraries use, strictly by the RFCs.",
};
const CLIENT = { client_id: "7", client_secret: "<SECRET>" };
const TOKENS = { token_type: "Bearer", expires_in: 3600, access_token: "<ACCESS_TOKEN>" };

export function oauth(): Area {
  const named = new Map<string, Schema>([["TokenError", TOKEN_ERROR]]);
  const inDocument = (schema: TSchema) => documentedSchema(schema, named);
  const answer = (description: string, schema: TSchema, example?: unknown) =>
    json(description, inDocument(schema), example);
  const metadata = (id: string, source: string) =>
    operation({
      id,
      tag: RFC_TAG.name,
      summary: `What a client library needs to know (${source})`,
      answers: { 200: answer("The provider's metadata.", PROVIDER_METADATA) },
    });
  inDocument(RFC_ERROR);
  const tokenRequest = inDocument(TOKEN_REQUEST);
  const tokenReference = inDocument(TOKEN_REFERENCE);
  return {
    tags: [SPEC_TAG, RFC_TAG],
    paths: {
      [SPEC_TOKEN_PATH]: {
        post: formOperation({
          door: "spec",
          path: SPEC_TOKEN_PATH,
          id: "requestToken",
          summary: "Ask for an access token",
          description:
            "The client says who it is by client_id and client_secret in the form, or by the Basic header (RFC 6749 2.3.1), " +
            "never both. A field without a value counts as absent; none may stand in the form twice.",
          form: tokenRequest,
          examples: {
            clientCredentials: { grant_type: "client_credentials", ...CLIENT, scope: "*" },
            authorizationCode: { grant_type: "authorization_code", ...CLIENT, code: "<CODE>" },
            refreshToken: { grant_type: "refresh_token", ...CLIENT, refresh_token: "<REFRESH_TOKEN>" },
          },
          refused: OF_GRANTS,
          answer: answer("The tokens.", TOKEN_RESPONSE, { ...TOKENS, refresh_token: "<REFRESH_TOKEN>" }),
        }),
      },
      "/.well-known/jwks.json": {
        get: operation({
          id: "getJwks",
          tag: SPEC_TAG.name,
          summary: "The keys that tokens verify by",
          answers: { 200: answer("RFC 7517 5.", JSON_WEB_KEY_SET) },
        }),
      },
      "/oauth2/token": {
        post: formOperation({
          door: "rfc",
          path: "/oauth2/token",
          id: "token",
          summary: "Ask for an access token (RFC 6749 3.2)",
          form: tokenRequest,
          examples: { form: { grant_type: "client_credentials", ...CLIENT, scope: "AccessManager:Read" } },
          refused: OF_GRANTS,
          answer: answer("The tokens.", RFC_TOKEN_RESPONSE, { ...TOKENS, scope: "AccessManager:Read" }),
        }),
      },
      "/oauth2/revoke": {
        post: formOperation({
          door: "rfc",
          path: "/oauth2/revoke",
          id: "revoke",
          summary: "Revoke a token (RFC 7009)",
          description:
            "A refresh token ends its whole family, access tokens included; an access token ends alone. An unknown " +
            "token is as good as revoked.",
          form: tokenReference,
          examples: { form: { ...CLIENT, token: "<REFRESH_TOKEN>" } },
          refused: OF_TOKENS,
          answer: { description: "It is good no more." },
        }),
      },
      "/oauth2/introspect": {
        post: formOperation({
          door: "rfc",
          path: "/oauth2/introspect",
          id: "introspect",
          summary: "Ask what a token is good for (RFC 7662)",
          description: "For confidential clients. Of what is not their tenant's, only that it is not active.",
          form: tokenReference,
          examples: { form: { ...CLIENT, token: "<ACCESS_TOKEN>" } },
          refused: OF_TOKENS,
          answer: answer("The token's claims, or that it is not active.", INTROSPECTION, { active: false }),
        }),
      },
      "/.well-known/openid-configuration": { get: metadata("getOpenIdConfiguration", "OIDC Discovery 3") },
      "/.well-known/oauth-authorization-server": { get: metadata("getAuthorizationServer", "RFC 8414") },
    },
    schemas: Object.fromEntries(named),
  };
}

interface FormEndpoint {
  door: Door;
  path: string;
  id: string;
  summary: string;
  description?: string;
  form: Schema;
  examples: Record<string, Record<string, string>>;
  answer: Answer;
  refused: Refusal[];
}

function formOperation({ door, path, id, form, examples, answer, refused, ...told }: FormEndpoint): Operation {
  return {
    operationId: id,
    tags: [(door === "spec" ? SPEC_TAG : RFC_TAG).name],
    ...told,
    security: [{}, { client: [] }],
    requestBody: formBody(form, examples),
    responses: { 200: answer, ...refusals(door, path, [...refused, ...OF_ALL]) },
  };
}

interface Refusal {
  when: string;
  error: ApiError;
  headers?: string[];
}

const OF_GRANTS: Refusal[] = [
  { when: "The request is wrong.", error: new TokenError("invalid_request", "grant_type is missing.") },
  {
    when: "The client is not permitted to use the grant, or the code or refresh_token is another client's.",
    error: new TokenError("unauthorized_client", "The client is not permitted to use grant_type authorization_code."),
  },
];

const OF_TOKENS: Refusal[] = [
  { when: "The request is wrong.", error: new TokenError("invalid_request", "token is missing.") },
];

const OF_ALL: Refusal[] = [
  {
    when: "Client authentication failed.",
    error: new TokenError("invalid_client", "Client authentication failed: client_id or client_secret is wrong."),
  },
  { when: "The header Allow names the method.", error: new MethodNotAllowed(["POST"]), headers: ["Allow"] },
  { when: "The form is too large.", error: new PayloadTooLarge(FORM_BODY_LIMIT) },
  { when: "The body is no form.", error: new UnsupportedMediaType("application/x-www-form-urlencoded") },
  {
    when: "The client has sent too many requests; the header Retry-After says when to go on.",
    error: new TooManyRequests(500, 1),
    headers: ["Retry-After", "RateLimit", "RateLimit-Policy"],
  },
  { when: "Something failed on our side.", error: asApiError(undefined) },
  { when: DATABASE_AWAY, error: new ServiceUnavailable(OUTAGES.away), headers: ["Retry-After"] },
];

/** By status; one with several kinds has an example of each. */
function refusals(door: Door, path: string, all: Refusal[]): Record<string, Answer> {
  const request = new Request(`http://localhost${path}`);
  const told = all.map((refusal) => ({ ...refusal, ...tokenRefusal(refusal.error, request, door) }));
  const schema = schemaRef(door === "spec" ? "TokenError" : "Rfc6749Error");
  const byStatus = Map.groupBy(told, ({ status }) => status);
  const answers = [...byStatus].map(([status, group]): [number, Answer] => {
    const examples: Examples = Object.fromEntries(
      group.map(({ body }, index) => [`${String(body.error).replaceAll(" ", "")}${index || ""}`, { value: body }]),
    );
    return [
      status,
      {
        description: group.map(({ when }) => when).join(" Or: "),
        headers: headersOf(["X-Request-Id", ...group.flatMap(({ headers = [] }) => headers)]),
        content: { "application/json": { schema, examples } },
      },
    ];
  });
  return Object.fromEntries(answers);
}

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
