// Signs and sends the post of an attempt, and turns the response into its result.

import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { urlOf } from "../../platform/address.ts";
import { type Egress, type EgressOutcome, requestTarget } from "../../platform/egress/index.ts";
import type { TenantId } from "../../platform/ids.ts";
import type { Vault } from "../../platform/vault.ts";
import { createConnectionSeals, type ExtraHeaders, ownApiKeys } from "../secrets.ts";
import { type Addressed, addressOf, createRequestOf } from "./attempt-request.ts";
import { type Posted, postedOf } from "./posted.ts";
import type { OpenDelivery } from "./start-attempt.store.ts";
import type { Attempt } from "./store.ts";

const GONE = 410;
/** A header of an answer (docs/webhooks.md "Retries"), as Svix reads it. */
const WISH = "webhook-delivery";
const ABORT = "abort-message";
const DISABLE = "disable";
const RETRY_AFTER_CEILING_MS = 3_600_000;
/** The maximum number of characters. A longer header is ignored. */
const MAX_RETRY_AFTER = 100;
/** Seconds. Some receivers send fractions or a unit. */
const SECONDS = /^\+?(\d+(?:\.\d*)?|\.\d+) *(?:s|secs?|seconds?)?$/i;
/** RFC 9110 5.6.7, and ISO 8601. */
const HTTP_DATE = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? .*\d\d:\d\d:\d\d/;
const ISO_DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;
const ZONE = / (GMT|UTC|[+-]\d{4})$/;
/** The minimum length of an extra header's value that is hidden when a response repeats it. */
const MIN_SECRET_LENGTH = 8;

export interface AttemptResult {
  attempt: Attempt;
  delivered: boolean;
  /** Why the receiver rejects all further deliveries; undefined: it does not. */
  gone: string | undefined;
  /** The receiver rejects this delivery, whatever the next attempt would be. */
  refused: boolean;
  /** Host, status and one word: safe for a Temporal failure. */
  reason: string;
  retryAfterMs: number | undefined;
}

/** The tenant had no capacity for the post, so it does not count as an attempt. */
export interface Unsent {
  unsent: string;
}

export type SentDelivery = Addressed &
  Pick<
    OpenDelivery,
    "payload" | "previous" | "sequences" | "form" | "signByKey" | "compression" | "name" | "timeoutMs" | "number"
  > & {
    /** Default: now. */
    signedOn?: Date;
  };

/** @param traceParent the attempt's span */
export type SendSigned = (
  tenantId: TenantId,
  delivery: SentDelivery,
  signal: AbortSignal,
  traceParent?: string,
) => Promise<AttemptResult | Unsent>;

/** Signs the claims of a call by a published key. */
export type SignCall = (claims: Record<string, unknown>) => Promise<string>;

export interface SendDependencies {
  egress: Egress;
  vault: Vault;
  /** The default timeout of an attempt in milliseconds. */
  timeout: number;
  signCall: SignCall;
}

export function createSendSigned({ egress, vault, timeout, signCall }: SendDependencies): SendSigned {
  const requestOf = createRequestOf(createConnectionSeals(vault));
  return async (tenantId, delivery, signal, traceParent) => {
    const startedOn = new Date();
    const posted = postedOf(delivery);
    const { url, extra, own } = requestOf(delivery, posted, delivery.signedOn ?? startedOn);
    const token = delivery.signByKey && (await signCall(claimsOf(tenantId, delivery, url, posted)).catch(() => null));
    if (token === null) return { unsent: "the signing key could not be read" };
    const isCompressed = delivery.compression === "Gzip";
    const coding = isCompressed && { "Content-Encoding": "gzip" };
    const outcome = await egress.post({
      tenantId,
      url,
      headers: {
        ...extra,
        ...own,
        ...coding,
        ...(token && bearer(token)),
        ...(traceParent && { traceparent: traceParent }),
      },
      body: isCompressed ? await compressed(posted.body) : posted.body,
      timeoutMs: delivery.timeoutMs ?? timeout,
      signal,
    });
    const { number, name } = delivery;
    return resultOf(outcome, { number, startedOn, url, name, secrets: secretsIn(url, extra) });
  };
}

/** docs/webhooks.md "Verify by our keys". */
function claimsOf(tenantId: TenantId, { eventId }: Pick<OpenDelivery, "eventId">, url: string, { body }: Posted) {
  const address = addressOf(url);
  const digest = new Bun.CryptoHasher("sha256").update(body).digest("base64url");
  return { sub: tenantId, aud: address, jti: eventId, htm: "POST", htu: address, body_sha256: digest };
}

/** Beside the event loop. */
const compressed = promisify(gzip);

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

interface Sent {
  number: number;
  startedOn: Date;
  url: string;
  /** Of the receiver, in the reason; default: its host. */
  name?: string;
  /** Values that the log must not repeat. */
  secrets: string[];
}

export function resultOf(
  outcome: EgressOutcome,
  { number, startedOn, url, name, secrets }: Sent,
): AttemptResult | Unsent {
  if (outcome.kind === "unsent") return { unsent: outcome.detail };
  const receiver = name || urlOf(url).hostname;
  const answered = outcome.kind === "response";
  return {
    attempt: toAttempt(number, startedOn, outcome, secrets),
    delivered: answered && outcome.status >= 200 && outcome.status < 300,
    ...(answered ? wishOf(outcome) : { gone: undefined, refused: false }),
    reason: answered ? `${receiver} answered ${outcome.status}` : `${receiver}: ${outcome.failure}`,
    retryAfterMs: answered ? retryAfter(outcome.headers.get("retry-after"), startedOn) : undefined,
  };
}

/** An answer of any status but 2xx may end the delivery, or stop the connection. */
function wishOf({ status, headers }: Extract<EgressOutcome, { kind: "response" }>) {
  const wish = headers.get(WISH)?.trim().toLowerCase();
  const gone = status === GONE ? "410 Gone" : wish === DISABLE ? `disabled by the receiver, with ${status}` : undefined;
  return { gone, refused: wish === ABORT };
}

/** Values of the request that a response may repeat and the log must not. */
function secretsIn(url: string, extra: ExtraHeaders): string[] {
  const apiKeys = [...ownApiKeys(url), ...writtenApiKeys(url)];
  // Includes parts, such as the token after Bearer. Shorter parts are not secrets and occur in many words.
  const values = Object.values(extra).flatMap((value) => [value, ...value.split(/\s+/)]);
  return [...apiKeys, ...values.filter((value) => value.length >= MIN_SECRET_LENGTH)];
}

/** Values of ApiKey as written in the address, which allows several encodings. */
function writtenApiKeys(url: string): string[] {
  const [, query = ""] = /\?(.*)/.exec(requestTarget(url)) ?? [];
  const parts = query.split("&").filter((part) => new URLSearchParams(`&${part}`).get("ApiKey"));
  return parts.map((part) => part.slice(part.indexOf("=") + 1));
}

function toAttempt(
  number: number,
  startedOn: Date,
  outcome: Exclude<EgressOutcome, { kind: "unsent" }>,
  secrets: string[],
): Attempt {
  const base = { number, startedOn, durationMs: Math.round(outcome.durationMs) };
  if (outcome.kind === "failure") {
    return { ...base, statusCode: null, failure: outcome.failure, responseHeaders: null, responseBody: outcome.detail };
  }
  const head = [...outcome.headers]
    .filter(([name]) => name !== "set-cookie")
    .map(([name, value]) => `${name}: ${value}`);
  return {
    ...base,
    statusCode: outcome.status,
    failure: null,
    responseHeaders: hide(secrets, head.join("\n")).slice(0, 4096),
    responseBody: hide(secrets, outcome.body),
  };
}

/** Receivers may return our URL, usually in Location, or echo our headers. */
function hide(secrets: string[], text: string): string {
  const written = secrets.flatMap((secret) => {
    const inQuery = new URLSearchParams({ "": secret }).toString().slice(1);
    return [secret, encodeURIComponent(secret), inQuery];
  });
  return written.reduce((shown, secret) => shown.replaceAll(secret, "…"), text);
}

/** RFC 9110 10.2.3: seconds or a date. Undefined for anything else, and for a time that has passed. */
function retryAfter(header: string | null, now: Date): number | undefined {
  if (header === null || header.length > MAX_RETRY_AFTER) return undefined;
  const text = header.trim();
  const [, seconds] = SECONDS.exec(text) ?? [];
  const wait = seconds === undefined ? dateOf(text) - now.getTime() : Math.ceil(Number(seconds) * 1_000);
  if (Number.isNaN(wait) || wait < 0) return undefined;
  return Math.min(wait, RETRY_AFTER_CEILING_MS);
}

/** Date.parse alone accepts almost any text with a number. The oldest form of HTTP's dates has no zone. */
function dateOf(text: string): number {
  if (ISO_DATE.test(text)) return Date.parse(text);
  return HTTP_DATE.test(text) ? Date.parse(ZONE.test(text) ? text : `${text} GMT`) : Number.NaN;
}
