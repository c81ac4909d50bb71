// A complete Gatehouse for tests: its own PostgreSQL, Temporal, worker and API on free ports, started by the code of
// `start`.

import { readFileSync, rmSync } from "node:fs";
import { ensureReceiverCertificate } from "../../examples/receiver/certificate.ts";
import { readiness } from "../../server/appliance/embedded/api.ts";
import { type Demo, demoFile } from "../../server/appliance/embedded/demo.ts";
import { Installation, type PartName, type Running } from "../../server/appliance/embedded/installation.ts";
import type { Part } from "../../server/appliance/embedded/part.ts";
import type { Readiness } from "../../server/platform/http/health.ts";
import { newDataDirectory } from "./directories.ts";
import { type MailServer, startMailServer } from "./mail-server.ts";
import { expectRestarts } from "./until.ts";

type Env = Record<string, string | undefined>;

/** Short times by configuration, and receivers on loopback. */
const TEST_SETTINGS: Env = {
  HOST: "127.0.0.1",
  PORT: "0",
  WEBHOOK_RETRY_INITIAL_INTERVAL: "200ms",
  WEBHOOK_RETRY_BACKOFF: "2",
  WEBHOOK_ALERT_INTERVAL: "2s",
  WEBHOOK_RECONCILE_INTERVAL: "5s",
  // A receiver in a busy test process must not seem to hang.
  WEBHOOK_TIMEOUT: "3s",
  // A test's loop may be faster than real clients.
  RATE_LIMIT: "100000",
  RATE_LIMIT_BURST: "100000",
  EGRESS_ALLOW: "127.0.0.0/8,::1/128",
  MAIL_FROM: "noreply@gatehouse.test",
  MAIL_RATE: "1000",
};

/** Settings in the developer's environment must not affect a test. */
const SETTINGS =
  /^(PORT|HOST|PUBLIC_URL|DATABASE_(URL.*|POOL_.*)|TENANT_.*|DATA_DIR|MASTER_KEY.*|TRUST_PROXY|MTLS_URL|CLIENT_CERT_HEADER|LOG_LEVEL|LOG_FORMAT|TOKEN_LIFETIME|WORKER_PORT|WORKER_HOST|SHUTDOWN_DELAY|SHUTDOWN_GRACE|NODE_ENV|npm_.*|(TEMPORAL|WEBHOOK|EGRESS|METRICS|OTEL|GATEHOUSE)_.*|RATE_LIMIT.*|SMTP_.*|MAIL_.*|(https?|all)_proxy|(HTTPS?|ALL)_PROXY|no_proxy|NO_PROXY)$/;

export interface StackOptions {
  /** Kept after `stop`; by default a new directory that `stop` removes. */
  dataDir?: string;
  /** Settings that replace those for tests; with TEMPORAL_ADDRESS or DATABASE_URL, the stack leaves out that part. */
  env?: Env;
  /** The first ports to try; default: any. */
  ports?: { postgresql: number; temporal: number; temporalUi: number };
  say?(line: string): void;
  /** Aborts the start. */
  signal?: AbortSignal;
}

export interface Stack extends Running {
  /** Equal to `localUrl`. */
  url: string;
  dataDir: string;
  demo: Demo;
  /** Receives its mails, unless SMTP_URL was given. */
  mailServer: MailServer;
  /** `pid`, `stop()` (stays down), `start()`; a killed part restarts by itself. */
  parts: Record<PartName, Part>;
  /** The lines `start` would have printed so far. */
  said: string[];
  /** The log file of the worker and the API. */
  logFile: string;
  readiness(): Promise<Readiness>;
  stop(): Promise<void>;
}

/** @example await using stack = await startStack({ env: { TOKEN_LIFETIME: "60" } }); */
export async function startStack(options: StackOptions = {}): Promise<Stack & AsyncDisposable> {
  const dataDir = options.dataDir ?? newDataDirectory("stack");
  const said: string[] = [];
  expectRestarts();
  const mailServer = await startMailServer();
  const certificate = await ensureReceiverCertificate(process.env.GATEHOUSE_TEST_DATA_DIR ?? dataDir);
  const installation = new Installation({
    env: {
      ...withoutSettings(process.env),
      ...TEST_SETTINGS,
      EGRESS_CA_FILE: certificate.caFile,
      SMTP_URL: mailServer.smtpUrl,
      ...options.env,
      DATA_DIR: dataDir,
    },
    logToFile: true,
    ports: options.ports ?? { postgresql: 0, temporal: 0, temporalUi: 0 },
    say: (line) => {
      said.push(line);
      options.say?.(line);
    },
    signal: options.signal ?? new AbortController().signal,
  });
  const stop = async () => {
    await installation.stop();
    await mailServer[Symbol.asyncDispose]();
    if (!options.dataDir) rmSync(dataDir, { recursive: true, force: true });
  };
  try {
    const running = await installation.start();
    return {
      ...running,
      url: running.localUrl,
      dataDir,
      demo: JSON.parse(readFileSync(demoFile(dataDir), "utf8")) as Demo,
      mailServer,
      parts: installation.parts as Record<PartName, Part>,
      said,
      logFile: running.logFile!,
      readiness: () => readiness(running.localUrl),
      stop,
      [Symbol.asyncDispose]: stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The environment without settings of Gatehouse. */
export function withoutSettings(env: Env): Env {
  const others = Object.entries(env).filter(([name]) => !SETTINGS.test(name));
  return { ...Object.fromEntries(others), BUN_OPTIONS: "--no-env-file" };
}
