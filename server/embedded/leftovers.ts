// A `start` that was killed leaves its PostgreSQL and Temporal running, on ports nobody knows any more.

import { realpathSync, rmSync } from "node:fs";
import { join } from "node:path";
import { commandLine, isAlive, readPid, stopByPid } from "./processes.ts";

type Say = (line: string) => void;

/** Stops what still runs on this DATA_DIR. Only for the one that holds its lock. */
export async function stopLeftovers(dataDir: string, say: Say = () => {}): Promise<void> {
  await stopLeftoverTemporal(dataDir, say);
  await stopLeftoverPostgresql(join(dataDir, "postgres"), say);
}

export async function stopLeftoverPostgresql(cluster: string, say: Say): Promise<void> {
  const pidFile = join(cluster, "postmaster.pid");
  const pid = await readPid(pidFile);
  if (!pid) return;
  const command = await commandLine(pid);
  if (command.includes("postgres") && command.includes(realpathSync(cluster))) {
    say(`stopping the PostgreSQL an earlier start left running (process ${pid})`);
    await stopByPid(pid, "SIGINT", 5_000);
  } else if (isAlive(pid)) {
    // Another program has that number by now. PostgreSQL may take it for its own and not start; a dead one's file must
    // stay, for by it PostgreSQL sees whether a child of the dead one is still at work.
    rmSync(pidFile, { force: true });
  }
}

export async function stopLeftoverTemporal(dataDir: string, say: Say): Promise<void> {
  const { database, pidFile } = temporalFiles(dataDir);
  const pid = await readPid(pidFile);
  if (!pid || !(await commandLine(pid)).includes(database)) return;
  say(`stopping the Temporal server an earlier start left running (process ${pid})`);
  await stopByPid(pid, "SIGTERM", 3_000);
}

export function temporalFiles(dataDir: string) {
  const folder = join(dataDir, "temporal");
  return {
    folder,
    database: join(folder, "temporal.db"),
    pidFile: join(folder, "temporal.pid"),
    /** Names the boot of the machine in which the database was opened; it is there until that is closed. */
    openMark: join(folder, "temporal.open"),
  };
}
