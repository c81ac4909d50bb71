// Starts PostgreSQL and the API in a new folder. Temporal and the worker do not run, because these measurements need
// neither and both use CPU.

import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { apiPart, readiness } from "../server/appliance/embedded/api.ts";
import { newMasterKey, openLog } from "../server/appliance/embedded/data-directory.ts";
import { Part } from "../server/appliance/embedded/part.ts";
import { nextFreePort } from "../server/appliance/embedded/ports.ts";
import { preparePostgresql } from "../server/appliance/embedded/postgresql.ts";
import { createTenant, type NewTenant } from "../server/identity/tenants/index.ts";
import { readConfig } from "../server/platform/config/config.ts";
import { connect, type Sql } from "../server/platform/db/sql.ts";
import { prepareDatabase } from "../server/platform/process.ts";

const HOST = "127.0.0.1";
/** High enough for all clients of the bench. */
const RATE_LIMIT = "1000000";

export interface OwnApi extends AsyncDisposable {
  url: string;
  pid: number;
  databaseUrl: string;
  /** For setup and counts. */
  sql: Sql;
  tenant: NewTenant;
}

/** @param env settings of the API beside its defaults @param through the API's way to PostgreSQL: the address of a relay */
export async function startOwnApi(
  env: Record<string, string> = {},
  through = async (databaseUrl: string) => databaseUrl,
): Promise<OwnApi> {
  const dataDir = mkdtempSync(join(tmpdir(), "gatehouse-bench-"));
  // If we are root, PostgreSQL runs as a different user, which must be able to enter the folder.
  chmodSync(dataDir, 0o711);
  await using started = new AsyncDisposableStack();
  started.defer(() => rmSync(dataDir, { recursive: true, force: true }));
  const start = async (part: Part) => {
    started.defer(() => part.stop());
    await part.start();
    return part;
  };
  const say = (line: string) => console.error(line);
  const reserved = new Set<number>();

  const postgresql = await preparePostgresql({ dataDir, say, signal: new AbortController().signal });
  const postgresqlPort = await nextFreePort(0, HOST, reserved);
  await start(new Part(postgresql.part(postgresqlPort), say));
  const databaseUrl = postgresql.url(postgresqlPort);
  await prepareDatabase(databaseUrl);

  const port = await nextFreePort(0, HOST, reserved);
  const url = `http://${HOST}:${port}`;
  const settings = {
    ...process.env,
    DATA_DIR: dataDir,
    DATABASE_URL: await through(databaseUrl),
    MASTER_KEY: newMasterKey(),
    HOST,
    PORT: String(port),
    PUBLIC_URL: url,
    RATE_LIMIT,
    RATE_LIMIT_BURST: RATE_LIMIT,
    ...env,
  };
  const run = { env: settings, output: openLog(dataDir, "gatehouse").fd, watch: false };
  const api = await start(new Part(apiPart(run, url, readConfig(settings).shutdown), say));
  while ((await readiness(url)).status === "unavailable") await Bun.sleep(50);

  const sql = connect(databaseUrl, "gatehouse bench", 2);
  started.defer(() => sql.end());
  const tenant = await createTenant(sql, "bench");
  const running = started.move();
  let stopping: Promise<void> | undefined;
  const stop = () => {
    stopping ??= running.disposeAsync();
    return stopping;
  };
  // PostgreSQL has its own process group, so it does not receive Ctrl-C. `bun run` may forward the signal a second time.
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => void stop().finally(() => process.exit(1)));
  }
  return { url, pid: api.pid!, databaseUrl, sql, tenant, [Symbol.asyncDispose]: stop };
}

/** Starts the server to compare with, which prints its address as a line of JSON. */
export async function startOther<Hello extends { url: string }>(
  command: string[],
  env: Record<string, string>,
): Promise<Hello & { pid: number } & AsyncDisposable> {
  const child = Bun.spawn(command, { env: { ...process.env, ...env }, stdin: "ignore", stdout: "pipe" });
  let said = "";
  for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
    said += chunk;
    if (said.includes("\n")) break;
  }
  if (!said.includes("\n")) throw new Error(`${command.join(" ")} ended with ${await child.exited}.`);
  const stop = async () => {
    child.kill("SIGTERM");
    await child.exited;
  };
  return { ...(JSON.parse(said) as Hello), pid: child.pid, [Symbol.asyncDispose]: stop };
}
