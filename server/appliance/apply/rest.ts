// The API as a client of the tenant calls it.

import { readUrl, urlOf } from "../../platform/address.ts";
import { CannotStart } from "../../platform/errors.ts";
import { isObject } from "../../platform/http/body.ts";
import { MAX_LIMIT } from "../../platform/http/query.ts";
import { API_PATH, LOOPBACK } from "../../platform/http/request.ts";

export type Json = Record<string, unknown>;

export interface Rest {
  clientId: string;
  get(path: string): Promise<Json>;
  /** @param max records, rounded up to a page; default: a page */
  list(kind: string, filters: Json, max?: number): Promise<Json[]>;
  /** @param isNew rejects the change of an existing record */
  save(path: string, body: Json, isNew: boolean): Promise<Json>;
  /** An array. @returns an answer for each */
  saveAll(path: string, bodies: readonly Json[]): Promise<Json[]>;
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
/** The maximum number of attempts of a request that the service asks to repeat later. */
const MAX_ATTEMPTS = 5;
const CHECK_ADDRESS = "GATEHOUSE_URL must be the service's address, as in PUBLIC_URL.";
/** A longer wait ends the run, such as that for the next day after MaxEventsPerDay. */
const MAX_WAIT_SECONDS = 60;

/** @throws CannotStart if a variable is missing, or the client gets no token */
export async function connectRest(env: NodeJS.ProcessEnv): Promise<Rest> {
  const [url = "", client_id = "", client_secret = ""] = VARIABLES.map((name) => env[name] ?? "");
  const missing = VARIABLES.filter((name) => !env[name]).join(", ");
  if (missing) throw new CannotStart(`${missing} must be set. \`bun run tenant create NAME\` prints the values.`);
  const base = baseOf(url);
  const form = { grant_type: "client_credentials", scope: "*", client_id, client_secret };
  const newToken = async () => {
    const path = `${base}/oauth2/token`;
    const { access_token } = await request(path, { method: "POST", body: new URLSearchParams(form) });
    if (typeof access_token === "string") return access_token;
    throw new CannotStart(`POST ${path} answered without an access token. ${CHECK_ADDRESS}`);
  };
  let token = await newToken();
  const send = (method: string, path: string, more: RequestInit, isAnswer: IsAnswer) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const all = { ...headers, ...(more.headers as object) };
    return request(base + API_PATH + path, { method, ...more, headers: all }, isAnswer);
  };
  const call = (method: string, path: string, more: RequestInit = {}, isAnswer: IsAnswer = isObject) =>
    send(method, path, more, isAnswer).catch(async (error) => {
      if (!(error instanceof Refused) || error.status !== 401) throw error;
      // It has expired meanwhile.
      token = await newToken();
      return send(method, path, more, isAnswer);
    });
  return {
    clientId: client_id,
    get: (path) => call("GET", path),
    async list(kind, filters, max = MAX_LIMIT) {
      const found: Json[] = [];
      const query = new URLSearchParams({ ...filters, Limit: String(Math.min(max, MAX_LIMIT)) } as never);
      for (let next: unknown; next !== null && found.length < max; ) {
        if (next) query.set("Cursor", String(next));
        const { Items, Next } = await call("GET", `/${kind}?${query}`);
        const isList = Array.isArray(Items) && Items.every(isObject);
        if (!isList) throw new CannotStart(`The list of ${kind} has no Items. ${CHECK_ADDRESS}`);
        found.push(...Items);
        next = Next ?? null;
      }
      return found;
    },
    save: (path, body, isNew) =>
      call("PATCH", path, { body: JSON.stringify(body), ...(isNew && { headers: { "if-none-match": "*" } }) }),
    async saveAll(path, bodies) {
      const isAnswer = (value: unknown) =>
        Array.isArray(value) && value.length === bodies.length && value.every(isObject);
      return (await call("PATCH", path, { body: JSON.stringify(bodies) }, isAnswer)) as unknown as Json[];
    },
    remove: async (path) => void (await call("DELETE", path)),
  };
}

type IsAnswer = (body: unknown) => boolean;

/** A secret is sent there. @throws CannotStart */
function baseOf(text: string): string {
  const url = readUrl(text);
  const isSafe = url?.protocol === "https:" || (url?.protocol === "http:" && LOOPBACK.test(url.hostname));
  if (!isSafe || url.username || url.password || url.search || url.hash) {
    throw new CannotStart("GATEHOUSE_URL must be an https address, or on this machine an http address.");
  }
  return url.href.replace(/\/+$/, "");
}

/** @throws CannotStart if Gatehouse does not answer, Refused if it rejects the request */
async function request(url: string, options: RequestInit, isAnswer: IsAnswer = isObject): Promise<Json> {
  const { origin, pathname } = urlOf(url);
  const whose = `${options.method} ${origin}${pathname}`;
  for (let attempt = 1; ; attempt++) {
    const { response, text } = await answerTo(url, options).catch(({ message, name }: Error) => {
      const reason = name === "TimeoutError" ? `no answer within ${TIMEOUT_MS / 1_000} s` : message;
      throw new CannotStart(`${origin} cannot be reached: ${reason}`);
    });
    const { status, statusText, headers, ok } = response;
    if (status >= 300 && status < 400) throw new CannotStart(redirected(whose, status, headers.get("location"), url));
    const body = jsonOf(text);
    if (ok && isAnswer(body)) return body as Json;
    if (ok)
      throw new CannotStart(
        `${whose} answered ${status} without ${isAnswer === isObject ? "a JSON object" : "an answer for each record"}. ${CHECK_ADDRESS}`,
      );
    const seconds = Number(headers.get("retry-after") ?? 1);
    if (attempt === MAX_ATTEMPTS || ![429, 503].includes(status) || !(seconds <= MAX_WAIT_SECONDS)) {
      throw new Refused(status, errorsOf(body) ?? [`${whose} answered ${status} ${statusText}.`]);
    }
    await Bun.sleep(1_000 * seconds);
  }
}

/** A redirect would send the secret, or the token, to an address that is not configured. */
async function answerTo(url: string, options: RequestInit) {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  // Requests to this machine must not use a configured proxy, which would get the secret.
  const direct = LOOPBACK.test(urlOf(url).hostname) ? { proxy: false as const } : {};
  const response = await fetch(url, { ...options, ...direct, redirect: "manual", signal });
  return { response, text: await response.text() };
}

function redirected(whose: string, status: number, location: string | null, base: string): string {
  const to = location ? readUrl(location, base) : undefined;
  const where = to ? `to ${to.origin}${to.pathname}` : "to no address";
  return `${whose} answered ${status} and redirects ${where}, which was not followed. ${CHECK_ADDRESS}`;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function errorsOf(body: unknown): string[] | undefined {
  const { Errors, error, error_description } = isObject(body) ? body : {};
  const texts = Array.isArray(Errors) ? Errors : [error_description ?? error];
  return texts.length > 0 && texts.every((text) => typeof text === "string") ? texts : undefined;
}
