// CORS for the endpoints below and the entity API: pages at the origin of a client's redirect URI may read responses.
// Discovery, the JWKS and registration are open to all origins.

import type { Sql } from "../../platform/db/sql.ts";
import { contextOf } from "../../platform/http/context.ts";
import { openTo, preflight } from "../../platform/http/cors.ts";
import { API_PATH, requestUrl } from "../../platform/http/request.ts";
import { hasOrigin } from "./clients/credential-rules.ts";
import type { FindKnownClient } from "./clients/known-clients.ts";
import { isOriginOfClient } from "./clients/store.ts";
import {
  DEVICE_AUTHORIZATION_PATH,
  PUSHED_REQUEST_PATH,
  REVOCATION_PATH,
  RFC_TOKEN_PATH,
  SPEC_TOKEN_PATH,
  USERINFO_PATH,
} from "./door.ts";
import type { OnFailure } from "./endpoint.ts";

const API_METHODS = ["GET", "POST", "PATCH", "DELETE"];
/** Introspection is missing, because it requires a secret, and browsers cannot keep one. */
const METHODS = new Map<string, string[]>(
  Object.entries({
    [SPEC_TOKEN_PATH]: ["POST"],
    [RFC_TOKEN_PATH]: ["POST"],
    [REVOCATION_PATH]: ["POST"],
    [PUSHED_REQUEST_PATH]: ["POST"],
    [DEVICE_AUTHORIZATION_PATH]: ["POST"],
    [USERINFO_PATH]: ["GET", "POST"],
  }),
);

export type Cors = (request: Request, answer: Answer) => Response | Promise<Response>;
type Answer = (request: Request) => Response | Promise<Response>;

interface CorsDependencies {
  sql: Sql;
  findClient: FindKnownClient;
  onFailure: OnFailure;
}

export function createCors({ sql, findClient, onFailure }: CorsDependencies): Cors {
  /** Preflights and expired tokens name no client, so any client's origin is allowed then. */
  async function isAllowed(request: Request, origin: string): Promise<boolean> {
    const known = contextOf(request).client;
    try {
      if (!known) return await isOriginOfClient(sql, origin);
      const client = await findClient(known.clientId);
      return client !== undefined && hasOrigin(client, origin);
    } catch (error) {
      onFailure(error, request);
      return false;
    }
  }

  async function answerPreflight(request: Request, origin: string, methods: string[]): Promise<Response> {
    if (await isAllowed(request, origin)) return preflight(request, origin, methods);
    return new Response(null, { status: 204 });
  }

  return async (request, answer) => {
    const methods = methodsAt(requestUrl(request).pathname);
    if (!methods) return answer(request);
    const origin = request.headers.get("origin");
    if (origin === null) return varying(await answer(request));
    const isPreflight = request.method === "OPTIONS" && request.headers.has("access-control-request-method");
    if (isPreflight) return varying(await answerPreflight(request, origin, methods));
    const response = varying(await answer(request));
    return (await isAllowed(request, origin)) ? openTo(origin, response) : response;
  };
}

function methodsAt(path: string): string[] | undefined {
  return path.startsWith(`${API_PATH}/`) ? API_METHODS : METHODS.get(path);
}

/** Caches must not give one origin the response for another (Fetch, "CORS protocol and HTTP caches"). */
function varying(response: Response): Response {
  response.headers.append("vary", "Origin");
  return response;
}
