// The connection to Temporal, by the variables of its own programs. Their reader in the SDK checks no value.

import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import type { ConnectionOptions } from "@temporalio/client";
import { DAY_MS } from "../durations.ts";
import { parseAge, parseOrigin, type Read } from "./parsers.ts";

export interface TemporalConfig {
  /** True if TEMPORAL_ADDRESS names an external cluster. */
  outside: boolean;
  address: string;
  connection: Pick<ConnectionOptions, "address" | "channelArgs" | "metadata" | "tls"> & { apiKey?: string };
  namespace: string;
  /** The address of the Temporal UI, without a trailing slash. */
  uiUrl: string;
  /** Milliseconds for which the embedded server keeps closed workflows. */
  retention: number;
}

type Env = Record<string, string | undefined>;

const DEFAULT_PORT = 7233;
/** gRPC would use https_proxy and http_proxy, also to this machine. The worker's native client uses none. */
export const WITHOUT_PROXY = { "grpc.enable_http_proxy": 0 };
const METADATA = "TEMPORAL_GRPC_META_";

export function readTemporal(env: Env, problems: string[], read: Read): TemporalConfig {
  const outside = read<string | undefined>("TEMPORAL_ADDRESS", undefined, parseAddress);
  const address = outside ?? `localhost:${DEFAULT_PORT}`;
  const apiKey = read<string | undefined>("TEMPORAL_API_KEY", undefined, parseHeaderValue);
  return {
    outside: outside !== undefined,
    address,
    connection: {
      address,
      channelArgs: WITHOUT_PROXY,
      ...(apiKey !== undefined && { apiKey }),
      metadata: readMetadata(env, problems, read),
      tls: readTls(problems, read, apiKey !== undefined),
    },
    namespace: read("TEMPORAL_NAMESPACE", "default", parseHeaderValue),
    uiUrl: read("TEMPORAL_UI_URL", "http://localhost:8233", parseOrigin),
    retention: read("TEMPORAL_RETENTION", DAY_MS, (text) => parseAge(text, 1)),
  };
}

/** TLS is used if a variable of it or an API key is set, unless TEMPORAL_TLS is false. */
function readTls(problems: string[], read: Read, hasApiKey: boolean): ConnectionOptions["tls"] {
  const wanted = read<boolean | undefined>("TEMPORAL_TLS", undefined, parseSwitch);
  const authority = readPem("SERVER_CA_CERT", read, "certificates", (pem) => new X509Certificate(pem));
  const certificate = readPem("CLIENT_CERT", read, "a certificate", (pem) => new X509Certificate(pem));
  const key = readPem("CLIENT_KEY", read, "a private key without a passphrase", (pem) => createPrivateKey(pem));
  const serverName = read<string | undefined>("TEMPORAL_TLS_SERVER_NAME", undefined, parseHostName);
  problems.push(...pairProblems(certificate?.parsed, key?.parsed));
  if (wanted === false) return false;
  if (!wanted && !hasApiKey && !authority && !certificate && !serverName) return undefined;
  return {
    ...(serverName && { serverNameOverride: serverName }),
    ...(authority && { serverRootCACertificate: authority.pem }),
    ...(certificate && key && { clientCertPair: { crt: certificate.pem, key: key.pem } }),
  };
}

function pairProblems(certificate: X509Certificate | undefined, key: KeyObject | undefined): string[] {
  const [cert, own] = ["TEMPORAL_TLS_CLIENT_CERT_PATH", "TEMPORAL_TLS_CLIENT_KEY_PATH"];
  if (!certificate && !key) return [];
  if (!certificate) return [`${own} is set, which needs the key's certificate in ${cert}`];
  if (!key) return [`${cert} is set, which needs the certificate's private key in ${own}`];
  return certificate.checkPrivateKey(key) ? [] : [`${own} is not the private key of the certificate in ${cert}`];
}

interface Pem<T> {
  pem: Buffer;
  parsed: T;
}

/** From …_DATA, otherwise from the file that …_PATH names. */
function readPem<T>(name: string, read: Read, what: string, parse: (pem: Buffer) => T): Pem<T> | undefined {
  const accept = (pem: Buffer, from: string): Pem<T> => {
    try {
      return { pem, parsed: parse(pem) };
    } catch {
      throw new Error(`${from}${what} in PEM form`);
    }
  };
  const file = read<Pem<T> | undefined>(`TEMPORAL_TLS_${name}_PATH`, undefined, (path) =>
    accept(readOrRefuse(path, what), "a file of "),
  );
  return read(`TEMPORAL_TLS_${name}_DATA`, file, (text) => accept(Buffer.from(text), ""));
}

function readOrRefuse(path: string, what: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new Error(`a file of ${what} in PEM form (${(error as NodeJS.ErrnoException).code})`);
  }
}

function readMetadata(env: Env, problems: string[], read: Read): Record<string, string> {
  const names = Object.keys(env).filter((name) => name.startsWith(METADATA));
  const header = (name: string) => name.slice(METADATA.length).toLowerCase().replaceAll("_", "-");
  // Values of headers in -bin are not text.
  for (const name of names.filter((one) => !/^[\da-z-]+$/.test(header(one)) || header(one).endsWith("-bin"))) {
    problems.push(`${name} is set, which names no header; it must be such as ${METADATA}X_REGION, or be unset`);
  }
  return Object.fromEntries(names.map((name) => [header(name), read(name, "", parseHeaderValue)]));
}

function parseAddress(text: string): string {
  const [, host, port] = /^([\w.-]+|\[[\da-f:.]+\])(?::(\d{1,5}))?$/i.exec(text) ?? [];
  if (host === undefined || Number(port ?? DEFAULT_PORT) > 65_535 || Number(port) === 0) {
    throw new Error(`a host and a port without a scheme, such as temporal.internal:${DEFAULT_PORT}`);
  }
  return `${host}:${port ?? DEFAULT_PORT}`;
}

function parseHostName(text: string): string {
  if (!/^[\w-]+(\.[\w-]+)*$/.test(text)) throw new Error("a host name, such as temporal.internal");
  return text;
}

function parseHeaderValue(text: string): string {
  if (!/^[!-~](?:[ -~]*[!-~])?$/.test(text)) throw new Error("visible ASCII characters in one line");
  return text;
}

function parseSwitch(text: string): boolean {
  if (!/^(true|false|1|0)$/.test(text)) throw new Error("true or false");
  return text === "true" || text === "1";
}
