// The typed client of the Gatehouse API: openapi-fetch with types from the OpenAPI document and automatic token
// renewal.

import createFetchClient, { type Client } from "openapi-fetch";
import type { components, paths } from "./schema.ts";

export interface ClientOptions {
  /** PUBLIC_URL, such as https://id.example.com. Plain http only on this machine. */
  url: string;
  clientId: string;
  clientSecret: string;
  /** Default: all scopes of the client. */
  scope?: string;
}

export type GatehouseClient = Client<paths>;
/** A record or body by name, such as `Schemas["Application"]`. */
export type Schemas = components["schemas"];

/** The token endpoint rejected the request. */
export class TokenRefused extends Error {
  override name = "TokenRefused";

  constructor(
    readonly status: number,
    /** RFC 6749 5.2. */
    readonly code: string,
    description: string,
  ) {
    super(`${code}: ${description}`);
  }
}

interface Token {
  value: Promise<string>;
  /** Milliseconds since 1970. */
  goodUntil: number;
}

/** The maximum time for a token request; all API requests wait for it. */
const MAX_WAIT_MS = 30_000;
/** A token is renewed this long before it expires, so no request carries an expired one. */
const SPARE_MS = 30_000;

/**
 * An API client that gets its own tokens by client_credentials.
 * @example const { data, error } = await createClient(options).GET("/Application", { params: { query: { Limit: 10 } }
 * });
 */
export function createClient({ url, ...credentials }: ClientOptions): GatehouseClient {
  requireSafe(url);
  const send = fetchOf(url);
  // A redirect could lead a secret or a token elsewhere.
  const client = createFetchClient<paths>({
    baseUrl: `${url}/Endpoint/rest/api/v1`,
    redirect: "manual",
    fetch: (request) => send(request),
  });
  let token: Token | undefined;

  function newToken(): Token {
    const asked = Date.now();
    // Concurrent requests wait for the same token.
    const next: Token = {
      goodUntil: Number.POSITIVE_INFINITY,
      value: fetchToken(send, url, credentials).then(({ value, seconds }) => {
        next.goodUntil = asked + seconds * 1_000 - SPARE_MS;
        return value;
      }),
    };
    next.value.catch(() => {
      if (token === next) token = undefined;
    });
    return next;
  }

  client.use({
    async onRequest({ request }) {
      if (!token || Date.now() >= token.goodUntil) token = newToken();
      request.headers.set("authorization", `Bearer ${await token.value}`);
    },
    async onResponse({ request, response }) {
      if (response.status !== 401 || !token) return;
      // A revoked token is dropped, so the next request gets a new one. A late response may belong to an earlier token.
      const own = token;
      const isOwn = request.headers.get("authorization") === `Bearer ${await own.value.catch(() => "")}`;
      if (isOwn && token === own) token = undefined;
    },
  });
  return client;
}

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** @throws TypeError */
function requireSafe(text: string): void {
  const { protocol, hostname } = new URL(text);
  const isHere = protocol === "http:" && LOOPBACK.test(hostname);
  if (protocol !== "https:" && !isHere) throw new TypeError("url must be https, or on this machine http.");
}

type Fetch = (input: Request | string, init?: RequestInit) => Promise<Response>;

/** Bun would send requests to this machine to HTTP_PROXY. Other runtimes ignore the field. */
function fetchOf(url: string): Fetch {
  const direct = LOOPBACK.test(new URL(url).hostname) ? ({ proxy: false } as RequestInit) : {};
  return (input, init) => fetch(input, { ...init, ...direct });
}

async function fetchToken(
  send: Fetch,
  url: string,
  { clientId, clientSecret, scope = "*" }: Omit<ClientOptions, "url">,
) {
  const form = { grant_type: "client_credentials", client_id: clientId, client_secret: clientSecret, scope };
  const response = await send(`${url}/oauth2/token`, {
    method: "POST",
    body: new URLSearchParams(form),
    redirect: "manual",
    signal: AbortSignal.timeout(MAX_WAIT_MS),
  });
  // Other servers answer with any JSON, or none.
  const body = ((await response.json().catch(() => null)) ?? {}) as Partial<Record<string, string>>;
  if (!response.ok || !body.access_token) {
    throw new TokenRefused(
      response.status,
      body.error ?? "server_error",
      body.error_description ?? response.statusText,
    );
  }
  return { value: body.access_token, seconds: Number(body.expires_in) };
}
