// Parsing of DATABASE_URL in libpq's syntax (PostgreSQL's manual, 32.1.2). Unsupported parameters are rejected, because
// ignoring one could weaken a connection's security.

import { getCACertificates } from "node:tls";
import type postgres from "postgres";
import { readCertificates } from "../egress/index.ts";

const SSL_MODES = ["disable", "prefer", "require", "verify-ca", "verify-full"] as const;
const PARAMETERS = ["sslmode", "sslrootcert", "options"];

export interface DatabaseAddress {
  /** Without the parameters in `ssl`. */
  url: string;
  ssl: postgres.Options<Record<string, never>>["ssl"];
  /** Set for an IPv6 address, because the driver does not parse its brackets. */
  place: { host?: string; port?: number };
}

/** @throws Error with a message that completes the sentence "it must be …" */
export function parseDatabaseUrl(text: string): DatabaseAddress {
  const [, authority] = /^postgres(?:ql)?:\/\/([^/?#]*)/.exec(text) ?? [];
  if (authority?.slice(authority.lastIndexOf("@") + 1).includes(",")) {
    throw new Error(
      "the address of one host. For several, use an address that leads to the primary, such as a proxy " +
        "or a DNS name that follows it",
    );
  }
  if (authority === undefined || !URL.canParse(text)) {
    throw new Error("an address such as postgres://user@host:5432/gatehouse");
  }
  const url = new URL(text);
  try {
    for (const part of [url.username, url.password, url.pathname]) decodeURIComponent(part);
  } catch {
    throw new Error("an address in which % begins two hexadecimal digits; write % itself as %25");
  }
  const unknown = [...url.searchParams.keys()].filter((name) => !PARAMETERS.includes(name));
  if (unknown.length > 0) {
    throw new Error(`without ${unknown.join(", ")}: the supported parameters are ${PARAMETERS.join(", ")}`);
  }
  const twice = PARAMETERS.filter((name) => url.searchParams.getAll(name).length > 1);
  if (twice.length > 0) throw new Error(`with ${twice.join(", ")} only once`);
  const ssl = sslOf(url);
  for (const name of ["sslmode", "sslrootcert"]) url.searchParams.delete(name);
  return { url: url.href, ssl, place: placeOf(url) };
}

function placeOf({ hostname, port }: URL): DatabaseAddress["place"] {
  if (!hostname.startsWith("[")) return {};
  // The driver accepts lists; its types do not.
  return { host: [hostname.slice(1, -1)], port: [Number(port || 5432)] } as object;
}

function sslOf({ hostname, searchParams }: URL): DatabaseAddress["ssl"] {
  const asked = searchParams.get("sslmode");
  const file = searchParams.get("sslrootcert");
  if (asked === null && file === null) return false;
  const mode = SSL_MODES.find((known) => known === (asked ?? "verify-full"));
  if (!mode) throw new Error(`with an sslmode that is one of ${SSL_MODES.join(", ")}`);
  if (mode === "disable" || mode === "prefer") {
    if (file === null) return mode === "prefer" ? "prefer" : false;
    throw new Error("without sslrootcert, or with an sslmode that checks certificates: verify-ca or verify-full");
  }
  if (mode === "require" && file === null) return "require";
  const ca = file === null || file === "system" ? getCACertificates("default") : readRoots(file);
  // As in libpq, "require" with a root certificate also verifies the chain.
  if (mode !== "verify-full") return { ca, checkServerIdentity: () => undefined };
  // The driver verifies only host names; `host` makes it verify addresses, too.
  return { ca, host: hostname.replace(/^\[(.*)\]$/, "$1") };
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
