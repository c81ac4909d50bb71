// Where users' browsers go, and what a client learns of a user who has signed in.

import type { TObject } from "@sinclair/typebox";
import { AUTHORIZATION_PATHS, AUTHORIZATION_REQUEST, LOGOUT_REQUEST, USER_INFO } from "../oauth/index.ts";
import { DATABASE_AWAY } from "./errors.ts";
import {
  type Answer,
  type Area,
  formBody,
  headersOf,
  json,
  type Operation,
  type Parameter,
  type PathItem,
  type Schema,
  schemaRef,
} from "./operation.ts";
import { documentedSchema } from "./routes.ts";

const TAG = "Sign-in";

export function signIn(): Area {
  const named = new Map<string, Schema>();
  for (const schema of [AUTHORIZATION_REQUEST, LOGOUT_REQUEST, USER_INFO]) documentedSchema(schema, named);
  return {
    tags: [{ name: TAG, description: "Users sign in and out by their browsers (OpenID Connect)." }],
    paths: {
      ...Object.fromEntries(Object.entries(AUTHORIZATION_PATHS).map(([path, door]) => [path, authorize(path, door)])),
      "/oauth2/userinfo": userinfo(),
      "/oauth2/logout": logout(),
    },
    schemas: Object.fromEntries(named),
  };
}

/** docs/behaviour.md "Authorization request", OIDC Core 3.1.2. */
function authorize(path: string, door: "spec" | "rfc"): PathItem {
  const description =
    door === "spec"
      ? "By default the answer stands in the query. With response_type `code id_token` it has code, state and nonce, " +
        "and never an id_token in a query."
      : "Strictly by the RFCs: the answer carries iss (RFC 9207), and with response_type `code id_token` stands in " +
        "the fragment by default.";
  const page = { summary: "Sign a user in and send the browser back with a code", description };
  const answers = {
    200: html("The next page: sign-in, consent, choice of account, or the form that sends a form_post answer."),
    302: sent("Back to redirect_uri with code and state, or with error, error_description and state."),
    303: sent("On to an address of ours."),
    400: html("The request is not even fit to be told to a client."),
    404: html("There is no such client, or redirect_uri is not registered to it; nothing is sent there."),
  };
  const id = path.replace(/\W+(\w)/g, (_, letter) => letter.toUpperCase());
  return {
    get: browserOperation({ id: `get${id}`, ...page, parameters: queryOf(AUTHORIZATION_REQUEST), answers }),
    post: browserOperation({ id: `post${id}`, ...page, form: "AuthorizationRequest", answers }),
  };
}

/** OIDC RP-Initiated Logout. */
function logout(): PathItem {
  const page = {
    summary: "End the user's session in this browser",
    description: "Tokens live on until they are revoked.",
  };
  const answers = {
    200: html("The user is asked, or told that it is done."),
    302: sent("To post_logout_redirect_uri, with state."),
    303: sent("On to an address of ours."),
    400: html("The request is wrong; nothing is sent anywhere."),
  };
  return {
    get: browserOperation({ id: "logout", ...page, parameters: queryOf(LOGOUT_REQUEST), answers }),
    post: browserOperation({ id: "postLogout", ...page, form: "LogoutRequest", answers }),
  };
}

interface BrowserOperation {
  id: string;
  summary: string;
  description: string;
  parameters?: Parameter[];
  /** The schema of its body. */
  form?: string;
  answers: Record<string, Answer>;
}

function browserOperation({ id, summary, description, parameters, form, answers }: BrowserOperation): Operation {
  return {
    operationId: id,
    tags: [TAG],
    summary,
    description,
    security: [],
    parameters,
    requestBody: form ? formBody(schemaRef(form)) : undefined,
    responses: {
      ...answers,
      405: html("The header Allow names the methods."),
      ...(form ? { 413: html("The form is too large."), 415: html("The body is no form.") } : {}),
      500: html("Something failed on our side."),
      503: html(DATABASE_AWAY, ["Retry-After"]),
    },
  };
}

/** OIDC Core 5.3, RFC 6750. */
function userinfo(): PathItem {
  const operation = (id: string): Operation => ({
    operationId: id,
    tags: [TAG],
    summary: "Read the claims of the user whom the access token is of",
    description: "The token has to be a user's, with the scope openid. POST also takes it as access_token in a form.",
    security: [{ oauth2: ["openid"] }, { bearer: [] }],
    responses: {
      200: json("The claims.", schemaRef("UserInfo"), { sub: "user-7", name: "Ana Silva" }),
      400: failure("The token is sent twice.", "invalid_request"),
      401: failure("There is no token, or it is expired or invalid.", "invalid_token", ["WWW-Authenticate"]),
      403: failure("The token is no user's, or lacks openid.", "insufficient_scope", ["WWW-Authenticate"]),
      405: failure("The header Allow names the methods.", "invalid_request", ["Allow"]),
      413: failure("The form is too large.", "invalid_request"),
      500: failure("Something failed on our side.", "server_error"),
      503: failure(DATABASE_AWAY, "temporarily_unavailable", ["Retry-After"]),
    },
  });
  return { get: operation("getUserInfo"), post: operation("postUserInfo") };
}

function failure(description: string, error: string, headers: string[] = []): Answer {
  return json(description, schemaRef("Rfc6749Error"), { error, error_description: description }, headers);
}

function html(description: string, headers: string[] = []): Answer {
  return {
    description,
    headers: headersOf(["X-Request-Id", ...headers]),
    content: { "text/html": { schema: { type: "string" } } },
  };
}

function sent(description: string): Answer {
  return { description, headers: headersOf(["X-Request-Id", "Location"]) };
}

function queryOf({ properties, required = [] }: TObject): Parameter[] {
  return Object.entries(properties).map(([name, given]) => {
    const { description, ...schema } = documentedSchema(given, new Map()) as Schema;
    // RFC 6749 3.1.
    const shared = { in: "query" as const, description: String(description), allowEmptyValue: true };
    return { name, ...shared, required: required.includes(name), schema };
  });
}
