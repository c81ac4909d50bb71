// The context of a request: its key, its sender's address, its trace, and its log line.

import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { LRUCache } from "lru-cache";
import type { Logger } from "pino";
import type { TenantId } from "../ids.ts";
import { requestUrl } from "./request.ts";

export interface RequestContext {
  /** Milliseconds of `performance.now()`, and since 1970. */
  readonly began: number;
  readonly cameOn: number;
  /** RequestKey: the caller's X-Request-Id if it is sane, otherwise a new one. */
  readonly key: string;
  /** The sender's IPv4 or IPv6 address without a zone; undefined if unknown. */
  address?: string;
  /** The request bypassed the proxies, so headers that only they may set are ignored. */
  isDirect?: boolean;
  /** W3C Trace Context of the request's own span. */
  traceParent?: string;
  /** The caller, once authenticated. */
  client?: { tenantId: TenantId; clientId: string };
  /** Response headers set by code below the route. */
  headers: Record<string, string | number>;
  /** Set if the route did not produce the response. */
  status?: number;
  /** The connection ended while the body was read. */
  isCutOff?: boolean;
}

/** A UUID or hexadecimal digits: keys are stored for long, so they must not carry a person's data. */
const SANE_KEY = /^[0-9a-f][0-9a-f-]{14,62}[0-9a-f]$/i;

export function isSaneKey(text: string): boolean {
  return SANE_KEY.test(text);
}

const contexts = new WeakMap<Request, RequestContext>();

/** The same object for a request's whole life. */
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

/** The placeholder of an unknown network in counts and logs. */
export const UNKNOWN_ADDRESS = "unknown";

/** A customer of a network usually has a whole IPv6 /64. */
const IPV6_PREFIX = 64;

/**
 * Our proxies in front of this process: their number (true: one), or their networks. Each appends its peer to
 * X-Forwarded-For.
 */
export type TrustProxy = boolean | number | readonly Network[];
export type Network = [ipaddr.IPv4 | ipaddr.IPv6, number];

/** An IPv4 or IPv6 address without a zone; undefined if unknown. A proxy's own address does not count. */
export function clientAddress(request: Request, peer: string | undefined, trust: TrustProxy): string | undefined {
  if (trust === false || isDirect(peer, trust)) return plainAddress(peer);
  const seen = (request.headers.get("x-forwarded-for") ?? "").split(",").map(forwardedAddress);
  if (typeof trust !== "object") return seen.at(-Number(trust));
  // Entries before the first non-proxy are set by the caller.
  const first = seen.findLastIndex((address) => address === undefined || !isWithin(address, trust));
  return seen[Math.max(0, first)];
}

export function isDirect(peer: string | undefined, trust: TrustProxy): boolean {
  const address = plainAddress(peer);
  return typeof trust === "object" && !(address !== undefined && isWithin(address, trust));
}

function isWithin(text: string, networks: readonly Network[]): boolean {
  const address = ipaddr.parse(text);
  return networks.some((network) => network[0].kind() === address.kind() && address.match(network));
}

/** Identifies the sender's network: an IPv4 address, an IPv6 /64, or UNKNOWN_ADDRESS. */
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

/** The address in an entry of X-Forwarded-For; undefined for a zone or `unknown`. */
function forwardedAddress(entry: string): string | undefined {
  const host = entry.trim().replace(PORT_BEHIND, "$1");
  const [, ...forms] = FORWARDED.exec(host) ?? [];
  return plainAddress(forms.find(Boolean));
}

/** The maximum number of addresses in memory. Most requests come from few. */
const ADDRESSES = 1_000;
const addresses = new LRUCache<string, string>({ max: ADDRESSES });

/** IPv4-mapped IPv6 becomes IPv4. @returns undefined if it is not an address */
export function plainAddress(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const known = addresses.get(text);
  // ipaddr.isValid accepts 127.1 and 010.0.0.1, which other parsers read differently.
  if (known !== undefined || isIP(text) === 0) return known;
  const plain = ipaddr.process(text.replace(/%.*$/, "")).toString();
  addresses.set(text, plain);
  return plain;
}

// W3C Trace Context, https://www.w3.org/TR/trace-context/.

export interface TraceContext {
  /** 32 hexadecimal digits, shared by the whole trace. */
  traceId: string;
  spanId: string;
  sampled: boolean;
}

/** An id must not be all zeros. Versions after 00 may have further fields. */
const TRACE_PARENT = /^(?!ff)[0-9a-f]{2}-((?!0{32})[0-9a-f]{32})-((?!0{16})[0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const LENGTH_OF_00 = 55;
const MAX_LENGTH = 200;

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

// One log line and one observation for each request. The line has the route instead of the path, which may contain
// personal data.

export interface ObservedRequest extends Partial<NonNullable<RequestContext["client"]>> {
  method: string;
  /** The route's pattern; undefined if none matched. */
  route: string | undefined;
  status: number | undefined;
  seconds: number;
}

/** Writes one line. @param route the pattern; undefined if none matched @param status of the route's own response */
export type LogRequest = (request: Request, route: string | undefined, status: number | undefined) => void;

/** The maximum number of characters of a method in a line, because callers may send any. */
const MAX_METHOD = 50;

export const PROBES = ["/healthz", "/readyz", "/metrics"];

export function isProbe(request: Request): boolean {
  return PROBES.includes(requestUrl(request).pathname);
}

/** @param observe called for every request, regardless of the log level */
export function createRequestLog(
  log: Logger,
  observe: (request: Request, observed: ObservedRequest) => void,
): LogRequest {
  // All fields are fixed, short, and none can contain a secret. Redaction and limits would double the cost.
  const lines = log.child({}, { redact: [], formatters: { log: (fields) => fields } });
  return (request, route, ownStatus) => {
    const { began, key, client, traceParent, isCutOff, status = ownStatus } = contextOf(request);
    const level = PROBES.includes(route ?? "") || isCutOff ? "debug" : "info";
    const method = request.method.slice(0, MAX_METHOD);
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
