// The API as a client of the tenant calls it.

import { CannotStart } from "../errors.ts";
import { MAX_LIMIT } from "../http/query.ts";
import { API_PATH } from "../http/request.ts";

export type Json = Record<string, unknown>;

export interface Rest {
  clientId: string;
  get(path: string): Promise<Json>;
  /** @param max records, rounded up to a page; default: a page */
  list(kind: string, filters: Json, max?: number): Promise<Json[]>;
  /** @param isNew rejects the change of an existing record */
  save(path: string, body: Json, isNew: boolean): Promise<Json>;
  remove(path: string): Promise<void>;
}

export class Refused extends Error {
  constructor(
    readonly status: number,
    readonly errors: string[],
  ) {
    super(errors.join(" "));
  }
}

const VARIABLES = ["GATEHOUSE_URL", "GATEHOUSE_CLIENT_ID", "GATEHOUSE_CLIENT_SECRET"] as const;
const TIMEOUT_MS = 30_000;
/** Attempts of a request that the service asks to repeat later. */
const MAX_ATTEMPTS = 5;
/** A longer wait ends the run, such as that for the next day after MaxEventsPerDay. */
const MAX_WAIT_SECONDS = 60;

/** @throws CannotStart if a variable is missing, or the client gets no token */
export async function connectRest(env: NodeJS.ProcessEnv): Promise<Rest> {
  const [url = "", client_id = "", client_secret = ""] = VARIABLES.map((name) => env[name] ?? "");
  const missing = VARIABLES.filter((name) => !env[name]).join(", ");
  if (missing) throw new CannotStart(`${missing} must be set. \`bun run tenant create NAME\` prints the values.`);
  if (!URL.parse(url)?.protocol.startsWith("http")) throw new CannotStart("GATEHOUSE_URL must be an https address.");
  const base = url.replace(/\/+$/, "");
  const form = { grant_type: "client_credentials", scope: "*", client_id, client_secret };
  const newToken = () => request(`${base}/oauth2/token`, { method: "POST", body: new URLSearchParams(form) });
  let token = await newToken();
  const send = (method: string, path: string, more: RequestInit) => {
    const headers = { authorization: `Bearer ${token.access_token}`, "content-type": "application/json" };
    return request(base + API_PATH + path, { method, ...more, headers: { ...headers, ...(more.headers as object) } });
  };
  const call = (method: string, path: string, more: RequestInit = {}) =>
    send(method, path, more).catch(async (error) => {
      if (!(error instanceof Refused) || error.status !== 401) throw error;
      // It has expired meanwhile.
      token = await newToken();
      return send(method, path, more);
    });
  return {
    clientId: client_id,
    get: (path) => call("GET", path),
    async list(kind, filters, max = MAX_LIMIT) {
      const found: Json[] = [];
      const query = new URLSearchParams({ ...filters, Limit: String(Math.min(max, MAX_LIMIT)) } as never);
      for (let next: unknown; next !== null && found.length < max; ) {
        if (next) query.set("Cursor", String(next));
        const page = await call("GET", `/${kind}?${query}`);
        found.push(...(page.Items as Json[]));
        next = page.Next;
      }
      return found;
    },
    save: (path, body, isNew) =>
      call("PATCH", path, { body: JSON.stringify(body), ...(isNew && { headers: { "if-none-match": "*" } }) }),
    remove: async (path) => void (await call("DELETE", path)),
  };
}

async function request(url: string, options: RequestInit): Promise<Json> {
  for (let attempt = 1; ; attempt++) {
    const response = await fetch(url, { ...options, signal: AbortSignal.timeout(TIMEOUT_MS) }).catch((error) => {
      throw new CannotStart(`${new URL(url).origin} cannot be reached: ${(error as Error).message}`);
    });
    const body = (await response.json().catch(() => ({}))) as Json;
    if (response.ok) return body;
    const seconds = Number(response.headers.get("retry-after") ?? 1);
    if (attempt === MAX_ATTEMPTS || ![429, 503].includes(response.status) || !(seconds <= MAX_WAIT_SECONDS)) {
      const error = `${response.status} ${body.error_description ?? body.error ?? response.statusText}`;
      throw new Refused(response.status, (body.Errors as string[] | undefined) ?? [error]);
    }
    await Bun.sleep(1_000 * seconds);
  }
}
