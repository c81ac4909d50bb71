// The API of Gatehouse, typed by its OpenAPI document: openapi-fetch, with tokens that renew themselves.

import createFetchClient, { type Client } from "openapi-fetch";
import type { components, paths } from "./schema.ts";

export interface ClientOptions {
  /** PUBLIC_URL, such as https://id.example.com. */
  url: string;
  clientId: string;
  clientSecret: string;
  /** By default all that the client has. */
  scope?: string;
}

export type GatehouseClient = Client<paths>;
/** A record or a body by its name, such as `Schemas["Application"]`. */
export type Schemas = components["schemas"];

/** A token was refused. */
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

/** Every request waits for a new token; for so long. */
const MAX_WAIT_MS = 30_000;
/** A token is not used in its last seconds: a request with it would come too late. */
const SPARE_MS = 30_000;

/**
 * A client of the API, which gets its own tokens by client_credentials.
 * @example const { data, error } = await createClient(options).GET("/Application", { params: { query: { Limit: 10 } } });
 */
export function createClient({ url, ...credentials }: ClientOptions): GatehouseClient {
  const client = createFetchClient<paths>({ baseUrl: `${url}/Endpoint/rest/api/v1` });
  let token: Token | undefined;

  function newToken(): Token {
    const asked = Date.now();
    // Requests that come meanwhile wait for the same one.
    const next: Token = {
      goodUntil: Number.POSITIVE_INFINITY,
      value: fetchToken(url, credentials).then(({ value, seconds }) => {
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
      // It was revoked: the next request asks for another. One that came late may have had the token before it.
      const own = token;
      const isOwn = request.headers.get("authorization") === `Bearer ${await own.value.catch(() => "")}`;
      if (isOwn && token === own) token = undefined;
    },
  });
  return client;
}

async function fetchToken(url: string, { clientId, clientSecret, scope = "*" }: Omit<ClientOptions, "url">) {
  const form = { grant_type: "client_credentials", client_id: clientId, client_secret: clientSecret, scope };
  const response = await fetch(`${url}/oauth2/token`, {
    method: "POST",
    body: new URLSearchParams(form),
    signal: AbortSignal.timeout(MAX_WAIT_MS),
  });
  const body = (await response.json().catch(() => ({}))) as Record<string, string>;
  if (!response.ok) {
    throw new TokenRefused(
      response.status,
      body.error ?? "server_error",
      body.error_description ?? response.statusText,
    );
  }
  return { value: body.access_token!, seconds: Number(body.expires_in) };
}
