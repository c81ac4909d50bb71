// What is known of a request beside itself, from its arrival to its answer: its key, its sender's address, its trace; and
// the log's line that tells of it.

import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import type { Logger } from "pino";
import type { TenantId } from "../ids.ts";
import { requestUrl } from "./request.ts";

export interface RequestContext {
  /** When it came, in milliseconds of `performance.now()`; and since 1970. */
  readonly began: number;
  readonly cameOn: number;
  /** RequestKey: the caller's own X-Request-Id if it is sane, else a new one. */
  readonly key: string;
  /** Where it comes from: an IPv4 or IPv6 address without a zone. Undefined if that is not known. */
  address?: string;
  /** It came past the proxies: what only they may say counts for nothing. */
  isDirect?: boolean;
  /** W3C Trace Context, of the request's own span. */
  traceParent?: string;
  /** Who asks, once that is known. */
  client?: { tenantId: TenantId; clientId: string };
  /** The answer's headers, for what something deeper than the route has to say. */
  headers: Record<string, string | number>;
  /** Of an answer that the route did not give itself. */
  status?: number;
  /** Its body was read, and broke off. */
  isCutOff?: boolean;
}

const SANE_KEY = /^[A-Za-z0-9._:-]{1,100}$/;

/** Whether a text can be a request's key. */
export function isSaneKey(text: string): boolean {
  return SANE_KEY.test(text);
}

const contexts = new WeakMap<Request, RequestContext>();

/** The same for a request's whole life. */
export function contextOf(request: Request): RequestContext {
  let context = contexts.get(request);
  if (context === undefined) {
    const offered = request.headers.get("x-request-id");
    const key = offered !== null && isSaneKey(offered) ? offered : Bun.randomUUIDv7();
    context = { began: performance.now(), cameOn: Date.now(), key, headers: {} };
    contexts.set(request, context);
  }
  return context;
}

// Where a request comes from.

/** Stands for a network that is not known, in counts and in logs. */
export const UNKNOWN_ADDRESS = "unknown";

/** A network's customer has a whole /64 of IPv6 to choose from. */
const IPV6_PREFIX = 64;

/**
 * The proxies of ours before this process, each of which adds whom it saw to the end of X-Forwarded-For: how many there
 * are (true: one), or the networks they are in.
 */
export type TrustProxy = boolean | number | readonly Network[];
export type Network = [ipaddr.IPv4 | ipaddr.IPv6, number];

/**
 * An IPv4 or IPv6 address without a zone. Undefined if it is not known: a proxy's own address does not count.
 * @param peer the other end of the connection
 */
export function clientAddress(request: Request, peer: string | undefined, trust: TrustProxy): string | undefined {
  if (trust === false || isDirect(peer, trust)) return plainAddress(peer);
  const seen = (request.headers.get("x-forwarded-for") ?? "").split(",").map(forwardedAddress);
  if (typeof trust !== "object") return seen.at(-Number(trust));
  // The entries before the first that is no proxy's are the caller's own words.
  const first = seen.findLastIndex((address) => address === undefined || !isWithin(address, trust));
  return seen[Math.max(0, first)];
}

/** Whether a request that came from there has passed no proxy. */
export function isDirect(peer: string | undefined, trust: TrustProxy): boolean {
  const address = plainAddress(peer);
  return typeof trust === "object" && !(address !== undefined && isWithin(address, trust));
}

function isWithin(text: string, networks: readonly Network[]): boolean {
  const address = ipaddr.parse(text);
  return networks.some((network) => network[0].kind() === address.kind() && address.match(network));
}

/** One word for each party a request can come from: an IPv4 address, an IPv6 /64, or UNKNOWN_ADDRESS. */
export function clientNetwork(request: Request): string {
  const known = contextOf(request).address;
  if (known === undefined) return UNKNOWN_ADDRESS;
  const address = ipaddr.parse(known);
  if (address.kind() === "ipv4") return address.toString();
  const network = ipaddr.IPv6.networkAddressFromCIDR(`${address.toString()}/${IPV6_PREFIX}`);
  return `${network.toString()}/${IPV6_PREFIX}`;
}

/** `198.51.100.7`, `198.51.100.7:4711`, `2001:db8::7` or `[2001:db8::7]:4711`. */
const FORWARDED = /^(?:\[([\da-f:.]+)\]|([\d.]+)|([\da-f:.]+))$/i;
const PORT_BEHIND = /^(\[.*\]|[\d.]+):\d{1,5}$/;

/** An entry of X-Forwarded-For, if it is an address; a zone or `unknown` is none. */
function forwardedAddress(entry: string): string | undefined {
  const host = entry.trim().replace(PORT_BEHIND, "$1");
  const [, ...forms] = FORWARDED.exec(host) ?? [];
  return plainAddress(forms.find(Boolean));
}

/** IPv4 inside IPv6 is that IPv4 address. @returns undefined for what is no address */
export function plainAddress(text: string | undefined): string | undefined {
  // Not ipaddr.isValid: it takes 127.1 and 010.0.0.1, which others read otherwise.
  if (text === undefined || isIP(text) === 0) return undefined;
  return ipaddr.process(text.replace(/%.*$/, "")).toString();
}

// The trace a request belongs to: W3C Trace Context, https://www.w3.org/TR/trace-context/.

export interface TraceContext {
  /** 32 hexadecimal digits, the same for all of a trace. */
  traceId: string;
  /** 16 hexadecimal digits: of the span that all this comes from. */
  spanId: string;
  sampled: boolean;
}

/** Neither id is all zeros. A version after 00 may have more behind it. */
const TRACE_PARENT = /^(?!ff)[0-9a-f]{2}-((?!0{32})[0-9a-f]{32})-((?!0{16})[0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const LENGTH_OF_00 = 55;
const MAX_LENGTH = 200;

/** @returns undefined for what is no traceparent */
export function parseTraceParent(text: string | null | undefined): TraceContext | undefined {
  if (!text || text.length > MAX_LENGTH || (text.startsWith("00") && text.length !== LENGTH_OF_00)) return undefined;
  const [, traceId, spanId, flags] = TRACE_PARENT.exec(text) ?? [];
  return traceId && spanId ? { traceId, spanId, sampled: (Number.parseInt(flags!, 16) & 1) === 1 } : undefined;
}

export function formatTraceParent({ traceId, spanId, sampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${sampled ? "01" : "00"}`;
}

export function traceIdOf(traceParent: string): string {
  return traceParent.slice(3, 35);
}

// One line a request, and one observation. The line names the route and not the path, whose values may be personal.

export interface ObservedRequest extends Partial<NonNullable<RequestContext["client"]>> {
  method: string;
  /** As it is written in the code; undefined if none was met. */
  route: string | undefined;
  status: number | undefined;
  seconds: number;
}

/**
 * Writes the line: requestKey, traceId, method, route, status, durationMs, and tenantId and clientId where they are known.
 * @param route as it is written in the code, or undefined if no route was met
 * @param status of the route's own answer
 */
export type LogRequest = (request: Request, route: string | undefined, status: number | undefined) => void;

/** What machines ask all the time. */
export const PROBES = ["/healthz", "/readyz", "/metrics"];

export function isProbe(request: Request): boolean {
  return PROBES.includes(requestUrl(request).pathname);
}

/** @param observe told of every request, also of those whose line the log's level leaves out */
export function createRequestLog(
  log: Logger,
  observe: (request: Request, observed: ObservedRequest) => void,
): LogRequest {
  // Its fields are all named here: none can hold a secret, and looking for one costs as much as writing the line.
  const lines = log.child({}, { redact: [] });
  return (request, route, ownStatus) => {
    const { began, key, client, traceParent, isCutOff, status = ownStatus } = contextOf(request);
    const level = PROBES.includes(route ?? "") || isCutOff ? "debug" : "info";
    const { method } = request;
    const milliseconds = performance.now() - began;
    observe(request, { method, route, status, seconds: milliseconds / 1_000, ...client });
    if (!log.isLevelEnabled(level)) return;
    const line = {
      requestKey: key,
      traceId: traceParent && traceIdOf(traceParent),
      method,
      route,
      status,
      durationMs: Math.round(milliseconds * 10) / 10,
      ...client,
    };
    lines[level](line, "request");
  };
}
