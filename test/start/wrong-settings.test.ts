// Messages about wrong settings: all at once, without a stack.

import { expect, test } from "bun:test";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { nextFreePort } from "../../server/appliance/embedded/ports.ts";
import { temporaryDirectory } from "../support/directories.ts";
import { runEntry } from "../support/entry.ts";
import { startProcess } from "../support/process.ts";
import { setting } from "../world/tenant.ts";

const KEY = Buffer.alloc(32, 7).toString("base64");
const NO_PEM = join(temporaryDirectory("settings"), "no.pem");
writeFileSync(NO_PEM, "this is no certificate\n");

test.concurrent.each([
  ["start", [], ["HOST", "MASTER_KEY", "EGRESS_CA_FILE", "LOG_LEVEL", "WEBHOK_TIMEOUT"]],
  ["server", [], ["HOST", "MASTER_KEY", "EGRESS_CA_FILE", "LOG_LEVEL", "WEBHOK_TIMEOUT"]],
  ["worker", [], ["MASTER_KEY", "EGRESS_CA_FILE", "LOG_LEVEL", "WEBHOK_TIMEOUT"]],
  ["migrate", [], ["EGRESS_CA_FILE", "LOG_LEVEL", "WEBHOK_TIMEOUT"]],
  ["tenant", ["create", "acme"], ["EGRESS_CA_FILE", "LOG_LEVEL", "WEBHOK_TIMEOUT"]],
  ["keys", ["rotate"], ["EGRESS_CA_FILE", "LOG_LEVEL", "WEBHOK_TIMEOUT"]],
] as const)("`bun run %s` reports all errors of its settings and exits with 2", async (entry, args, names) => {
  const env = {
    DATABASE_URL: "postgres://nobody@127.0.0.1:1/none",
    HOST: "no.such.name.invalid",
    EGRESS_CA_FILE: NO_PEM,
    LOG_LEVEL: "loud",
    WEBHOK_TIMEOUT: "5s",
  };
  const { exitCode, output } = await runEntry(entry, env, [...args]);
  expect(exitCode).toBe(2);
  const lines = output.trim().split("\n");
  expect(lines[0]).toBe("The configuration is invalid:");
  expect(lines.slice(1).map((line) => /^ {2}- (\w+) /.exec(line)?.[1])).toEqual([...names]);
  expect(output).toContain("WEBHOK_TIMEOUT is set, which Gatehouse does not know; it must be WEBHOOK_TIMEOUT");
  expect(output).toContain(`EGRESS_CA_FILE is "${NO_PEM}"; it must be a file of certificates in PEM form`);
});

test.concurrent.each([
  ["a file", NO_PEM, "EEXIST"],
  ["below a file", join(NO_PEM, "data"), "ENOTDIR"],
  ["not to be made", join(readOnlyDirectory(), "data"), ""],
])("a DATA_DIR that is %s is reported", async (_, dataDir, code) => {
  const { exitCode, output } = await runEntry("start", { DATA_DIR: dataDir });
  expect(exitCode).toBe(2);
  const [first, problem, ...rest] = output.trim().split("\n");
  expect(first).toBe("The configuration is invalid:");
  expect(problem).toStartWith(
    `  - DATA_DIR is "${dataDir}"; it must be a directory that this user can write to (${code}`,
  );
  expect(rest).toEqual([]);
});

/** root can write everywhere except in a file system without directories. */
function readOnlyDirectory(): string {
  if (process.getuid?.() === 0) return "/proc";
  const path = temporaryDirectory("read-only");
  chmodSync(path, 0o500);
  return path;
}

test.concurrent.each([
  ["tenant", ["create", "acme"]],
  ["keys", ["rotate"]],
  ["keys", ["reseal"]],
  ["migrate", []],
] as const)("an unreachable database is reported by `bun run %s %j`", async (entry, args) => {
  const env = { DATABASE_URL: "postgres://user:hunter2@127.0.0.1:1/gate", MASTER_KEY: KEY };
  const { exitCode, output } = await runEntry(entry, env, [...args]);
  expect(exitCode).toBe(1);
  expect(output.trim()).toMatch(/^PostgreSQL at 127\.0\.0\.1:1\/gate cannot be used: .*ECONNREFUSED.*$/);
});

test.concurrent.each(["server/serve.ts", "activities/worker.ts"])(
  "%s waits for an unreachable database, and names it",
  async (entry) => {
    const env = { DATABASE_URL: "postgres://user:hunter2@127.0.0.1:1/gate", MASTER_KEY: KEY, PORT: "0" };
    await using started = startProcess(entry, env);
    const line = await started.said((message) => message.startsWith("PostgreSQL at 127.0.0.1:1/gate is unavailable:"));
    expect(JSON.stringify(line)).not.toContain("hunter2");
    started.signal("SIGTERM");
    expect(await started.exited).toBe(0);
  },
);

test.concurrent("two servers cannot share a port", async () => {
  const port = await nextFreePort(0, "127.0.0.1", new Set());
  const taken = Bun.serve({ hostname: "127.0.0.1", port, reusePort: true, fetch: () => new Response() });
  const { exitCode, output } = await runEntry("server", {
    DATABASE_URL: setting("GATEHOUSE_TEST_DATABASE_URL"),
    MASTER_KEY: setting("GATEHOUSE_TEST_MASTER_KEY"),
    PORT: String(port),
  });
  await taken.stop(true);
  expect(exitCode).toBe(1);
  expect(output.trim()).toBe(`PORT is ${port}, which is already in use. Stop its process, or set PORT to another.`);
});

test.concurrent("a restrictive umask does not exclude PostgreSQL's user, and excludes all others", async () => {
  const path = join(temporaryDirectory("umask"), "data");
  const script = `
    import { statSync } from "node:fs";
    import { takeDataDirectory } from "./server/appliance/embedded/data-directory.ts";
    process.umask(0o077);
    takeDataDirectory(process.env.DATA);
    console.log((statSync(process.env.DATA).mode & 0o777).toString(8));`;
  const child = Bun.spawn([process.execPath, "-e", script], { env: { ...process.env, DATA: path }, stdout: "pipe" });
  // Run by root, PostgreSQL has a different user, which must be able to enter the folder.
  expect((await new Response(child.stdout).text()).trim()).toBe(process.getuid?.() === 0 ? "711" : "700");
});

test.concurrent("a DATA_DIR with files of another user is reported", async () => {
  const path = temporaryDirectory("others");
  // root can write every file, but not a directory with the file's name.
  mkdirSync(join(path, "start.pid"));
  const { exitCode, output } = await runEntry("start", { DATA_DIR: path });
  expect(exitCode).toBe(2);
  expect(output).toContain(`DATA_DIR is "${path}"; it must be a directory that this user can write to (`);
});
