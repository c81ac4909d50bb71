// Parsers of environment variables. Each throws an Error that states the valid values.

import { resolve } from "node:path";
import { readUrl } from "../address.ts";
import { parseDatabaseUrl } from "../db/address.ts";
import { isNameServer, parseAllowList, parseDenyList, parseRange, readCertificates } from "../egress/index.ts";
import type { Network, TrustProxy } from "../http/context.ts";

/** Reads a variable. A value that cannot be parsed is reported, and the fallback is used. */
export type Read = <T>(name: string, fallback: T, parse: (text: string) => T) => T;

/** Milliseconds of `200ms`, `10s` or `5m`. @throws Error with a message that completes "it must be …" */
export function parseDuration(text: string): number {
  const match = /^(\d{1,9})(ms|s|m)$/.exec(text.trim());
  if (!match) throw new Error("a duration such as 200ms, 10s or 5m");
  const milliseconds = Number(match[1]) * { ms: 1, s: 1000, m: 60_000 }[match[2] as "ms" | "s" | "m"];
  if (milliseconds < 1 || milliseconds > 86_400_000) throw new Error("a duration between 1ms and 1440m");
  return milliseconds;
}

/** Milliseconds of a retention time such as `24h` or `30d`. @param minHours also the unit of the message */
export function parseAge(text: string, minHours: number): number {
  const [, count = "", unit] = /^(\d{1,5})(h|d)$/.exec(text.trim()) ?? [];
  const hours = Number(count) * (unit === "d" ? 24 : 1);
  const min = minHours % 24 === 0 ? `${minHours / 24}d` : `${minHours}h`;
  if (!unit || hours < minHours || hours > MAX_AGE_HOURS) {
    throw new Error(`a time such as 36h or 30d, at least ${min} and at most 36500d`);
  }
  return hours * 3_600_000;
}

const MAX_AGE_HOURS = 36_500 * 24;

/** Like a duration, but may be 0. */
export function parseDelay(text: string): number {
  return /^0(ms|s|m)?$/.test(text.trim()) ? 0 : parseDuration(text);
}

export function parseInteger(text: string, min: number, max: number, expected: string): number {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= min && value <= max)) throw new Error(expected);
  return value;
}

export function parseMetricsPort(text: string): number {
  return parseInteger(text, 1, 65_534, "a port from 1 to 65534");
}

export function parseWorkerPort(text: string): number {
  return parseInteger(text, 1, 65_535, "a port from 1 to 65535");
}

export function parseMetricsToken(text: string): string {
  if (!/^[!-~]{16,}$/.test(text)) throw new Error("16 or more visible ASCII characters (openssl rand -hex 32)");
  return text;
}

const TRACE_SAMPLERS = [
  "always_on",
  "always_off",
  "traceidratio",
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio",
] as const;
export type TraceSampler = (typeof TRACE_SAMPLERS)[number];

export function parseTraceSampler(text: string): TraceSampler {
  const sampler = TRACE_SAMPLERS.find((known) => known === text);
  if (!sampler) throw new Error(`one of ${TRACE_SAMPLERS.join(", ")}`);
  return sampler;
}

const TRACE_PROTOCOLS = ["http/json", "http/protobuf"] as const;
export type TraceProtocol = (typeof TRACE_PROTOCOLS)[number];

export function parseTraceProtocol(text: string): TraceProtocol {
  const protocol = TRACE_PROTOCOLS.find((known) => known === text);
  if (!protocol) throw new Error(`${TRACE_PROTOCOLS.join(" or ")}; grpc is not supported`);
  return protocol;
}

/** The standard also has exporters such as console and zipkin, and lists of them. */
export function parseTraceExporter(text: string): "otlp" | "none" {
  if (text !== "otlp" && text !== "none") throw new Error("otlp or none; no other exporter is supported");
  return text;
}

/** OpenTelemetry's booleans, in any case. */
export function parseOtelSwitch(text: string): boolean {
  const value = text.toLowerCase();
  if (value !== "true" && value !== "false") throw new Error("true or false");
  return value === "true";
}

/** Unlike the address for all signals, it is used as it is. */
export function parseTracesEndpoint(text: string): string {
  parseOrigin(text);
  return text;
}

export function parseRatio(text: string): number {
  const value = Number(text);
  if (!(value >= 0 && value <= 1)) throw new Error("a number from 0 to 1");
  return value;
}

export function parseRequests(text: string): number {
  return parseInteger(text, 1, 1_000_000, "a whole number of requests from 1 to 1000000");
}

export function parseBackoff(text: string): number {
  const value = Number(text);
  if (!(value >= 1 && value <= 100)) throw new Error("a number from 1 to 100");
  return value;
}

export function parseAllow(text: string): string[] {
  const entries = parseList(text);
  try {
    parseAllowList(entries);
  } catch {
    throw new Error("a comma list of host:port (localhost:8443, [::1]:8443) and ranges (10.0.0.0/8)");
  }
  return entries;
}

export function parseDeny(text: string): string[] {
  const entries = parseList(text);
  try {
    parseDenyList(entries);
  } catch {
    throw new Error("a comma list of ranges (10.0.0.0/8), addresses and host names (internal.example)");
  }
  return entries;
}

export function parseNameServers(text: string): string[] {
  const servers = parseList(text);
  if (servers.length === 0 || !servers.every(isNameServer)) {
    throw new Error("a comma list of addresses of name servers (192.0.2.53, 192.0.2.53:5353, [2001:db8::53]:53)");
  }
  return servers;
}

export function parseList(text: string): string[] {
  return text
    .split(",")
    .map((part) => part.trim())
    .filter(Boolean);
}

export function parseCertificatesFile(text: string): string {
  const file = resolve(text);
  try {
    readCertificates(file);
    return file;
  } catch (error) {
    throw new Error(`a file of certificates in PEM form (${(error as Error).message})`);
  }
}

export function parseProxy(text: string): string {
  // The scheme is often omitted.
  const url = readUrl(/^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `http://${text}`);
  if (url?.protocol !== "http:" || url.pathname !== "/" || url.search || url.hash) {
    throw new Error("an http address of a proxy, such as http://proxy.internal:3128");
  }
  try {
    decodeURIComponent(url.username + url.password);
  } catch {
    throw new Error("an http address whose user name and password are percent-encoded");
  }
  return url.href;
}

export function parseOrigin(text: string): string {
  const url = readUrl(text);
  if (!url || !["http:", "https:"].includes(url.protocol) || url.search || url.hash || url.username || url.password) {
    throw new Error("an http or https address without user name, query or fragment");
  }
  return url.href.replace(/\/+$/, "");
}

export function parseMtlsUrl(text: string): string {
  const url = readUrl(text) ? parseOrigin(text) : "";
  if (!url.startsWith("https://")) throw new Error("an https address without user name, query or fragment");
  return url;
}

/** RFC 9110 5.1. */
export function parseHeaderName(text: string): string {
  if (!/^[A-Za-z0-9-]{1,64}$/.test(text)) throw new Error("the name of a header, such as Client-Cert");
  return text.toLowerCase();
}

export function parsePostgresUrl(text: string): string {
  parseDatabaseUrl(text);
  return text;
}

/** With fewer, one tenant's transactions could take all. */
export function parsePool(text: string): number {
  return parseInteger(text, 4, 1_000, "a whole number of connections from 4 to 1000");
}

export function parseMasterKey(text: string): string {
  if (Buffer.from(text, "base64").length !== 32) {
    throw new Error("32 random bytes in base64 (openssl rand -base64 32)");
  }
  return text;
}

export function parseMasterKeys(text: string): string[] {
  try {
    return text.split(",").map((part) => parseMasterKey(part.trim()));
  } catch {
    throw new Error("a comma list of former MASTER_KEYs, each 32 bytes in base64");
  }
}

/** The maximum number of proxies in a row. More are probably a mistake. */
const MAX_PROXIES = 20;

/** true or false, the number of proxies, or their networks. */
export function parseTrustProxy(text: string): TrustProxy {
  if (text === "true" || text === "1") return true;
  if (text === "false" || text === "0") return false;
  const networks = parseList(text).map(parseRange);
  if (/^\d+$/.test(text) ? Number(text) <= MAX_PROXIES : networks.length > 0 && !networks.includes(undefined)) {
    return /^\d+$/.test(text) ? Number(text) : (networks as Network[]);
  }
  throw new Error(
    `true, false, the number of proxies in a row (2; at most ${MAX_PROXIES}), or a comma list of their addresses and networks (10.0.0.0/8, ::1)`,
  );
}
