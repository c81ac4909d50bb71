// PostgreSQL refuses to run as root. Then it runs as the user `postgres`, who must be able to access its files.

import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmdirSync,
  symlinkSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { makeDirectory } from "./data-directory.ts";
import { runProgram } from "./processes.ts";

export interface OsUser {
  uid: number;
  gid: number;
}

const USER = "postgres";
/** A directory that the user `postgres` can access. */
const REACHABLE_FOLDER = "/var/lib/gatehouse";

/** The OS user for PostgreSQL; undefined unless this process is root. */
export async function postgresUser(say: (line: string) => void, signal: AbortSignal): Promise<OsUser | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const known = await lookUp();
  if (known) return known;
  // Ctrl-C may have ended the look-up.
  signal.throwIfAborted();
  say(`PostgreSQL refuses to run as root, so a system user named "${USER}" is created for it`);
  for (const command of [
    ["useradd", "--system", "--user-group", "--no-create-home", USER],
    ["adduser", "-S", "-H", USER],
  ]) {
    if (!Bun.which(command[0] as string)) continue;
    await runProgram(command);
    const made = await lookUp();
    if (made) return made;
  }
  throw new Error(
    `PostgreSQL refuses to run as root, and a user named "${USER}" could not be created. ` +
      "Create one, start as another user, or set DATABASE_URL to your own PostgreSQL.",
  );
}

async function lookUp(): Promise<OsUser | undefined> {
  const ids = await Promise.all(["-u", "-g"].map((flag) => runProgram(["id", flag, USER])));
  const [uid, gid] = ids.map(({ success, output }) => (success ? Number(output) : Number.NaN));
  return uid && gid ? { uid, gid } : undefined;
}

/** The folder of PostgreSQL's programs, copied if `user` cannot access it. */
export async function reachablePrograms(postgres: string, user: OsUser | undefined): Promise<string> {
  const programs = dirname(postgres);
  if (!user || (await canReach(postgres, user))) return programs;
  const { version } = JSON.parse(readFileSync(resolve(programs, "../../../package.json"), "utf8")) as {
    version: string;
  };
  const copy = join(REACHABLE_FOLDER, `postgresql-${version}`);
  if (!existsSync(copy)) {
    makeDirectory(REACHABLE_FOLDER, 0o755);
    const draft = mkdtempSync(`${copy}.`);
    cpSync(resolve(programs, ".."), draft, { recursive: true, verbatimSymlinks: true });
    await runProgram(["chmod", "-R", "a+rX", draft]);
    renameSync(draft, copy);
  }
  return join(copy, "bin");
}

/** An empty directory for `user`; it becomes a link if `user` cannot access its parent. @returns the real path */
export async function makeOwnedDirectory(
  path: string,
  user: OsUser | undefined,
  say: (line: string) => void,
): Promise<string> {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  if (!user) return path;
  chownSync(path, user.uid, user.gid);
  if (await canReach(path, user)) return path;
  makeDirectory(REACHABLE_FOLDER, 0o755);
  const real = mkdtempSync(join(REACHABLE_FOLDER, "postgres-"));
  chownSync(real, user.uid, user.gid);
  say(`the user "${USER}" cannot enter ${dirname(path)}, so the database is kept in ${real}`);
  rmdirSync(path);
  symlinkSync(real, path);
  return real;
}

async function canReach(path: string, user: OsUser): Promise<boolean> {
  return (await runProgram(["test", "-x", path], user)).success;
}
