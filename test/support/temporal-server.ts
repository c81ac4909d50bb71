// A Temporal server on PostgreSQL with the configuration of deploy/compose.yaml, from programs that Go builds once per
// machine.

import { closeSync, cpSync, openSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { nextFreePort } from "../../server/appliance/embedded/ports.ts";
import { findTemporal } from "../../server/appliance/embedded/temporal-binary.ts";
import { PROJECT_ROOT } from "../../server/platform/config/config.ts";
import { rowsOf } from "../world/rows.ts";
import { cachedFolder, markOf } from "./cache.ts";
import { createDatabase } from "./empty-database.ts";
import { printedBy } from "./packages.ts";
import { session } from "./postgresql.ts";

const MODULE = join(PROJECT_ROOT, "temporal-cli");
const UI = "github.com/temporalio/ui-server/v2";
const PACKAGES = {
  "temporal-server": "go.temporal.io/server/cmd/server",
  "temporal-sql-tool": "go.temporal.io/server/cmd/tools/sql",
  "temporal-ui-server": `${UI}/cmd/server`,
};
const COMPOSE = join(PROJECT_ROOT, "deploy/compose.yaml");
const SCRIPTS = join(PROJECT_ROOT, "deploy/compose/temporal");
/** Each service of the server has a port for calls, and one for the membership of the cluster. */
const PORTS = ["FRONTEND", "HISTORY", "MATCHING", "WORKER"].flatMap((service) => [
  `${service}_GRPC_PORT`,
  `${service}_MEMBERSHIP_PORT`,
]);

export interface TemporalServer extends AsyncDisposable {
  address: string;
  pid: number;
}

/** @returns the folder with the programs of the server, its SQL tool and its UI; the first time takes minutes */
export function temporalPrograms(): Promise<string> {
  const mark = markOf(readFileSync(join(MODULE, "go.sum")));
  return cachedFolder(`temporal-server-${mark}`, async (draft) => {
    for (const [name, path] of Object.entries(PACKAGES)) {
      const command = ["go", "build", "-trimpath", "-ldflags=-s -w", "-o", join(draft, name), path];
      await printedBy(command, MODULE, { env: { CGO_ENABLED: "0" } });
    }
    const ui = (await printedBy(["go", "list", "-m", "-f", "{{.Dir}}", UI], MODULE)).trim();
    cpSync(join(ui, "config"), join(draft, "config"), { recursive: true });
  });
}

/** @returns a PATH for the scripts of deploy/compose/temporal */
export async function temporalPath(): Promise<string> {
  const { path } = await findTemporal({ env: process.env, say: () => {}, signal: new AbortController().signal });
  return `${await temporalPrograms()}:${dirname(path)}:${process.env.PATH}`;
}

/** Those of deploy/compose/postgresql/roles.sh. */
async function createDatabases(databaseUrl: string): Promise<void> {
  await using sql = session(databaseUrl);
  for (const name of ["temporal", "temporal_visibility"]) {
    const existing = await rowsOf("pg_database", { datname: name }, sql);
    if (existing.length === 0) await createDatabase(name, sql);
  }
}

/** @param databaseUrl of a PostgreSQL that gets Temporal's databases @param folder for its log */
export async function startTemporalServer(
  databaseUrl: string,
  folder: string,
  env: Record<string, string> = {},
): Promise<TemporalServer> {
  const { hostname, port, username, password } = new URL(databaseUrl);
  const PATH = await temporalPath();
  const sql = { SQL_HOST: hostname, SQL_PORT: port, SQL_USER: username, SQL_PASSWORD: password };
  await createDatabases(databaseUrl);
  await printedBy(["sh", "-eu", join(SCRIPTS, "schema.sh")], folder, { env: { ...sql, PATH } });
  const { services } = Bun.YAML.parse(readFileSync(COMPOSE, "utf8")) as {
    services: { temporal: { environment: Record<string, string> } };
  };
  const reserved = new Set<number>();
  const ports: Record<string, string> = {};
  for (const name of [...PORTS, "FRONTEND_HTTP_PORT"]) ports[name] = String(await nextFreePort(0, hostname, reserved));
  const place = { POSTGRES_SEEDS: hostname, DB_PORT: port, POSTGRES_USER: username, POSTGRES_PWD: password };
  const log = openSync(join(folder, "temporal-server.log"), "a");
  const child = Bun.spawn([join(await temporalPrograms(), "temporal-server"), "start"], {
    cwd: folder,
    env: {
      ...services.temporal.environment,
      ...{ ...place, ...ports, BIND_ON_IP: hostname, TEMPORAL_BROADCAST_ADDRESS: hostname },
      ...{ DYNAMIC_CONFIG_FILE_PATH: join(SCRIPTS, "dynamic.yaml"), LOG_LEVEL: "warn", PATH, ...env },
    },
    stdio: ["ignore", log, log],
  });
  closeSync(log);
  const stop = async () => {
    child.kill("SIGTERM");
    await child.exited;
  };
  const address = `${hostname}:${ports.FRONTEND_GRPC_PORT}`;
  try {
    const script = printedBy(["timeout", "120", "sh", "-eu", join(SCRIPTS, "namespace.sh")], folder, {
      env: { PATH, TEMPORAL_ADDRESS: address },
    });
    const gone = child.exited.then((code) => {
      throw new Error(`Temporal ended with exit code ${code}: see ${folder}/temporal-server.log`);
    });
    await Promise.race([script, gone]);
  } catch (error) {
    await stop();
    throw error;
  }
  return { address, pid: child.pid, [Symbol.asyncDispose]: stop };
}
