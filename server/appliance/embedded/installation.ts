// Starts and stops everything of `start` in order. The tests' stacks use it, too.

import { join, resolve } from "node:path";
import { tenants } from "../../identity/index.ts";
import { urlOf } from "../../platform/address.ts";
import { type Config, hostProblems, readConfig } from "../../platform/config/config.ts";
import { prepareDatabase } from "../../platform/process.ts";
import { apiPart, type LogOutput, statesOf, workerPart } from "./api.ts";
import {
  type DataDirectory,
  keptSecret,
  masterKeyFile,
  newMasterKey,
  openLog,
  removeRunning,
  rotateLogs,
  takeDataDirectory,
  writeRunning,
} from "./data-directory.ts";
import { type DemoState, ensureDemoTenant } from "./demo.ts";
import { diskHint } from "./disk.ts";
import { Part, type PartSpec } from "./part.ts";
import { isTaken, onFreePorts, type Reserved } from "./ports.ts";
import { preparePostgresql } from "./postgresql.ts";
import { stopLeftovers } from "./processes.ts";
import { allowReceiver, RECEIVER } from "./receiver.ts";
import { checkOutsideCluster, temporalPart } from "./temporal.ts";
import { findTemporal } from "./temporal-binary.ts";
import { innerPlace, serveTemporalUi, type TemporalUi } from "./temporal-ui.ts";

const TEMPORAL_PORT = 7233;
const TEMPORAL_UI_PORT = 8233;
/** Below the range of ephemeral ports. */
const POSTGRESQL_PORT = 15_432;
const LOOPBACK = "127.0.0.1";
const ALL_UP_LIMIT = 60_000;

const DEMO_STATES: Record<DemoState, string> = {
  created: "created",
  kept: "existing",
  unknown: "none; the database already has tenants",
};

type Env = Record<string, string | undefined>;
export type PartName = "postgresql" | "temporal" | "worker" | "api";

export interface InstallationOptions {
  env: Env;
  allowReceiver?: boolean;
  watch?: boolean;
  /** The worker and the API log to DATA_DIR/logs instead of standard output. */
  logToFile?: boolean;
  /** The first ports to try; 0 is any. */
  ports?: { postgresql: number; temporal: number; temporalUi: number };
  say(line: string): void;
  /** Aborted to stop everything, even during the start. */
  signal: AbortSignal;
}

interface TemporalAddresses {
  temporalAddress: string;
  temporalUi: string;
}

interface Stores extends TemporalAddresses {
  config: Config;
  log: { file?: string; fd: LogOutput };
  databaseUrl: string;
  masterKey: string;
}

export interface Running extends Stores {
  /** The API's local address, which may differ from PUBLIC_URL. */
  localUrl: string;
  publicUrl: string;
  demoTenant: DemoState;
  /** The log file of the worker and the API; undefined: standard output. */
  logFile: string | undefined;
}

const ROTATION_MS = 10_000;

export class Installation {
  readonly parts: Partial<Record<PartName, Part>> = {};
  /** Ports in the demo application's redirect URIs, which cannot change. */
  private readonly reserved: Reserved = new Set(tenants.DEMO_REDIRECT_URIS.map((uri) => Number(urlOf(uri).port)));
  private temporalUi: TemporalUi | undefined;
  private directory: DataDirectory | undefined;
  private starting: Promise<unknown> | undefined;
  private rotation: Timer | undefined;

  constructor(private readonly options: InstallationOptions) {}

  /** Starts everything. @throws Error with a readable message; `stop` ends what was started */
  start(): Promise<Running> {
    const started = this.bringUp().catch((error) => {
      error.message += diskHint(resolve(this.options.env.DATA_DIR || ".gatehouse"));
      throw error;
    });
    this.starting = started.catch(() => undefined);
    return started;
  }

  async stop(): Promise<void> {
    for (const name of ["api", "worker", "temporal", "postgresql"] as const) await this.parts[name]?.stop();
    await this.starting;
    clearInterval(this.rotation);
    await this.temporalUi?.stop();
    if (this.directory) removeRunning(this.directory.path);
    this.directory?.release();
  }

  private async bringUp(): Promise<Running> {
    const { options } = this;
    const { say } = options;
    const config = readStartConfig(options.env);
    // First, so a second start reports the running one instead of used ports.
    this.directory = takeDataDirectory(config.dataDir);
    this.rotation = setInterval(() => this.rotateLogs(config.dataDir), ROTATION_MS);
    if (isPortFixed(config) && (await isTaken(config.port, config.host))) throw takenPort(config);
    await requireMetricsPorts(config.metrics);
    // Before ports are chosen, because leftovers of an earlier start may use ours.
    await stopLeftovers(config.dataDir, say);

    const databaseUrl = config.databaseUrl ?? (await this.startPostgresql(config));
    const masterKey = config.masterKey ?? keptSecret(masterKeyFile(config.dataDir), newMasterKey);
    const applied = await prepareDatabase(databaseUrl);
    say(`migrations    ${applied.length > 0 ? `${applied.length} applied` : "none due"}`);

    const temporal = config.temporal.outside ? await this.useCluster(config) : await this.startTemporal(config);
    options.signal.throwIfAborted();

    const log = this.openLog(config);
    const running = await this.startGatehouse({ config, log, databaseUrl, masterKey, ...temporal });
    await this.waitUntilAllUp(running.localUrl);
    return running;
  }

  private rotateLogs(dataDir: string): void {
    try {
      rotateLogs(dataDir);
    } catch (error) {
      this.options.say(`A log in ${dataDir} could not be rotated: ${(error as Error).message}`);
    }
  }

  private openLog({ dataDir }: Config): Stores["log"] {
    return this.options.logToFile ? openLog(dataDir, "gatehouse") : { fd: "inherit" };
  }

  private async startPostgresql(config: Config): Promise<string> {
    const { say, ports, signal } = this.options;
    const { created, part, url } = await preparePostgresql({ dataDir: config.dataDir, say, signal });
    return this.onFreePorts([ports?.postgresql ?? POSTGRESQL_PORT], LOOPBACK, async ([port]) => {
      await this.startPart("postgresql", part(port!));
      const state = created ? "new" : "with its data";
      say(`PostgreSQL    ${LOOPBACK}:${port}, ${state} in ${join(config.dataDir, "postgres")}`);
      return url(port!);
    });
  }

  private async startTemporal(config: Config): Promise<TemporalAddresses> {
    const { say, ports, env, signal } = this.options;
    const binary = await findTemporal({ env, say, signal });
    const preferred = [ports?.temporal ?? TEMPORAL_PORT, ports?.temporalUi ?? TEMPORAL_UI_PORT];
    return this.onFreePorts(preferred, LOOPBACK, async ([port, uiPort]) => {
      const { dataDir } = config;
      const ui = await innerPlace(this.reserved);
      await this.startPart(
        "temporal",
        temporalPart({
          dataDir,
          binary: binary.path,
          port: port!,
          ui,
          retention: config.temporal.retention,
          say,
        }),
      );
      this.temporalUi = serveTemporalUi({ port: uiPort!, inner: ui, url: env.TEMPORAL_UI_URL });
      const temporalAddress = `${LOOPBACK}:${port}`;
      say(`Temporal      ${temporalAddress}, by ${binary.path} (${binary.from})`);
      return {
        temporalAddress,
        temporalUi: env.TEMPORAL_UI_URL ? config.temporal.uiUrl : `http://localhost:${uiPort}`,
      };
    });
  }

  private async useCluster({ temporal }: Config): Promise<TemporalAddresses> {
    await checkOutsideCluster(temporal, this.options.say);
    this.options.say(`Temporal      ${temporal.address}, as TEMPORAL_ADDRESS says`);
    return { temporalAddress: temporal.address, temporalUi: temporal.uiUrl };
  }

  /** Starts the worker and the API on a port that PUBLIC_URL may depend on. */
  private async startGatehouse(stores: Stores): Promise<Running> {
    const { config } = stores;
    if (!isPortFixed(config)) {
      return this.onFreePorts([config.port], config.host, ([port]) => this.startGatehouseOn(port!, stores));
    }
    try {
      return await this.startGatehouseOn(config.port, stores);
    } catch (error) {
      this.options.signal.throwIfAborted();
      throw (await isTaken(config.port, config.host)) ? takenPort(config) : error;
    }
  }

  private async startGatehouseOn(port: number, stores: Stores): Promise<Running> {
    const { env: given, say } = this.options;
    const { config, log, databaseUrl, masterKey, temporalAddress, temporalUi } = stores;
    const localUrl = `http://${localHost(config.host)}:${port}`;
    const publicUrl = given.PUBLIC_URL ? config.publicUrl : `http://localhost:${port}`;
    const addresses = { publicUrl, temporalUi, temporalAddress };
    const demoTenant = await ensureDemoTenant(databaseUrl, config.dataDir, addresses);
    say(`demo tenant   ${DEMO_STATES[demoTenant]}`);

    let env: Env = {
      ...given,
      DATA_DIR: config.dataDir,
      DATABASE_URL: databaseUrl,
      DATABASE_URL_FILE: undefined,
      MASTER_KEY: masterKey,
      MASTER_KEY_FILE: undefined,
      HOST: config.host,
      PORT: String(port),
      PUBLIC_URL: publicUrl,
      TEMPORAL_ADDRESS: temporalAddress,
      TEMPORAL_NAMESPACE: config.temporal.namespace,
      TEMPORAL_UI_URL: temporalUi,
      LOG_FORMAT: "json",
    };
    if (this.options.allowReceiver) {
      env = await allowReceiver(env, config.dataDir);
      say(`receiver      webhooks may reach ${RECEIVER} (--allow-receiver; leave it out in production)`);
    }
    const run = { env, output: log.fd, watch: this.options.watch ?? false };
    await this.startPart("worker", workerPart(run));
    say("worker        started");
    await this.startPart("api", apiPart(run, localUrl, config.shutdown));
    writeRunning(config.dataDir, { databaseUrl, ...addresses });
    say(`API           ${publicUrl}`);
    const { metrics } = config;
    if (metrics.port) say(`metrics       ${metrics.host}:${metrics.port} (API) and ${metrics.port + 1} (worker)`);
    return { ...stores, localUrl, publicUrl, demoTenant, logFile: log.file };
  }

  /** Stops a part of a failed attempt before its replacement starts. */
  private async startPart(name: PartName, spec: PartSpec): Promise<void> {
    this.options.signal.throwIfAborted();
    await this.parts[name]?.stop();
    const part = new Part(spec, this.options.say, () => diskHint(this.directory!.path));
    this.parts[name] = part;
    await part.start();
    this.options.signal.throwIfAborted();
  }

  private onFreePorts<T>(preferred: number[], host: string, start: (ports: number[]) => Promise<T>): Promise<T> {
    return onFreePorts({ preferred, host, reserved: this.reserved, say: this.options.say }, start);
  }

  /** Waits for all parts; slow ones are reported, and `start` continues. */
  private async waitUntilAllUp(localUrl: string): Promise<void> {
    const end = Date.now() + ALL_UP_LIMIT;
    while (!this.options.signal.aborted) {
      const down = await missingParts(localUrl);
      if (down.length === 0) return;
      if (Date.now() > end) return this.options.say(`still not ready: ${down.join(", ")} (see ${localUrl}/readyz)`);
      await Bun.sleep(100);
    }
    this.options.signal.throwIfAborted();
  }
}

/** If the API does not respond, the states are unknown. */
async function missingParts(localUrl: string): Promise<string[]> {
  const missing = (await statesOf(localUrl)).filter(([, state]) => state !== "up" && state !== "unknown");
  return missing.map(([name]) => name);
}

/** An external database needs a configured master key, because its secrets must be readable from other machines. */
function readStartConfig(env: Env): Config {
  const key = "with DATABASE_URL it must be set to 32 random bytes in base64 (openssl rand -base64 32)";
  const isOutside = env.DATABASE_URL || env.DATABASE_URL_FILE;
  return readConfig(env, hostProblems(env), isOutside ? { MASTER_KEY: key } : {});
}

function isPortFixed({ portAsked, port }: Config): boolean {
  return portAsked && port !== 0;
}

function takenPort({ port }: Config): Error {
  return new Error(
    `PORT is ${port}, which is already in use. ` +
      "Stop its process, set PORT to another, or unset PORT to get the next free one.",
  );
}

async function requireMetricsPorts({ port, host }: Config["metrics"]): Promise<void> {
  if (port === undefined) return;
  for (const [one, whose] of [
    [port, "API"],
    [port + 1, "worker"],
  ] as const) {
    if (await isTaken(one, host))
      throw new Error(
        `METRICS_PORT is ${port}, but port ${one}, of the ${whose}'s metrics, is in use. Set METRICS_PORT to another.`,
      );
  }
}

function localHost(host: string): string {
  if (host === "0.0.0.0") return LOOPBACK;
  if (host === "::") return "[::1]";
  return host.includes(":") ? `[${host}]` : host;
}
