// Everything `start` brings up, in its order, and takes down again. The tests' stacks are the same.

import { join } from "node:path";
import { type Config, ConfigError, readConfig } from "../config.ts";
import { migrate } from "../db/migrate.ts";
import { apiPart, type Output, readiness, workerPart } from "./api.ts";
import { type DataDirectory, keptSecret, newMasterKey, takeDataDirectory, writePrivately } from "./data-directory.ts";
import { type DemoState, ensureDemoTenant } from "./demo.ts";
import { stopLeftovers } from "./leftovers.ts";
import { Part, type PartSpec } from "./part.ts";
import { isTaken, nextFreePort, type Reserved } from "./ports.ts";
import { preparePostgresql } from "./postgresql.ts";
import { allowReceiver, RECEIVER } from "./receiver.ts";
import { checkOutsideCluster, temporalPart } from "./temporal.ts";
import { findTemporal } from "./temporal-binary.ts";

const TEMPORAL_PORT = 7233;
const TEMPORAL_UI_PORT = 8233;
/** Below the range that outgoing connections take their ports from. */
const POSTGRESQL_PORT = 15_432;
const LOOPBACK = "127.0.0.1";
const ALL_UP_LIMIT = 60_000;

type Env = Record<string, string | undefined>;
export type PartName = "postgresql" | "temporal" | "worker" | "api";

export interface InstallationOptions {
  env: Env;
  allowReceiver?: boolean;
  /** Where the worker and the API log. */
  output?: Output;
  /** Where the search for free ports begins; 0 takes any. */
  ports?: { postgresql: number; temporal: number; temporalUi: number };
  say(line: string): void;
  /** Aborted when everything shall stop, also in the middle of starting. */
  signal: AbortSignal;
}

/** What is known once everything runs. */
export interface Running {
  config: Config;
  databaseUrl: string;
  masterKey: string;
  /** Where this machine reaches the API, which PUBLIC_URL need not be. */
  localUrl: string;
  publicUrl: string;
  temporalAddress: string;
  temporalUi: string;
  demoTenant: DemoState;
}

export class Installation {
  readonly parts: Partial<Record<PartName, Part>> = {};
  private readonly reserved: Reserved = new Set();
  private directory: DataDirectory | undefined;
  private starting: Promise<unknown> | undefined;

  constructor(private readonly options: InstallationOptions) {}

  /**
   * Brings everything up.
   * @throws Error with a message for people; what was started by then is left to `stop`
   */
  start(): Promise<Running> {
    const started = this.bringUp();
    this.starting = started.catch(() => undefined);
    return started;
  }

  /** Takes down whatever runs, users first, stores last. */
  async stop(): Promise<void> {
    for (const name of ["api", "worker", "temporal", "postgresql"] as const) await this.parts[name]?.stop();
    await this.starting;
    this.directory?.release();
  }

  private async bringUp(): Promise<Running> {
    const { options } = this;
    const { say } = options;
    const config = readStartConfig(options.env);
    if (config.portAsked) await this.refuseTakenPort(config);
    this.directory = takeDataDirectory(config.dataDir);
    // Before any port is chosen: what is left of an earlier start may still have ours.
    await stopLeftovers(config.dataDir, say);

    const databaseUrl = config.databaseUrl ?? (await this.startPostgresql(config));
    const masterKey = config.masterKey ?? keptSecret(join(config.dataDir, "master.key"), newMasterKey);
    // `bun run tenant` reads it while this runs.
    writePrivately(join(config.dataDir, "database-url"), databaseUrl);
    const applied = await migrate(databaseUrl);
    say(`migrations    ${applied.length > 0 ? `${applied.length} applied` : "none due"}`);

    const temporal = config.temporal.outside ? await this.useCluster(config) : await this.startTemporal(config);
    options.signal.throwIfAborted();

    const port = await this.apiPort(config);
    const localUrl = `http://${localHost(config.host)}:${port}`;
    const publicUrl = options.env.PUBLIC_URL ? config.publicUrl : `http://localhost:${port}`;
    const addresses = { publicUrl, temporalUi: temporal.ui, temporalAddress: temporal.address };
    const demoTenant = await ensureDemoTenant(databaseUrl, config.dataDir, addresses);
    say(`demo tenant   ${demoTenant === "created" ? "created" : "there already"}`);

    let env: Env = {
      ...options.env,
      DATA_DIR: config.dataDir,
      DATABASE_URL: databaseUrl,
      MASTER_KEY: masterKey,
      HOST: config.host,
      PORT: String(port),
      PUBLIC_URL: publicUrl,
      TEMPORAL_ADDRESS: temporal.address,
      TEMPORAL_NAMESPACE: config.temporal.namespace,
      TEMPORAL_UI_URL: temporal.ui,
    };
    if (options.allowReceiver) {
      env = await allowReceiver(env, config.dataDir);
      say(`receiver      webhooks may reach ${RECEIVER} (--allow-receiver; leave it out in production)`);
    }
    await this.startPart("worker", workerPart(env, options.output ?? "inherit"));
    say("worker        started");
    await this.startPart("api", apiPart(env, options.output ?? "inherit", localUrl));
    say(`API           ${publicUrl}`);
    await this.waitUntilAllUp(localUrl);
    return {
      ...{ config, databaseUrl, masterKey, localUrl, publicUrl, demoTenant },
      ...{ temporalAddress: temporal.address, temporalUi: temporal.ui },
    };
  }

  private async startPostgresql(config: Config): Promise<string> {
    const { say, ports } = this.options;
    const port = await nextFreePort(ports?.postgresql ?? POSTGRESQL_PORT, LOOPBACK, this.reserved);
    const { part, url, created } = await preparePostgresql({ dataDir: config.dataDir, port, say });
    await this.startPart("postgresql", part);
    say(
      `PostgreSQL    ${LOOPBACK}:${port}, ${created ? "new" : "with its data"} in ${join(config.dataDir, "postgres")}`,
    );
    return url;
  }

  private async startTemporal(config: Config): Promise<{ address: string; ui: string }> {
    const { say, ports, env, signal } = this.options;
    const binary = await findTemporal({ env, say, signal });
    const port = await nextFreePort(ports?.temporal ?? TEMPORAL_PORT, LOOPBACK, this.reserved);
    const uiPort = await nextFreePort(ports?.temporalUi ?? TEMPORAL_UI_PORT, LOOPBACK, this.reserved);
    const spec = temporalPart({ dataDir: config.dataDir, binary: binary.path, port, uiPort, say });
    await this.startPart("temporal", spec);
    const address = `${LOOPBACK}:${port}`;
    say(`Temporal      ${address}, by ${binary.path} (from ${binary.from === "PATH" ? "PATH" : `the ${binary.from}`})`);
    return { address, ui: env.TEMPORAL_UI_URL ? config.temporal.uiUrl : `http://localhost:${uiPort}` };
  }

  private async useCluster(config: Config): Promise<{ address: string; ui: string }> {
    await checkOutsideCluster(config.temporal, this.options.say);
    this.options.say(`Temporal      ${config.temporal.address}, as TEMPORAL_ADDRESS says`);
    return { address: config.temporal.address, ui: config.temporal.uiUrl };
  }

  private async startPart(name: PartName, spec: PartSpec): Promise<void> {
    this.options.signal.throwIfAborted();
    const part = new Part(spec, this.options.say);
    this.parts[name] = part;
    await part.start();
    this.options.signal.throwIfAborted();
  }

  private async refuseTakenPort({ port, host }: Config): Promise<void> {
    if (port === 0 || !(await isTaken(port, host))) return;
    throw new Error(
      `PORT is ${port}, and something listens there already. ` +
        "Stop it, set PORT to another, or leave PORT out to get the next free one.",
    );
  }

  private async apiPort({ portAsked, port, host }: Config): Promise<number> {
    return portAsked && port !== 0 ? port : nextFreePort(port, host, this.reserved);
  }

  /** Everything is started by now; a part that is slow is named, and `start` goes on. */
  private async waitUntilAllUp(localUrl: string): Promise<void> {
    const end = Date.now() + ALL_UP_LIMIT;
    while (!this.options.signal.aborted) {
      const down = await missingParts(localUrl);
      if (down.length === 0) return;
      if (Date.now() > end) return this.options.say(`still missing: ${down.join(", ")} (see ${localUrl}/readyz)`);
      await Bun.sleep(100);
    }
    this.options.signal.throwIfAborted();
  }
}

async function missingParts(localUrl: string): Promise<string[]> {
  try {
    const { postgresql, temporal, worker } = await readiness(localUrl);
    return Object.entries({ postgresql, temporal, worker })
      .filter(([, state]) => state !== "up")
      .map(([name]) => name);
  } catch {
    return ["API"];
  }
}

/** A database of one's own holds secrets that must open again elsewhere, so their key cannot stay on this machine. */
function readStartConfig(env: Env): Config {
  const config = readConfig(env);
  if (config.databaseUrl && !config.masterKey) {
    throw new ConfigError([
      "MASTER_KEY is missing; with DATABASE_URL it must be set to 32 random bytes in base64 (openssl rand -base64 32)",
    ]);
  }
  return config;
}

function localHost(host: string): string {
  if (host === "0.0.0.0") return LOOPBACK;
  if (host === "::") return "[::1]";
  return host.includes(":") ? `[${host}]` : host;
}
