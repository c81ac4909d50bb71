// Secrets of a connection: its signing secret, its API key and its extra headers.

import { urlOf } from "../platform/address.ts";
import { BadInput } from "../platform/errors.ts";
import { printable } from "../platform/http/body.ts";
import type { SealedColumn, Vault } from "../platform/vault.ts";

const SECRET_PURPOSE = "webhook secret";
const API_KEY_PURPOSE = "webhook ApiKey";
const HEADERS_PURPOSE = "webhook headers";

export const SEALED: SealedColumn[] = [
  { table: "webhook_connections", column: "api_key", purpose: API_KEY_PURPOSE },
  { table: "webhook_connections", column: "headers", purpose: HEADERS_PURPOSE },
  ...["secret", "staged_secret", "former_secret"].map((column) => {
    return { table: "webhook_connections", column, purpose: SECRET_PURPOSE };
  }),
];

export type ConnectionSeals = ReturnType<typeof createConnectionSeals>;

export function createConnectionSeals(vault: Vault) {
  const headers = vault.sealFor(HEADERS_PURPOSE);
  return {
    secret: vault.sealFor(SECRET_PURPOSE),
    apiKey: vault.sealFor(API_KEY_PURPOSE),
    /** null if there are no headers. */
    headers: {
      seal: (all: ExtraHeaders) => (Object.keys(all).length === 0 ? null : headers.seal(JSON.stringify(all))),
      open: (sealed: Uint8Array | null): ExtraHeaders => (sealed === null ? {} : JSON.parse(headers.open(sealed))),
    },
  };
}

/** ApiKeys in a receiver's address (docs/webhooks.md "Headers and ApiKey"); an empty one counts as missing. */
export function ownApiKeys(url: string): string[] {
  // A fast path, because most addresses have no query and every post calls this.
  if (!url.includes("?")) return [];
  return [...new Set(urlOf(url).searchParams.getAll("ApiKey"))].filter(Boolean);
}

const HIDDEN = "…";
/** Shorter texts are hidden completely. */
const MIN_LENGTH_SHOWN = 12;

/** A secret's last characters, for telling secrets apart. */
export function endOf(secret: string): string {
  return HIDDEN + (secret.length < MIN_LENGTH_SHOWN ? "" : secret.slice(-4));
}

/** An address with hidden query values, because any of them may authenticate the sender. */
export function withHiddenQuery(url: string): string {
  const [, address, query] = /^([^?#]*)\?([^#]*)/.exec(url) ?? [];
  if (query === undefined) return url;
  const pairs = query.split("&").map((pair) => {
    const mark = pair.indexOf("=");
    const value = pair.slice(mark + 1);
    return pair.slice(0, mark + 1) + (value && encodeURIComponent(HIDDEN) + endOf(value).slice(HIDDEN.length));
  });
  return `${address}?${pairs.join("&")}`;
}

/** Whether an address or ApiKey contains the mark of hidden characters. */
export function isHidden(text: string): boolean {
  return text.includes(HIDDEN) || text.includes(encodeURIComponent(HIDDEN));
}

// Extra headers of a connection's calls, such as Authorization for a receiver's gateway.

export const MAX_HEADERS = 20;
/** The maximum number of characters of all names and values. Servers accept 8 KiB of headers, and ours need a part. */
export const HEADERS_LIMIT = 4_000;

/** Names in their given spelling. In input, null keeps the stored value. */
export type HeadersInput = Record<string, string | null>;
export type ExtraHeaders = Record<string, string>;

/** RFC 9110 5.6.2. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** RFC 9110 5.5, limited to ASCII: visible characters with spaces and tabs between them. */
const FIELD_VALUE = /^[\x21-\x7e]([\t\x20-\x7e]*[\x21-\x7e])?$/;
/** Headers that we set, and hop-by-hop headers (RFC 9110 7.6.1). */
const RESERVED =
  /^(host|user-agent|accept-encoding|x-signature|webhook-.*|content-.*|connection|keep-alive|te|trailer|transfer-encoding|upgrade|http2-settings|expect|proxy-.*|traceparent|tracestate|baggage)$/i;

/** @returns why they are rejected, without their values */
export function headersProblem(headers: Record<string, unknown>): string | undefined {
  const entries = Object.entries(headers);
  if (entries.length > MAX_HEADERS) return `Headers must be at most ${MAX_HEADERS}.`;
  for (const [name, text] of entries) {
    const problem = headerProblem(name, text);
    if (problem) return `Headers: ${printable(name) || "a name"} ${problem}`;
  }
  const names = entries.map(([name]) => name.toLowerCase());
  const repeated = names.find((name, index) => names.indexOf(name) < index);
  if (repeated) return `Headers: ${repeated} is repeated; names are case-insensitive.`;
  if (entries.reduce((sum, [name, text]) => sum + name.length + String(text ?? "").length, 0) > HEADERS_LIMIT) {
    return `Headers must have at most ${HEADERS_LIMIT} characters in all.`;
  }
  return undefined;
}

function headerProblem(name: string, value: unknown): string | undefined {
  if (!TOKEN.test(name)) return "must be a header name: letters, digits and -.";
  if (RESERVED.test(name)) return "cannot be set: it is set by Gatehouse or HTTP.";
  if (value === null || (typeof value === "string" && FIELD_VALUE.test(value))) return undefined;
  return "must have visible ASCII characters as its value, with spaces only between them, or null to keep it.";
}

/** Merges stored headers and input. @throws BadInput naming headers without a value to keep */
export function mergeHeaders(stored: ExtraHeaders, input: HeadersInput): ExtraHeaders {
  const known = new Map(Object.entries(stored).map(([name, value]) => [name.toLowerCase(), value]));
  const merged = Object.entries(input).map(([name, value]) => [name, value ?? known.get(name.toLowerCase())] as const);
  const empty = merged.filter(([, value]) => value === undefined).map(([name]) => name);
  if (empty.length > 0)
    throw new BadInput(`Headers: ${empty.join(", ")} is null, which keeps a stored value, but none is stored.`);
  return Object.fromEntries(merged) as ExtraHeaders;
}

/** Header names without values, which are as secret as Secret. */
export function hideValues(headers: ExtraHeaders): Record<string, null> {
  return Object.fromEntries(Object.keys(headers).map((name) => [name, null]));
}
