// The one place that reads the environment. Every problem is collected and reported together.

import { dirname, resolve } from "node:path";
import { type ClientConnectConfig, loadClientConnectConfig } from "@temporalio/envconfig";
import { misspeltNames } from "./config-names.ts";
import {
  parseAllow,
  parseBackoff,
  parseCertificatesFile,
  parseDelay,
  parseDeny,
  parseDuration,
  parseHeaderName,
  parseInteger,
  parseList,
  parseMasterKey,
  parseMasterKeys,
  parseMetricsPort,
  parseMetricsToken,
  parseMtlsUrl,
  parseNameServers,
  parseOrigin,
  parsePostgresUrl,
  parseProxy,
  parseRatio,
  parseRequests,
  parseTraceSampler,
  parseTrustProxy,
  parseWorkerPort,
  type TraceSampler,
} from "./config-values.ts";
import type { EgressConfig } from "./egress/index.ts";
import type { TrustProxy } from "./http/context.ts";
import type { WorkerProbesConfig } from "./http/health.ts";
import type { RateLimit } from "./http/rate-limit.ts";

export interface Config {
  /** TCP port of the API. */
  port: number;
  /** True if PORT was given by name: then a port in use is an error, not a reason to take the next one. */
  portAsked: boolean;
  host: string;
  /** The issuer, and the base of every address. No trailing slash. */
  publicUrl: string;
  /** Undefined means: the embedded PostgreSQL that `start` brings up. */
  databaseUrl: string | undefined;
  dataDir: string;
  /** Base64 of 32 bytes; encrypts secrets at rest. Undefined means: `start` keeps one in the data directory. */
  masterKey: string | undefined;
  /** Those it has replaced, which only open what they have sealed. */
  masterKeyPrevious: string[];
  temporal: TemporalConfig;
  webhooks: WebhookConfig;
  egress: EgressConfig;
  metrics: MetricsConfig;
  /** Where a worker answers /healthz and /readyz. */
  workerProbes: WorkerProbesConfig;
  shutdown: ShutdownConfig;
  tracing: TracingConfig;
  /** The proxies of ours that requests come through. */
  trustProxy: TrustProxy;
  /** Where a proxy of ours asks clients for certificates, and the header it passes them in; undefined: nowhere. */
  mtls: { url: string; header: string } | undefined;
  logLevel: LogLevel;
  logFormat: LogFormat;
  /** Seconds an access token lives. */
  tokenLifetime: number;
  /** For each client, in each process. */
  rateLimit: RateLimit;
}

export interface TemporalConfig {
  /** True if TEMPORAL_ADDRESS names a cluster that is not ours to start. */
  outside: boolean;
  connect: ClientConnectConfig;
  address: string;
  namespace: string;
  /** Where people open a workflow, without a trailing slash. */
  uiUrl: string;
}

export interface WebhookConfig {
  /** Milliseconds before the second attempt. */
  retryInitialInterval: number;
  /** Each later wait is this many times the one before. */
  retryBackoff: number;
  /** Milliseconds one attempt may take, its answer's body included. */
  timeout: number;
  /** Milliseconds between looks for deliveries that lost their workflow. */
  reconcileInterval: number;
  /** Milliseconds that a connection's former secret signs beside the new one, unless its rotation says otherwise. */
  secretOverlap: number;
  /** Exhausted deliveries in a row after which a connection is Held. */
  holdAfter: number;
  /** Milliseconds before a Held connection is probed for the first time; each later wait is twice as long. */
  probeInterval: number;
}

export interface MetricsConfig {
  /** Undefined: no port of its own. */
  port: number | undefined;
  host: string;
  /** What must be shown, and what opens /metrics on the API's own port. */
  token: string | undefined;
}

/** Of an API. */
export interface ShutdownConfig {
  /** Milliseconds that /readyz says 503 before the port is closed. */
  delay: number;
  /** Milliseconds that requests under way get. */
  grace: number;
}

export interface TracingConfig {
  /** Where an OTLP collector listens, without a trailing slash. Undefined: no span leaves the process. */
  endpoint: string | undefined;
  sampler: TraceSampler;
  /** Of the traces that a `traceidratio` sampler keeps, from 0 to 1. */
  ratio: number;
}

/** A wrong value of these may hold a password or a key, so it is not repeated. */
const SECRET_VARIABLES = [
  "MASTER_KEY",
  "MASTER_KEY_PREVIOUS",
  "METRICS_TOKEN",
  "DATABASE_URL",
  "PUBLIC_URL",
  "MTLS_URL",
  "TEMPORAL_UI_URL",
  "OTEL_EXPORTER_OTLP_ENDPOINT",
  "HTTPS_PROXY",
  "https_proxy",
];
const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];
/** What is said besides the log; "auto": text on a terminal, elsewhere lines of the log. */
const LOG_FORMATS = ["auto", "json", "text"] as const;
type LogFormat = (typeof LOG_FORMATS)[number];

/** Thrown with every problem of the environment, one a line. */
export class ConfigError extends Error {
  constructor(readonly problems: string[]) {
    super(`The configuration is not usable:\n${problems.map((problem) => `  - ${problem}`).join("\n")}`);
    this.name = "ConfigError";
  }
}

/**
 * Reads the configuration from environment variables (docs/configuration.md "Variables").
 * @param found problems that an entry has found by itself, to be told with the others
 * @throws ConfigError naming every variable that is wrong and what would be right.
 */
export function readConfig(given: Record<string, string | undefined>, found: string[] = []): Config {
  const problems = [...found];
  const asked = new Set<string>();
  const env = new Proxy(given, {
    get(target, name: string) {
      asked.add(name);
      return target[name];
    },
  });
  const read = <T>(name: string, fallback: T, parse: (text: string) => T): T => {
    const text = env[name];
    if (text === undefined || text === "") return fallback;
    try {
      return parse(text);
    } catch (error) {
      const shown = SECRET_VARIABLES.includes(name) ? "…" : text;
      problems.push(`${name} is "${shown}"; it must be ${(error as Error).message}`);
      return fallback;
    }
  };

  const port = read("PORT", 3000, (text) => parseInteger(text, 0, 65535, "a port from 0 to 65535"));
  const trustProxy = read<TrustProxy>("TRUST_PROXY", false, parseTrustProxy);
  const config: Config = {
    port,
    portAsked: Boolean(env.PORT),
    host: hostOf(env.HOST),
    publicUrl: read("PUBLIC_URL", `http://localhost:${port}`, parseOrigin),
    databaseUrl: read<string | undefined>("DATABASE_URL", undefined, parsePostgresUrl),
    dataDir: resolve(env.DATA_DIR || ".gatehouse"),
    masterKey: read<string | undefined>("MASTER_KEY", undefined, parseMasterKey),
    masterKeyPrevious: read("MASTER_KEY_PREVIOUS", [], parseMasterKeys),
    temporal: readTemporal(given, problems, read),
    webhooks: {
      retryInitialInterval: read("WEBHOOK_RETRY_INITIAL_INTERVAL", 10_000, parseDuration),
      retryBackoff: read("WEBHOOK_RETRY_BACKOFF", 6, parseBackoff),
      timeout: read("WEBHOOK_TIMEOUT", 10_000, parseDuration),
      reconcileInterval: read("WEBHOOK_RECONCILE_INTERVAL", 30_000, parseDuration),
      secretOverlap: read("WEBHOOK_SECRET_OVERLAP", 86_400_000, parseDuration),
      holdAfter: read("WEBHOOK_HOLD_AFTER", 10, (text) =>
        parseInteger(text, 1, 10_000, "a whole number of deliveries from 1 to 10000"),
      ),
      probeInterval: read("WEBHOOK_PROBE_INTERVAL", 60_000, parseDuration),
    },
    egress: {
      allow: read("EGRESS_ALLOW", [], parseAllow),
      allowStrangers: read("EGRESS_ALLOW_STRANGERS", [], parseAllow),
      deny: read("EGRESS_DENY", [], parseDeny),
      dns: read("EGRESS_DNS", [], parseNameServers),
      caFile: read<string | undefined>("EGRESS_CA_FILE", undefined, parseCertificatesFile),
      proxy: readProxy(read),
    },
    metrics: {
      port: read<number | undefined>("METRICS_PORT", undefined, parseMetricsPort),
      host: hostOf(env.METRICS_HOST),
      token: read<string | undefined>("METRICS_TOKEN", undefined, parseMetricsToken),
    },
    workerProbes: {
      port: read<number | undefined>("WORKER_PORT", undefined, parseWorkerPort),
      host: hostOf(env.WORKER_HOST),
    },
    shutdown: {
      delay: read("SHUTDOWN_DELAY", 0, parseDelay),
      grace: read("SHUTDOWN_GRACE", 10_000, parseDuration),
    },
    tracing: {
      endpoint: read<string | undefined>("OTEL_EXPORTER_OTLP_ENDPOINT", undefined, parseOrigin),
      sampler: read<TraceSampler>("OTEL_TRACES_SAMPLER", "parentbased_always_on", parseTraceSampler),
      ratio: read("OTEL_TRACES_SAMPLER_ARG", 1, parseRatio),
    },
    trustProxy,
    mtls: readMtls(trustProxy, problems, read),
    logLevel: read<LogLevel>("LOG_LEVEL", "info", parseLogLevel),
    logFormat: read<LogFormat>("LOG_FORMAT", "auto", parseLogFormat),
    tokenLifetime: read("TOKEN_LIFETIME", 3600, (text) =>
      parseInteger(text, 60, 86_400, "whole seconds from 60 to 86400"),
    ),
    rateLimit: {
      perSecond: read("RATE_LIMIT", 500, parseRequests),
      burst: read("RATE_LIMIT_BURST", 1_000, parseRequests),
    },
  };
  problems.push(...misspeltNames(given, asked));
  if (problems.length > 0) throw new ConfigError(problems);
  return config;
}

/** An IPv6 address may have its brackets. */
function hostOf(text: string | undefined): string {
  return (text || "127.0.0.1").replace(/^\[(.*)\]$/, "$1");
}

/** Tries whether the API could listen at HOST; for the entries that have an API. */
export function hostProblems(env: Record<string, string | undefined>): string[] {
  const host = hostOf(env.HOST);
  try {
    Bun.serve({ hostname: host, port: 0, fetch: () => new Response() }).stop(true);
    return [];
  } catch {
    return [`HOST is "${host}"; it must be an address of this machine, or a name that stands for one`];
  }
}

function readMtls(
  trustProxy: TrustProxy,
  problems: string[],
  read: <T>(name: string, fallback: T, parse: (text: string) => T) => T,
): Config["mtls"] {
  const url = read<string | undefined>("MTLS_URL", undefined, parseMtlsUrl);
  const header = read("CLIENT_CERT_HEADER", "client-cert", parseHeaderName);
  if (url !== undefined && !trustProxy)
    problems.push("MTLS_URL is set, which needs TRUST_PROXY: a proxy shows us certificates");
  return url === undefined ? undefined : { url, header };
}

/** In capitals or not, as tools have them. */
function readProxy(read: <T>(name: string, fallback: T, parse: (text: string) => T) => T): EgressConfig["proxy"] {
  const url = read("https_proxy", read<string | undefined>("HTTPS_PROXY", undefined, parseProxy), parseProxy);
  const except = read("no_proxy", read("NO_PROXY", [], parseList), parseList);
  return url === undefined ? undefined : { url, except };
}

function readTemporal(
  env: Record<string, string | undefined>,
  problems: string[],
  read: <T>(name: string, fallback: T, parse: (text: string) => T) => T,
): TemporalConfig {
  let connect: ClientConnectConfig = { connectionOptions: {} };
  try {
    connect = loadClientConnectConfig({ overrideEnvVars: definedOnly(env), disableFile: true });
  } catch (error) {
    problems.push(`TEMPORAL_*: ${(error as Error).message}`);
  }
  const address = connect.connectionOptions.address ?? "localhost:7233";
  return {
    outside: Boolean(connect.connectionOptions.address),
    connect,
    address,
    namespace: connect.namespace ?? "default",
    uiUrl: read("TEMPORAL_UI_URL", "http://localhost:8233", parseOrigin),
  };
}

function parseLogLevel(text: string): LogLevel {
  const level = LOG_LEVELS.find((known) => known === text);
  if (!level) throw new Error(`one of ${LOG_LEVELS.join(", ")}`);
  return level;
}

function parseLogFormat(text: string): LogFormat {
  const format = LOG_FORMATS.find((known) => known === text);
  if (!format) throw new Error(`one of ${LOG_FORMATS.join(", ")}`);
  return format;
}

/** The project's own folder, so that entries can be started from anywhere. */
export const PROJECT_ROOT = dirname(import.meta.dir);

function definedOnly(env: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));
}
