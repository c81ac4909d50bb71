// Common parts of the token, revocation and introspection endpoints, with errors in the format of their door.

import type { TObject } from "@sinclair/typebox";
import { Elysia } from "elysia";
import {
  type ApiError,
  MethodNotAllowed,
  PayloadTooLarge,
  ServiceUnavailable,
  TooManyRequests,
  UnsupportedContentCoding,
  UnsupportedMediaType,
} from "../../platform/errors.ts";
import { FORM_BODY_LIMIT, formFields, readFormText } from "../../platform/http/body.ts";
import { NO_STORE } from "../../platform/http/conditions.ts";
import { asApiError, DATABASE_AWAY, errorRecord, OUTAGES } from "../../platform/http/error-record.ts";
import { requestUrl } from "../../platform/http/request.ts";
import type { AuthenticateClient } from "./clients/client-authentication.ts";
import type { Client } from "./clients/store.ts";
import type { FormEndpoint, Refusal, Sent } from "./declared.ts";
import {
  DEVICE_AUTHORIZATION_PATH,
  type Door,
  INTROSPECTION_PATH,
  PUSHED_REQUEST_PATH,
  REGISTRATION_PATH,
  REVOCATION_PATH,
  RFC_TOKEN_PATH,
  SPEC_TOKEN_PATH,
  USERINFO_PATH,
} from "./door.ts";
import { TokenError } from "./errors.ts";

/** Called with errors that the caller did not cause. */
export type OnFailure = (error: unknown, request: Request) => void;

/** An authenticated request with all required fields. */
export interface ClientRequest<Form extends TObject> {
  request: Request;
  client: Client;
  form: Sent<Form>;
  text: string;
}

/** @param answer returns the response body, undefined for an empty one, or a whole Response that is not JSON */
export function formEndpoint<Form extends TObject>(
  { path, door, form: { properties, required = [] }, status, repeatable }: FormEndpoint<Form>,
  { authenticateClient, onFailure }: { authenticateClient: AuthenticateClient; onFailure: OnFailure },
  answer: (asked: ClientRequest<Form>) => Promise<object | Response | undefined>,
) {
  async function respond(request: Request): Promise<Response> {
    try {
      if (request.method !== "POST") throw new MethodNotAllowed(["POST"]);
      const sent: Record<string, string> = {};
      const text = await readFormText(request);
      for (const [name, value] of formFields(text, repeatable)) {
        if (value !== "" && Object.hasOwn(properties, name)) sent[name] = value;
      }
      const client = await authenticateClient(request, sent);
      for (const name of required) requireField(sent, name);
      const body = await answer({ request, client, form: sent as Sent<Form>, text });
      if (body instanceof Response) return body;
      const headers = NO_STORE;
      return body ? Response.json(body, { status, headers }) : new Response(null, { headers });
    } catch (failure) {
      const response = tokenErrorResponse(failure, request, door);
      if (response.status >= 500) onFailure(failure, request);
      return response;
    }
  }
  return new Elysia().all(path, ({ request }) => respond(request), { parse: "none" });
}

export function requireField(form: Readonly<Record<string, string | undefined>>, name: string): string {
  const value = form[name];
  if (value === undefined) throw new TokenError("invalid_request", `${name} is missing.`);
  return value;
}

function tokenErrorResponse(failure: unknown, request: Request, door: Door): Response {
  const error = asApiError(failure);
  const { status, body } = tokenRefusal(error, request, door);
  const headers: Record<string, string> = { ...error.headers, ...NO_STORE };
  if (body.error === "invalid_client" && request.headers.has("authorization")) {
    headers["www-authenticate"] = 'Basic realm="Gatehouse", charset="UTF-8"';
  }
  return Response.json(body, { status, headers });
}

export const REFUSED_BY_ALL: Refusal[] = [
  {
    when: "Client authentication failed.",
    error: new TokenError("invalid_client", "Client authentication failed: client_id or client_secret is wrong."),
  },
  { when: "The header Allow names the method.", error: new MethodNotAllowed(["POST"]), headers: ["Allow"] },
  { when: "The form is too large.", error: new PayloadTooLarge(FORM_BODY_LIMIT) },
  { when: "The body is not a form.", error: new UnsupportedMediaType("application/x-www-form-urlencoded") },
  {
    when: "The client has sent too many requests; the header Retry-After says when to retry.",
    error: TooManyRequests.ofClient(500, 1),
    headers: ["Retry-After", "RateLimit", "RateLimit-Policy"],
  },
  { when: "Internal error.", error: asApiError(undefined) },
  { when: DATABASE_AWAY, error: new ServiceUnavailable(OUTAGES.away), headers: ["Retry-After"] },
];

const DOORS = new Map<string, Door>(
  Object.entries({
    [SPEC_TOKEN_PATH]: "spec",
    [RFC_TOKEN_PATH]: "rfc",
    [PUSHED_REQUEST_PATH]: "rfc",
    [REGISTRATION_PATH]: "rfc",
    [DEVICE_AUTHORIZATION_PATH]: "rfc",
    [REVOCATION_PATH]: "rfc",
    [INTROSPECTION_PATH]: "rfc",
    [USERINFO_PATH]: "rfc",
  }),
);

/** Formats an error that no endpoint has handled. @returns undefined if the path is not an OAuth endpoint */
export function endpointRefusal(failure: unknown, request: Request): Response | undefined {
  const door = DOORS.get(requestUrl(request).pathname);
  return door && tokenErrorResponse(failure, request, door);
}

export interface TokenRefusal {
  status: number;
  body: { error: string; error_description: string };
}

export function tokenRefusal(error: ApiError, request: Request, door: Door): TokenRefusal {
  if (door === "spec") {
    // docs/behaviour.md "Token endpoint errors": `error` repeats a part of Type; the key is in X-Request-Id.
    const { RequestKey: _, ...record } = errorRecord(error, request);
    return { status: error.status, body: { error: error.kind, error_description: error.message, ...record } };
  }
  // RFC 6749 5.2.
  const code = error instanceof TokenError ? error.code : rfcCode(error.status);
  return { status: rfcStatus(error, code), body: { error: code, error_description: describable(error.message) } };
}

/** RFC 6749 defines codes for server errors only at the authorization endpoint (4.1.2.1); they are used here, too. */
export function rfcCode(status: number): string {
  if (status === 500) return "server_error";
  return status === 503 ? "temporarily_unavailable" : "invalid_request";
}

function rfcStatus(error: ApiError, code: string): number {
  if (code === "invalid_client") return 401;
  if (error instanceof UnsupportedContentCoding) return error.status;
  // HTTP errors keep their status: wrong method, body too large, too many requests.
  return [405, 413, 429, 500, 503].includes(error.status) ? error.status : 400;
}

/** RFC 6749 5.2 excludes quotes, backslashes and non-ASCII characters. */
function describable(text: string): string {
  return text.replaceAll('"', "'").replace(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, "?");
}
