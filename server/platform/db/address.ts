// Parsing of DATABASE_URL as libpq does (PostgreSQL's manual, 34.1.1): an address, or keywords with values. Unsupported
// parameters are rejected, because ignoring one could weaken a connection's security.

import { readFileSync } from "node:fs";
import { getCACertificates } from "node:tls";
import type postgres from "postgres";
import { readCertificates } from "../egress/index.ts";

const SSL_MODES = ["disable", "prefer", "require", "verify-ca", "verify-full"] as const;
const PLACE = ["host", "port", "user", "password", "dbname"];
const OF_TLS = ["sslmode", "sslrootcert", "sslcert", "sslkey", "channel_binding"];
const PARAMETERS = [...OF_TLS, "options"];
/** Printed by consoles of hosted databases. Only these values are accepted, because they change nothing here. */
const WITHOUT_EFFECT = new Map([
  ["application_name", /^/],
  ["connect_timeout", /^\d+$/],
  ["gssencmode", /^(disable|prefer)$/],
  ["sslnegotiation", /^postgres$/],
  ["sslsni", /^1$/],
  ["target_session_attrs", /^(any|read-write|primary)$/],
]);

export type DriverOptions = postgres.Options<Record<string, never>>;

export interface DatabaseAddress {
  /** For the driver. */
  options: Pick<DriverOptions, "username" | "password" | "database" | "path" | "ssl" | "connection">;
  /** The host with its port, or the socket's folder, and the database: for messages. */
  place: string;
}

/** @throws Error with a message that completes the sentence "it must be …" */
export function parseDatabaseUrl(text: string): DatabaseAddress {
  const isAddress = /^postgres(ql)?:/.test(text);
  const given = isAddress ? readAddress(text) : readKeywords(text);
  // As in libpq, which ignores every other value.
  if (given.get("ssl") === "true" && !given.has("sslmode")) {
    given.delete("ssl");
    given.set("sslmode", "require");
  }
  const unknown = [...given.keys()].filter((name) => !isKnown(name, given.get(name)!));
  if (unknown.length > 0) {
    // An unquoted password with a space makes keywords of its parts.
    const named = isAddress ? unknown.join(", ") : "others";
    throw new Error(`without ${named}: the supported parameters are ${PARAMETERS.join(", ")}`);
  }
  const { host = "localhost", port = "5432", user, password, dbname = user, options } = Object.fromEntries(given);
  if (host.includes(",")) {
    throw new Error(
      "the address of one host. For several, use an address that leads to the primary, such as a proxy " +
        "or a DNS name that follows it",
    );
  }
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) throw new Error(`with a port from 0 to 65535, ${FORMS}`);
  const isSocket = host.startsWith("/");
  // The driver accepts lists, which keep an IPv6 address whole; its types do not.
  const at = isSocket ? { path: `${host}/.s.PGSQL.${port}` } : { host: [host], port: [Number(port)] };
  return {
    options: {
      ...at,
      ...(user !== undefined && { username: user }),
      ...(password !== undefined && { password }),
      ...(dbname !== undefined && { database: dbname }),
      ...(options !== undefined && { connection: { options } as DriverOptions["connection"] }),
      // As in libpq, sockets are not encrypted.
      ssl: isSocket ? false : sslOf(host, given),
    },
    place: `${isSocket ? host : host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`}/${dbname ?? ""}`,
  };
}

const FORMS = "such as postgres://user@host:5432/gatehouse or host=… user=… dbname=…";

const isKnown = (name: string, value: string) =>
  PLACE.includes(name) || PARAMETERS.includes(name) || WITHOUT_EFFECT.get(name)?.test(value) === true;

/** Parameters may replace parts of the address, such as the host by a socket's folder. */
function readAddress(text: string): Map<string, string> {
  const [, userInfo, hosts, path, query = ""] =
    /^postgres(?:ql)?:\/\/(?:([^/?#@]*)@)?([^/?#@]*)(?:\/([^?#@]*))?(?:\?([^#@]*))?$/.exec(text) ?? [];
  if (hosts === undefined) {
    if (!text.includes("@")) throw new Error(`an address ${FORMS}`);
    throw new Error("an address in which /, ?, #, @ and % of the password are written as %2F, %3F, %23, %40 and %25");
  }
  const [, host = hosts, port] = /^(\[[^\]]*\]|[^:,]*)(?::([^:,]*))?$/.exec(hosts) ?? [];
  const [user, ...password] = userInfo?.split(":") ?? [];
  const parts = {
    host: host.replace(/^\[(.*)\]$/, "$1"),
    port,
    user,
    password: password.length > 0 ? password.join(":") : undefined,
    dbname: path,
  };
  const given = new Map<string, string>();
  for (const [name, value] of Object.entries(parts)) if (value) given.set(name, decoded(value));
  const seen = new Set<string>();
  for (const part of query.split("&").filter(Boolean)) {
    const [name = "", ...value] = part.split("=").map(decoded);
    if (seen.has(name)) throw new Error(`with ${name} only once`);
    given.set(name, value.join("="));
    seen.add(name);
  }
  return given;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error("an address in which % begins two hexadecimal digits; write % itself as %25");
  }
}

/** `host=localhost user='a b'`; a backslash quotes the next character. */
function readKeywords(text: string): Map<string, string> {
  const given = new Map<string, string>();
  const pair = /\s*(\w+)\s*=\s*(?:'((?:[^'\\]|\\.)*)'|((?:[^\s'\\]|\\.)*))(?=\s|$)/sy;
  while (text.slice(pair.lastIndex).trim() !== "") {
    const [, name, quoted, plain] = pair.exec(text) ?? [];
    if (name === undefined) throw new Error(`an address ${FORMS}`);
    if (given.has(name)) throw new Error(`with ${name} only once`);
    given.set(name, (quoted ?? plain ?? "").replace(/\\(.)/gs, "$1"));
  }
  if (given.size === 0) throw new Error(`an address ${FORMS}`);
  return given;
}

function sslOf(host: string, given: ReadonlyMap<string, string>): DriverOptions["ssl"] {
  const file = given.get("sslrootcert");
  const binding = given.get("channel_binding") ?? "prefer";
  if (!["disable", "prefer", "require"].includes(binding)) {
    throw new Error("with a channel_binding that is one of disable, prefer, require");
  }
  const asked = given.get("sslmode") ?? (file === undefined ? "prefer" : "verify-full");
  const known = SSL_MODES.find((mode) => mode === asked);
  if (!known) throw new Error(`with an sslmode that is one of ${SSL_MODES.join(", ")}`);
  if (binding === "require" && (known === "disable" || known === "prefer")) {
    throw new Error("without channel_binding=require, or with an sslmode that encrypts: require or verify-full");
  }
  // The driver has no channel binding, which protects from others in the server's place; so does its certificate.
  const mode = binding === "require" ? "verify-full" : known;
  const own = clientCertificate(given);
  if (mode === "disable" || mode === "prefer") {
    if (file !== undefined) {
      throw new Error("without sslrootcert, or with an sslmode that checks certificates: verify-ca or verify-full");
    }
    if (own) throw new Error("without sslcert, or with an sslmode that encrypts: require, verify-ca or verify-full");
    return mode === "prefer" && "prefer";
  }
  if (mode === "require" && file === undefined) return own ? { ...own, rejectUnauthorized: false } : "require";
  const ca = file === undefined || file === "system" ? getCACertificates("default") : readRoots(file);
  // As in libpq, "require" with a root certificate also verifies the chain.
  if (mode !== "verify-full") return { ...own, ca, checkServerIdentity: () => undefined };
  // The driver verifies only host names; `host` makes it verify addresses, too.
  return { ...own, ca, host };
}

function clientCertificate(given: ReadonlyMap<string, string>): { cert: string; key: string } | undefined {
  const [cert, key] = [given.get("sslcert"), given.get("sslkey")];
  if (cert === undefined && key === undefined) return undefined;
  if (!cert || !key) throw new Error("with sslcert and sslkey, or with neither");
  return { cert: readPem("sslcert", cert), key: readPem("sslkey", key) };
}

function readPem(name: string, file: string): string {
  try {
    const text = readFileSync(file, "utf8");
    if (text.includes("-----BEGIN ")) return text;
  } catch {}
  throw new Error(`with an ${name} that is a file in PEM form`);
}

function readRoots(file: string): string[] {
  try {
    return readCertificates(file);
  } catch (error) {
    throw new Error(
      `with an sslrootcert that is "system" or a file of certificates in PEM form (${(error as Error).message})`,
    );
  }
}
