// POST /oauth2/register (RFC 7591), and GET, PUT and DELETE /oauth2/clients/{client_id} (RFC 7592).

import { Elysia } from "elysia";
import { MethodNotAllowed, Unauthorized } from "../../../platform/errors.ts";
import { readJson } from "../../../platform/http/body.ts";
import { NO_STORE } from "../../../platform/http/conditions.ts";
import { openTo, preflight } from "../../../platform/http/cors.ts";
import { asApiError } from "../../../platform/http/error-record.ts";
import { type BearerEndpoint, type BearerOperation, RFC_TAG } from "../declared.ts";
import { CLIENT_PATH, REGISTRATION_PATH } from "../door.ts";
import { type OnFailure, tokenRefusal } from "../endpoint.ts";
import { CLIENT_INFORMATION, CLIENT_METADATA } from "./metadata.ts";
import type { Registration } from "./service.ts";

/** The maximum bytes of a client's metadata. */
const METADATA_LIMIT = 64 * 1024;

const METADATA_EXAMPLE = {
  redirect_uris: ["https://payroll.example.com/callback"],
  client_name: "Payroll",
  token_endpoint_auth_method: "none",
};
const INFORMATION_EXAMPLE = {
  client_id: "1007",
  client_id_issued_at: 1_770_000_000,
  registration_access_token: "<TOKEN>",
  registration_client_uri: `https://id.example.com${CLIENT_PATH}/1007`,
  ...METADATA_EXAMPLE,
};

const UNAUTHORIZED = {
  when: "The token is missing, invalid or expired.",
  error: "invalid_token",
  headers: ["WWW-Authenticate"],
};
const REFUSED_METADATA = {
  400: { when: "The metadata is invalid.", error: "invalid_client_metadata" },
  401: UNAUTHORIZED,
  413: { when: `The body has more than ${METADATA_LIMIT} bytes.`, error: "invalid_request" },
};
const information = (description: string) => ({
  description,
  schema: CLIENT_INFORMATION,
  example: INFORMATION_EXAMPLE,
});
const BODY = { schema: CLIENT_METADATA, example: METADATA_EXAMPLE };

const register = (id: string, params: Record<string, string>): BearerOperation => ({
  id,
  tag: RFC_TAG,
  security: [{}, { bearer: [] }],
  params,
  summary: "Register a client (RFC 7591)",
  description:
    "With an initial access token as the bearer, which determines the tenant, or without one if the tenant's " +
    "ClientRegistration is Open: the tenant in the path, or the only tenant.",
  body: BODY,
  status: 201,
  answer: information("The client."),
  refused: {
    ...REFUSED_METADATA,
    429: { when: "Too many clients were registered.", error: "invalid_request", headers: ["Retry-After"] },
  },
});

const MANAGED = { tag: RFC_TAG, security: [{ bearer: [] }], params: { client_id: "The client's token." } };

export const REGISTRATION: BearerEndpoint[] = [
  { kind: "bearer", path: REGISTRATION_PATH, operations: { post: register("registerClient", {}) } },
  {
    kind: "bearer",
    path: `${REGISTRATION_PATH}/{tenant}`,
    operations: { post: register("registerClientOfTenant", { tenant: "The tenant's Id." }) },
  },
  {
    kind: "bearer",
    path: `${CLIENT_PATH}/{client_id}`,
    operations: {
      get: {
        id: "readRegisteredClient",
        summary: "Read a registered client (RFC 7592 2.1)",
        ...MANAGED,
        answer: information("The client, without its secret."),
        refused: { 401: UNAUTHORIZED },
      },
      put: {
        id: "changeRegisteredClient",
        summary: "Change a registered client (RFC 7592 2.2)",
        description:
          "The body contains all metadata: absent members are reset to their default, except scope. The response has a new " +
          "registration access token; the previous one becomes invalid.",
        ...MANAGED,
        body: { ...BODY, example: { client_id: "1007", ...METADATA_EXAMPLE } },
        answer: information("The client after the change."),
        refused: {
          ...REFUSED_METADATA,
          429: {
            when: "The client has changed itself too often.",
            error: "invalid_request",
            headers: ["Retry-After"],
          },
        },
      },
      delete: {
        id: "deleteRegisteredClient",
        summary: "Delete a registered client (RFC 7592 2.3)",
        description: "Its tokens become invalid.",
        ...MANAGED,
        status: 204,
        answer: { description: "The client is deleted." },
        refused: {
          400: { when: "Another record references it.", error: "invalid_request" },
          401: UNAUTHORIZED,
          403: { when: "An administrator has changed it.", error: "access_denied" },
        },
      },
    },
  },
];

export function registrationController(registration: Registration, onFailure: OnFailure) {
  /** Open to all origins: registration needs no client, and the other requests carry a token. */
  async function answer(request: Request, methods: string[], work: () => Promise<Response>): Promise<Response> {
    if (request.method === "OPTIONS") return preflight(request, "*", methods);
    try {
      if (!methods.includes(request.method)) throw new MethodNotAllowed(methods);
      return openTo("*", await work());
    } catch (failure) {
      const response = refusal(failure, request);
      if (response.status >= 500) onFailure(failure, request);
      return openTo("*", response);
    }
  }

  const register = (request: Request, tenant?: string) =>
    answer(request, ["POST"], async () => {
      const token = bearerOf(request);
      const readBody = () => readJson(request, METADATA_LIMIT);
      return Response.json(await registration.register(request, tenant, token, readBody), {
        status: 201,
        headers: NO_STORE,
      });
    });

  async function manage(request: Request, clientId: string): Promise<Response> {
    const token = bearerOf(request);
    switch (request.method) {
      case "GET":
        return Response.json(await registration.read(clientId, token), { headers: NO_STORE });
      case "PUT": {
        const body = await readJson(request, METADATA_LIMIT);
        return Response.json(await registration.change(request, clientId, token, body), { headers: NO_STORE });
      }
      default:
        await registration.remove(request, clientId, token);
        return new Response(null, { status: 204, headers: NO_STORE });
    }
  }

  const raw = { parse: "none" } as const;
  return new Elysia()
    .all(REGISTRATION_PATH, ({ request }) => register(request), raw)
    .all(`${REGISTRATION_PATH}/:tenant`, ({ request, params: { tenant } }) => register(request, tenant), raw)
    .all(
      `${CLIENT_PATH}/:client_id`,
      ({ request, params: { client_id } }) =>
        answer(request, ["GET", "PUT", "DELETE"], () => manage(request, client_id)),
      raw,
    );
}

/** RFC 6750 2.1, the only method in RFC 7591 3 and RFC 7592 2. */
function bearerOf(request: Request): string | undefined {
  const header = request.headers.get("authorization");
  if (header === null) return undefined;
  const token = /^bearer +([A-Za-z0-9._~+/-]+=*)$/i.exec(header)?.[1];
  if (token === undefined) throw new Unauthorized("Send the token as Authorization: Bearer <TOKEN>.", "Bearer");
  return token;
}

function refusal(failure: unknown, request: Request): Response {
  const error = asApiError(failure);
  const headers = { ...error.headers, ...NO_STORE };
  if (error.status === 401) {
    return Response.json({ error: "invalid_token", error_description: error.message }, { status: 401, headers });
  }
  // RFC 7592 2.3.
  if (error.status === 403) {
    return Response.json({ error: "access_denied", error_description: error.message }, { status: 403, headers });
  }
  const { status, body } = tokenRefusal(error, request, "rfc");
  return Response.json(body, { status, headers });
}
