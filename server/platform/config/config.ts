// The only reader of the environment. All problems are collected and reported together.

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { DAY_MS } from "../durations.ts";
import type { EgressConfig } from "../egress/index.ts";
import type { TrustProxy } from "../http/context.ts";
import type { WorkerProbesConfig } from "../http/health.ts";
import type { RateLimit } from "../http/rate-limit.ts";
import { LEVEL_FORMATS, type LevelFormat, LOG_LEVELS, type LogLevel } from "../log.ts";
import { boundsBy, MAX_BOUND, type TenantBounds } from "../tenant-limits.ts";
import { type MailConfig, readMail } from "./mail.ts";
import { misspeltNames } from "./misspelt-names.ts";
import {
  parseAge,
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
  parseOtelSwitch,
  parsePool,
  parsePostgresUrl,
  parseProxy,
  parseRatio,
  parseRequests,
  parseTraceExporter,
  parseTraceProtocol,
  parseTraceSampler,
  parseTracesEndpoint,
  parseTrustProxy,
  parseWorkerPort,
  type Read,
  type TraceProtocol,
  type TraceSampler,
} from "./parsers.ts";
import { readTemporal, type TemporalConfig } from "./temporal.ts";

export interface Config {
  port: number;
  /** True if PORT is set: a used port is then an error; otherwise the next free one is taken. */
  portAsked: boolean;
  host: string;
  /** The issuer and the base of all addresses, without a trailing slash. */
  publicUrl: string;
  /** Undefined: the embedded PostgreSQL of `start`. */
  databaseUrl: string | undefined;
  /** The maximum connections of a process of each kind, besides those for notifications. */
  pools: Pools;
  dataDir: string;
  /** Base64 of 32 bytes; encrypts secrets at rest. Undefined: `start` keeps one in the data directory. */
  masterKey: string | undefined;
  /** Previous master keys, used only for decryption. */
  masterKeyPrevious: string[];
  temporal: TemporalConfig;
  webhooks: WebhookConfig;
  retention: RetentionConfig;
  egress: EgressConfig;
  mail: MailConfig;
  metrics: MetricsConfig;
  workerProbes: WorkerProbesConfig;
  shutdown: ShutdownConfig;
  tracing: TracingConfig;
  trustProxy: TrustProxy;
  /** Where our proxy requests client certificates, and the header that contains them; undefined: disabled. */
  mtls: { url: string; header: string } | undefined;
  logLevel: LogLevel;
  logFormat: LogFormat;
  levelFormat: LevelFormat;
  /** The lifetime of an access token in seconds. */
  tokenLifetime: number;
  /** Milliseconds for which an imported password signs in if guesses of its hash are cheap. */
  weakPasswordLifetime: number;
  /** For each client, in each process. */
  rateLimit: RateLimit;
  /** Clients that may register themselves in an hour without a token. */
  registrationLimits: { address: number; tenant: number };
  /** For each tenant, over all processes. */
  tenantLimits: TenantBounds;
}

export interface Pools {
  api: number;
  worker: number;
}

/** Milliseconds for which each kind is kept. */
export interface RetentionConfig {
  /** Events, deliveries and attempts. */
  log: number;
  /** Payloads and answers; at most as long as the log. */
  payloads: number;
  audit: number;
}

export interface WebhookConfig {
  /** Milliseconds before the second attempt. */
  retryInitialInterval: number;
  /** The factor between waits. */
  retryBackoff: number;
  /** The timeout of an attempt in milliseconds, including the response body. */
  timeout: number;
  /** Milliseconds between checks for deliveries without a workflow. */
  reconcileInterval: number;
  /** Milliseconds for which a connection's former secret also signs, by default. */
  secretOverlap: number;
  /** Consecutive exhausted deliveries until a connection is Held. */
  holdAfter: number;
  /** Milliseconds until a Held connection is first probed; each later wait doubles. */
  probeInterval: number;
  /** Milliseconds between checks for alerts. */
  alertInterval: number;
}

export interface MetricsConfig {
  /** Undefined: no separate port. */
  port: number | undefined;
  host: string;
  /** The required token, which also enables /metrics on the API's own port. */
  token: string | undefined;
}

export interface ShutdownConfig {
  /** Milliseconds for which /readyz returns 503 before the port is closed. */
  delay: number;
  /** Milliseconds for requests in progress. */
  grace: number;
}

export interface TracingConfig {
  /** The OTLP collector's address for traces. Undefined: spans are not exported. */
  endpoint: string | undefined;
  protocol: TraceProtocol;
  sampler: TraceSampler;
  ratio: number;
}

const WEAK_PASSWORD_MS = 90 * 86_400_000;
export const REGISTRATION_LIMITS = { address: 20, tenant: 200 };

/** Wrong values of these may contain a password or key, so errors do not repeat them. */
const SECRET_VARIABLES = [
  "MASTER_KEY",
  "MASTER_KEY_PREVIOUS",
  "METRICS_TOKEN",
  "DATABASE_URL",
  "PUBLIC_URL",
  "MTLS_URL",
  "SMTP_URL",
  "TEMPORAL_UI_URL",
  "TEMPORAL_API_KEY",
  "TEMPORAL_TLS_CLIENT_CERT_DATA",
  "TEMPORAL_TLS_CLIENT_KEY_DATA",
  "TEMPORAL_TLS_SERVER_CA_CERT_DATA",
  "OTEL_EXPORTER_OTLP_ENDPOINT",
  "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
  "HTTPS_PROXY",
  "https_proxy",
];
/** The format of output beside the log; "auto": text on a terminal, otherwise log lines. */
const LOG_FORMATS = ["auto", "json", "text"] as const;
type LogFormat = (typeof LOG_FORMATS)[number];

export class ConfigError extends Error {
  constructor(readonly problems: string[]) {
    super(`The configuration is invalid:\n${problems.map((problem) => `  - ${problem}`).join("\n")}`);
    this.name = "ConfigError";
  }
}

/**
 * docs/configuration.md "Variables". @param found problems already found by the entry, reported together
 * @param required the entry's necessary variables, and what each must be
 * @throws ConfigError naming every invalid variable and its valid values
 */
export function readConfig(
  environment: Record<string, string | undefined>,
  found: string[] = [],
  required: Record<string, string> = {},
): Config {
  const problems = [...found];
  const inFiles = valuesInFiles(environment, problems);
  const given = new Proxy(environment, { get: (target, name: string) => inFiles.get(name) ?? target[name] });
  for (const [name, problem] of Object.entries(required))
    if (!given[name]) problems.push(`${name} is missing; ${problem}`);
  const asked = new Set(SECRET_VARIABLES.map((name) => `${name}_FILE`));
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
    pools: {
      api: read("DATABASE_POOL_API", 10, parsePool),
      worker: read("DATABASE_POOL_WORKER", 18, parsePool),
    },
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
      alertInterval: read("WEBHOOK_ALERT_INTERVAL", 15_000, parseDuration),
    },
    retention: readRetention(read),
    egress: {
      allow: read("EGRESS_ALLOW", [], parseAllow),
      allowStrangers: read("EGRESS_ALLOW_STRANGERS", [], parseAllow),
      deny: read("EGRESS_DENY", [], parseDeny),
      dns: read("EGRESS_DNS", [], parseNameServers),
      caFile: read<string | undefined>("EGRESS_CA_FILE", undefined, parseCertificatesFile),
      proxy: readProxy(read),
    },
    mail: readMail(read, env, problems),
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
    tracing: readTracing(read),
    trustProxy,
    mtls: readMtls(trustProxy, problems, read),
    logLevel: read<LogLevel>("LOG_LEVEL", "info", parseLogLevel),
    logFormat: read<LogFormat>("LOG_FORMAT", "auto", parseLogFormat),
    levelFormat: read<LevelFormat>("LOG_LEVEL_FORMAT", "number", parseLevelFormat),
    tokenLifetime: read("TOKEN_LIFETIME", 3600, (text) =>
      parseInteger(text, 60, 86_400, "whole seconds from 60 to 86400"),
    ),
    weakPasswordLifetime: read("WEAK_PASSWORD_LIFETIME", WEAK_PASSWORD_MS, (text) => parseAge(text, 1)),
    registrationLimits: {
      address: read("REGISTRATIONS_PER_ADDRESS", REGISTRATION_LIMITS.address, parseRequests),
      tenant: read("REGISTRATIONS_PER_TENANT", REGISTRATION_LIMITS.tenant, parseRequests),
    },
    rateLimit: {
      perSecond: read("RATE_LIMIT", 500, parseRequests),
      burst: read("RATE_LIMIT_BURST", 1_000, parseRequests),
    },
    tenantLimits: boundsBy(({ variable, byDefault, unit }) =>
      read(variable, byDefault, (text) =>
        parseInteger(text, 1, MAX_BOUND, `a whole number of ${unit} from 1 to ${MAX_BOUND}`),
      ),
    ),
  };
  problems.push(...misspeltNames(given, asked));
  if (problems.length > 0) throw new ConfigError(problems);
  return config;
}

/** Values of secrets that are in files, such as mounted ones, which their variables with _FILE name. */
function valuesInFiles(environment: Record<string, string | undefined>, problems: string[]): Map<string, string> {
  const values = new Map<string, string>();
  for (const name of SECRET_VARIABLES) {
    const file = environment[`${name}_FILE`];
    if (!file) continue;
    if (environment[name]) problems.push(`${name} and ${name}_FILE are set; only one of them may be`);
    try {
      const value = readFileSync(file, "utf8").trim();
      if (value) values.set(name, value);
      else problems.push(`${name}_FILE is set, but its file is empty; it must be the path of a file with the value`);
    } catch (error) {
      // Without the path, which may be the secret itself.
      const { code } = error as NodeJS.ErrnoException;
      problems.push(`${name}_FILE is set, but cannot be read (${code}); it must be the path of a file with the value`);
    }
  }
  return values;
}

/** An IPv6 address may have brackets. */
function hostOf(text: string | undefined): string {
  return (text || "127.0.0.1").replace(/^\[(.*)\]$/, "$1");
}

/** Checks that the API can listen at HOST; for entries with an API. */
export function hostProblems(env: Record<string, string | undefined>): string[] {
  const host = hostOf(env.HOST);
  try {
    Bun.serve({ hostname: host, port: 0, fetch: () => new Response() }).stop(true);
    return [];
  } catch {
    return [`HOST is "${host}"; it must be an address of this machine, or a name that resolves to one`];
  }
}

/** For the entry that listens at both ports. */
export function samePortProblems(env: Record<string, string | undefined>, name: "PORT" | "WORKER_PORT"): string[] {
  const port = env.METRICS_PORT;
  return port && port === env[name] ? [`METRICS_PORT is ${port}, as ${name}; it must be a port of its own`] : [];
}

function readMtls(trustProxy: TrustProxy, problems: string[], read: Read): Config["mtls"] {
  const url = read<string | undefined>("MTLS_URL", undefined, parseMtlsUrl);
  const header = read("CLIENT_CERT_HEADER", "client-cert", parseHeaderName);
  if (url !== undefined && !trustProxy)
    problems.push("MTLS_URL is set, which needs TRUST_PROXY: certificates come from a proxy");
  return url === undefined ? undefined : { url, header };
}

/** The SDK's exporter reads the other variables, as OpenTelemetry defines them. */
function readTracing(read: Read): TracingConfig {
  const base = read<string | undefined>("OTEL_EXPORTER_OTLP_ENDPOINT", undefined, parseOrigin);
  const endpoint = read("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", base && `${base}/v1/traces`, parseTracesEndpoint);
  const protocol = read<TraceProtocol>("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json", parseTraceProtocol);
  const isOff = read("OTEL_SDK_DISABLED", false, parseOtelSwitch);
  const exporter = read("OTEL_TRACES_EXPORTER", "otlp", parseTraceExporter);
  return {
    endpoint: isOff || exporter === "none" ? undefined : endpoint,
    protocol: read("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", protocol, parseTraceProtocol),
    sampler: read<TraceSampler>("OTEL_TRACES_SAMPLER", "parentbased_always_on", parseTraceSampler),
    ratio: read("OTEL_TRACES_SAMPLER_ARG", 1, parseRatio),
  };
}

function readProxy(read: Read): EgressConfig["proxy"] {
  const url = read("https_proxy", read<string | undefined>("HTTPS_PROXY", undefined, parseProxy), parseProxy);
  const except = read("no_proxy", read("NO_PROXY", [], parseList), parseList);
  return url === undefined ? undefined : { url, except };
}

function readRetention(read: Read): RetentionConfig {
  const days = (text: string) => parseAge(text, 24);
  const log = read("RETENTION", 30 * DAY_MS, days);
  return {
    log,
    payloads: Math.min(log, read("PAYLOAD_RETENTION", 7 * DAY_MS, days)),
    audit: read("AUDIT_RETENTION", 400 * DAY_MS, days),
  };
}

function parseLogLevel(text: string): LogLevel {
  const level = LOG_LEVELS.find((known) => known === text);
  if (!level) throw new Error(`one of ${LOG_LEVELS.join(", ")}`);
  return level;
}

function parseLevelFormat(text: string): LevelFormat {
  const format = LEVEL_FORMATS.find((known) => known === text);
  if (!format) throw new Error(`one of ${LEVEL_FORMATS.join(", ")}`);
  return format;
}

function parseLogFormat(text: string): LogFormat {
  const format = LOG_FORMATS.find((known) => known === text);
  if (!format) throw new Error(`one of ${LOG_FORMATS.join(", ")}`);
  return format;
}

/** The project's folder, so entries can be started from anywhere. */
export const PROJECT_ROOT = resolve(import.meta.dir, "../../..");
