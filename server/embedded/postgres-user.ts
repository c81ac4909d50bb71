// PostgreSQL refuses to run as root. As root we run it as the user `postgres`, who must be able to reach its files.

import { chownSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, symlinkSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

export interface OsUser {
  uid: number;
  gid: number;
}

const USER = "postgres";
/** Where root keeps what the user `postgres` could not reach elsewhere. */
const REACHABLE_FOLDER = "/var/lib/gatehouse";

/** The OS user PostgreSQL runs as, or undefined for our own, which is right for everybody but root. */
export function postgresUser(say: (line: string) => void): OsUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const known = lookUp();
  if (known) return known;
  say(`PostgreSQL refuses to run as root, so a system user named "${USER}" is created for it`);
  for (const command of [
    ["useradd", "--system", "--user-group", "--no-create-home", USER],
    ["adduser", "-S", "-H", USER],
  ]) {
    if (!Bun.which(command[0] as string)) continue;
    Bun.spawnSync(command);
    const made = lookUp();
    if (made) return made;
  }
  throw new Error(
    `PostgreSQL refuses to run as root, and a user named "${USER}" could not be created. ` +
      "Create one, start as another user, or set DATABASE_URL to a PostgreSQL of your own.",
  );
}

function lookUp(): OsUser | undefined {
  const [uid, gid] = ["-u", "-g"].map((flag) => {
    const id = Bun.spawnSync(["id", flag, USER], { stderr: "ignore" });
    return id.success ? Number(id.stdout.toString().trim()) : Number.NaN;
  });
  return uid && gid ? { uid, gid } : undefined;
}

/** The folder of PostgreSQL's programs, copied to where `user` can run them if need be. */
export function reachablePrograms(postgres: string, user: OsUser | undefined): string {
  const programs = dirname(postgres);
  if (!user || canReach(postgres, user)) return programs;
  const { version } = JSON.parse(readFileSync(resolve(programs, "../../package.json"), "utf8")) as { version: string };
  const copy = join(REACHABLE_FOLDER, `postgresql-${version}`);
  if (!existsSync(copy)) {
    mkdirSync(REACHABLE_FOLDER, { recursive: true, mode: 0o755 });
    const draft = mkdtempSync(`${copy}.`);
    cpSync(resolve(programs, ".."), draft, { recursive: true, verbatimSymlinks: true });
    Bun.spawnSync(["chmod", "-R", "a+rX", draft]);
    renameSync(draft, copy);
  }
  return join(copy, "bin");
}

/**
 * Makes the empty directory `path` for `user`. Under a closed one such as /root it becomes a link to a directory that
 * `user` can reach.
 * @returns where it really is
 */
export function makeOwnedDirectory(path: string, user: OsUser | undefined, say: (line: string) => void): string {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  if (!user) return path;
  chownSync(path, user.uid, user.gid);
  if (canReach(path, user)) return path;
  mkdirSync(REACHABLE_FOLDER, { recursive: true, mode: 0o755 });
  const real = mkdtempSync(join(REACHABLE_FOLDER, "postgres-"));
  chownSync(real, user.uid, user.gid);
  say(`the user "${USER}" cannot enter ${dirname(path)}, so the database is kept in ${real}`);
  Bun.spawnSync(["rmdir", path]);
  symlinkSync(real, path);
  return real;
}

function canReach(path: string, user: OsUser): boolean {
  return Bun.spawnSync(["test", "-x", path], user).success;
}
