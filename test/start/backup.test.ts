// The database of `start` is backed up and restored, and pending deliveries are sent.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { copyFileSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { PROJECT_ROOT } from "../../server/config.ts";
import { tarHeader, tarPadding } from "../../server/embedded/tar.ts";
import { makeChanges, settleLedger, untilLogSaysDelivered } from "../crash/ledger.ts";
import { type Api, signIn, until } from "../support/api.ts";
import { newDataDirectory, temporaryDirectory } from "../support/directories.ts";
import { type Receiver, startReceiver } from "../support/receiver.ts";
import { type Stack, startStack, withoutSettings } from "../support/stack.ts";
import { newTenant } from "../support/tenant.ts";
import { FILES, runEntry } from "./entry.ts";

const CHANGES = 12;

let stack: Stack;
let receiver: Receiver;
let committed: string[];
let api: Api;
let file: string;

const backup = (dataDir: string, ...args: string[]) => runEntry("backup", { DATA_DIR: dataDir }, args);
const restore = (dataDir: string, ...args: string[]) => runEntry("restore", { DATA_DIR: dataDir }, args);

/** A DATA_DIR with only the master key. */
function newPlace(): string {
  const place = temporaryDirectory("restored");
  copyFileSync(join(stack.dataDir, "master.key"), join(place, "master.key"));
  return place;
}

beforeAll(async () => {
  stack = await startStack({ dataDir: newDataDirectory("backed-up") });
  api = await newTenant(stack);
  receiver = startReceiver(200, { dataDir: process.env.GATEHOUSE_TEST_DATA_DIR ?? stack.dataDir });
  await api.connect(receiver.url);
  await stack.parts.worker.stop();
  committed = await makeChanges(api, (made) => made >= CHANGES);
  file = join(temporaryDirectory("backup"), "gatehouse.backup");
}, 180_000);
afterAll(async () => {
  await receiver?.[Symbol.asyncDispose]();
  await stack?.stop();
}, 180_000);

describe("a backup that was taken while changes were made", () => {
  test("is one private file, and its command says where MASTER_KEY is", async () => {
    let isDone = false;
    const meanwhile = makeChanges(api, () => isDone, 2);
    const made = await backup(stack.dataDir, file);
    isDone = true;
    expect(made.output).toContain(`${file} is the backup`);
    expect(made.output).toContain(`store ${join(stack.dataDir, "master.key")} separately`);
    expect(made.exitCode).toBe(0);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await meanwhile).not.toBeEmpty();
    await stack.stop();
    expect(receiver.calls).toBeEmpty();
  });

  test("is restored elsewhere, and what was pending is delivered there", async () => {
    const place = newPlace();
    copyFileSync(join(stack.dataDir, "demo.json"), join(place, "demo.json"));
    const restored = await restore(place, file);
    expect(restored.output).toContain(`is restored in ${join(place, "postgres")}`);
    expect(restored.exitCode).toBe(0);
    await using second = await startStack({ dataDir: place });
    expect(await settleLedger("restored from a backup", committed, receiver)).toMatchObject({
      committed: CHANGES,
      delivered: CHANGES,
      lost: 0,
    });
    await untilLogSaysDelivered(await signIn(second.url, api.tenant));
  });
});

test("a Gatehouse that is stopped is backed up as well, and stays stopped", async () => {
  const other = join(temporaryDirectory("backup"), "stopped.backup");
  const made = await backup(stack.dataDir, other);
  expect(made.output).toContain(`${other} is the backup`);
  expect(existsSync(join(stack.dataDir, "postgres", "postmaster.pid"))).toBe(false);
  const place = newPlace();
  expect((await restore(place, other)).exitCode).toBe(0);
  expect(statSync(join(place, "postgres.password")).mode & 0o777).toBe(0o600);
});

/** Sends SIGTERM once this folder has a file of this name. @returns the output, after exit code 1 */
async function interrupted(entry: "backup" | "restore", dataDir: string, target: string, folder: string, name: RegExp) {
  const child = Bun.spawn([process.execPath, FILES[entry], target], {
    cwd: PROJECT_ROOT,
    env: { ...withoutSettings(process.env), DATA_DIR: dataDir, LOG_FORMAT: "text" },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  await until("its draft", () => readdirSync(folder).some((found) => name.test(found)));
  child.kill("SIGTERM");
  const output = (await new Response(child.stdout).text()) + (await new Response(child.stderr).text());
  expect(await child.exited).toBe(1);
  return output;
}

test("a backup that is interrupted says so, and leaves neither a file nor a PostgreSQL", async () => {
  const place = temporaryDirectory("backup");
  const output = await interrupted("backup", stack.dataDir, join(place, "a.backup"), place, /part$/);
  expect(output).toContain("The backup was interrupted. It has left no file.");
  expect(readdirSync(place)).toEqual([]);
  expect(existsSync(join(stack.dataDir, "postgres", "postmaster.pid"))).toBe(false);
}, 60_000);

test("a restore that is interrupted says so, and leaves no files", async () => {
  const place = newPlace();
  const output = await interrupted("restore", place, file, place, /^postgres\.restored$/);
  expect(output).toContain("The restore was interrupted. It has left no files.");
  expect(readdirSync(place).filter((name) => name.startsWith("postgres"))).toEqual([]);
}, 60_000);

test("of two backups to the same file at once, one is complete and the other is refused", async () => {
  const place = temporaryDirectory("backup");
  const same = join(place, "same.backup");
  await using running = await startStack({ dataDir: stack.dataDir });
  const both = await Promise.all([backup(running.dataDir, same), backup(running.dataDir, same)]);
  expect(both.map(({ exitCode }) => exitCode).toSorted()).toEqual([0, 1]);
  expect(both.map(({ output }) => output).join()).toContain(`${same} already exists. Choose a new file.`);
  expect(readdirSync(place)).toEqual(["same.backup"]);
  expect((await restore(newPlace(), same)).exitCode).toBe(0);
}, 180_000);

describe("a backup is refused in words", () => {
  test("over a file that is there", async () => {
    expect(await backup(stack.dataDir, file)).toMatchObject({
      exitCode: 1,
      output: `${file} already exists. Choose a new file.\n`,
    });
  });

  test("into a folder that is not", async () => {
    const { exitCode, output } = await backup(stack.dataDir, join(stack.dataDir, "none", "a.backup"));
    expect(exitCode).toBe(1);
    expect(output).toContain("cannot be written: ENOENT");
  });

  test("of a DATA_DIR without a database, and of a database of one's own", async () => {
    const place = temporaryDirectory("empty");
    expect((await backup(place, file)).output).toBe(`There is no database in ${place}.\n`);
    const outside = await runEntry("backup", { DATABASE_URL: stack.databaseUrl }, [file]);
    expect(outside.output).toContain("use the tools of that PostgreSQL");
  });

  test("without a file's name", async () => {
    for (const run of [backup, restore]) {
      expect(await run(stack.dataDir)).toMatchObject({
        exitCode: 2,
        output: expect.stringContaining("Usage: bun run"),
      });
    }
  });
});

describe("a restore is refused in words, and leaves nothing behind", () => {
  const refused = async (place: string, from: string) => {
    const before = readdirSync(place).toSorted();
    const { exitCode, output } = await restore(place, from);
    expect(exitCode).not.toBe(0);
    const made = readdirSync(place).filter((name) => !name.startsWith("start."));
    expect(made.toSorted()).toEqual(before.filter((name) => !name.startsWith("start.")));
    return output;
  };
  const fileOf = (bytes: Uint8Array) => {
    const path = join(temporaryDirectory("backup"), "changed.backup");
    writeFileSync(path, bytes);
    return path;
  };
  /** The backup with a changed description, or without one. */
  const described = (change: object | null) => {
    const bytes = gunzipSync(readFileSync(file));
    const size = Number.parseInt(bytes.toString("latin1", 124, 135), 8);
    const description = change && { ...JSON.parse(bytes.toString("utf8", 512, 512 + size)), ...change };
    const content = Buffer.from(JSON.stringify(description));
    const header = tarHeader({ name: "gatehouse-backup.json", isDirectory: false, size: content.length });
    const rest = bytes.subarray(512 + size + tarPadding(size).length);
    return fileOf(gzipSync(Buffer.concat([header, content, tarPadding(content.length), rest]), { level: 1 }));
  };

  test("without MASTER_KEY, and with a different one", async () => {
    expect(await refused(temporaryDirectory("keyless"), file)).toContain("MASTER_KEY is missing");
    const place = temporaryDirectory("wrong-key");
    writeFileSync(join(place, "master.key"), Buffer.alloc(32, 7).toString("base64"));
    expect(await refused(place, file)).toContain(`This MASTER_KEY is not that of ${file}`);
  });

  test("where there is a database", async () => {
    expect(await refused(stack.dataDir, file)).toContain(`${stack.dataDir} is not empty`);
  });

  test("while Gatehouse runs there", async () => {
    const running = process.env.GATEHOUSE_TEST_DATA_DIR!;
    expect((await restore(running, file)).output).toContain(`Gatehouse is already running in ${running}`);
  });

  test("of a missing, foreign or truncated file", async () => {
    const none = join(stack.dataDir, "none.backup");
    expect(await refused(newPlace(), none)).toBe(`There is no file ${none}.\n`);
    for (const bytes of [
      Buffer.from("no backup"),
      gzipSync("no backup"),
      gzipSync(tarHeader({ name: "a", isDirectory: false, size: 0 })),
      readFileSync(file).subarray(0, statSync(file).size / 2),
      readFileSync(file).subarray(0, statSync(file).size - 4),
    ]) {
      expect(await refused(newPlace(), fileOf(bytes))).toContain("is not a complete Gatehouse backup: ");
    }
  });

  test("of another format, another PostgreSQL or newer code", async () => {
    expect(await refused(newPlace(), described({ Format: 2 }))).toContain("of format 2; this code reads format 1");
    expect(await refused(newPlace(), described({ PostgreSQL: "17" }))).toContain("was created by PostgreSQL 17");
    expect(await refused(newPlace(), described({ Migrations: ["900-later.sql"] }))).toContain(
      "newer code (900-later.sql)",
    );
  });

  test("of an incomplete description", async () => {
    const fields = ["Format", "PostgreSQL", "Migrations", "Bytes", "MasterKeyCheck"];
    for (const change of [null, ...fields.map((field) => ({ [field]: null }))]) {
      expect(await refused(newPlace(), described(change))).toContain("does not describe a backup");
    }
  });
});
