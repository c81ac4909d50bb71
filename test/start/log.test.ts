// Two logs whose readers may not read all records.

import { expect, test } from "bun:test";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { LOG_LIMIT, openLog, rotateLogs } from "../../server/appliance/embedded/data-directory.ts";
import { PROJECT_ROOT } from "../../server/platform/config/config.ts";
import { connect } from "../../server/platform/db/sql.ts";
import { newDataDirectory } from "../support/directories.ts";
import { newEmptyDatabase } from "../support/empty-database.ts";
import { runEntry } from "../support/entry.ts";
import { startProcess } from "../support/process.ts";
import { setting } from "../world/tenant.ts";

const VALUE = `ada-${Bun.randomUUIDv7()}@example.com`;
const CONFLICT = 'duplicate key value violates unique constraint "people_name_key"';
const STATEMENTS = ["create temp table people (name text unique)", "insert into people values ($1)"];

test("a conflict is in PostgreSQL's log, without the value and the statement", async () => {
  const sql = connect(setting("GATEHOUSE_TEST_DATABASE_URL"), "gatehouse test", 1);
  await sql.unsafe(STATEMENTS[0]!);
  await sql.unsafe(STATEMENTS[1]!, [VALUE]);
  const error = await sql.unsafe(STATEMENTS[1]!, [VALUE]).catch((error) => error);
  const literal = await sql.unsafe(`insert into people values ('${VALUE}')`).catch((error) => error);
  await sql.end();
  expect([error.detail, literal.detail]).toEqual([expect.stringContaining(VALUE), expect.stringContaining(VALUE)]);

  const log = readFileSync(join(setting("GATEHOUSE_TEST_DATA_DIR"), "logs", "postgresql.log"), "utf8");
  expect(log).toContain(CONFLICT);
  expect(log).not.toContain(VALUE);
  expect(log).not.toContain("STATEMENT:");
});

test("an error is in our log with message, stack and cause, without PostgreSQL's values", async () => {
  const script = `
    import { connect } from "./server/platform/db/sql.ts";
    import { createLog } from "./server/platform/log.ts";
    const log = createLog("info", "test");
    const sql = connect(process.env.DATABASE_URL, "gatehouse test", 1);
    await sql.unsafe(process.env.CREATE);
    await sql.unsafe(process.env.INSERT, [process.env.VALUE]);
    await sql.unsafe(process.env.INSERT, [process.env.VALUE]).catch((err) => log.warn({ err }, "refused"));
    log.warn({ error: new Error("outer", { cause: new Error("inner") }) }, "failed");
    log.warn({ error: "a text" }, "failed");
    await sql.end();`;
  const [CREATE, INSERT] = STATEMENTS;
  const output = await outputOf(script, {
    DATABASE_URL: setting("GATEHOUSE_TEST_DATABASE_URL"),
    VALUE,
    CREATE,
    INSERT,
  });
  expect(linesOf(output)).toMatchObject([
    { msg: "refused", err: { message: CONFLICT, code: "23505", stack: expect.stringContaining("at ") } },
    { msg: "failed", error: { message: "outer: inner", stack: expect.stringContaining("at ") } },
    { msg: "failed", error: "a text" },
  ]);
  expect(output).not.toContain(VALUE);
});

test("repeated failures during an outage are one warning per cause, and debug lines", async () => {
  const script = `
    import { createLog, createOutageLog } from "./server/platform/log.ts";
    const log = createLog(process.env.LEVEL, "test");
    const failed = createOutageLog(log);
    for (const event of [1, 2, 3]) failed({ err: new Error("no answer"), event }, "not started");
    failed({ error: "not permitted", event: 4 }, "not started");
    failed({ err: new Error("no answer"), event: 5 }, "not started");`;
  const linesAt = async (LEVEL: string) => linesOf(await outputOf(script, { LEVEL }));
  expect((await linesAt("info")).map(({ level, event }) => [level, event])).toEqual([
    [40, 1],
    [40, 4],
  ]);
  expect((await linesAt("debug")).map(({ event }) => event)).toEqual([1, 2, 3, 4, 5]);
});

test.each([
  ["number", { level: 30 }, { level: 60 }],
  ["word", { level: "info" }, { level: "fatal" }],
  ["severity", { severity: "INFO" }, { severity: "CRITICAL" }],
])("LOG_LEVEL_FORMAT=%s applies to the API, and to output beside the log", async (LOG_LEVEL_FORMAT, info, fatal) => {
  await using database = await newEmptyDatabase();
  const env = {
    DATABASE_URL: database.url,
    MASTER_KEY: setting("GATEHOUSE_TEST_MASTER_KEY"),
    PORT: "0",
    LOG_LEVEL_FORMAT,
  };
  await using api = startProcess("server/serve.ts", env);
  const { part, ...line } = await api.said((message) => message === "api ready");
  expect(line).toMatchObject(info);
  expect(Object.keys(line).filter((name) => /^(level|severity)$/.test(name)) as string[]).toEqual(Object.keys(info));
  const { exitCode, output } = await runEntry("server", { LOG_FORMAT: "json", LOG_LEVEL_FORMAT, PORT: "no" });
  expect([exitCode, linesOf(output)]).toEqual([2, [expect.objectContaining(fatal)]]);
});

test("texts that a caller can lengthen are cut wherever they are in a line", async () => {
  const script = `
    import { createLog } from "./server/platform/log.ts";
    const log = createLog("info", "test");
    const long = "x".repeat(100_000);
    log.info({ value: long }, "a field");
    log.info({ outer: { inner: [{ value: long }] } }, "a nested field");
    log.info(long);
    log.info({ event: 1 }, long);
    log.info("a message with %s", long);
    log.warn(new Error(long));
    log.warn({ err: Object.assign(new Error("failed"), { answer: { body: long } }) }, "an error with a field");
    log.warn({ err: new Error("outer", { cause: new Error(long) }) }, "a cause");
    const circle = { value: long };
    circle.self = circle;
    log.info({ circle }, "a circle");
    log.info({ when: new Date(0), short: ["a", { b: 1 }] }, "unchanged");`;
  const lines = (await outputOf(script, {})).trim().split("\n");
  expect(lines).toHaveLength(10);
  expect(lines.map((line, at) => [at, line.length]).filter(([, length]) => length! > 12_000)).toEqual([]);
  for (const line of lines.slice(0, -1)) expect(line).toContain("x…");
  expect(JSON.parse(lines.at(-1)!)).toMatchObject({ when: "1970-01-01T00:00:00.000Z", short: ["a", { b: 1 }] });
});

/** A program that uses our log. */
function outputOf(script: string, env: Record<string, string | undefined>): Promise<string> {
  const options = { cwd: PROJECT_ROOT, env: { ...process.env, ...env }, stdout: "pipe" } as const;
  return new Response(Bun.spawn([process.execPath, "-e", script], options).stdout).text();
}

function linesOf(output: string): Record<string, unknown>[] {
  return output
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}

test("a log that grows too large while in use is rotated", async () => {
  const dataDir = newDataDirectory("rotated");
  const { file, fd } = openLog(dataDir, "gatehouse");
  // Like a part of the service whose output is collected.
  const write = async (text: string) => {
    const part = Bun.spawn(["cat"], { stdin: new Blob([text]), stdout: fd });
    expect(await part.exited).toBe(0);
  };
  await write("first\n".repeat(LOG_LIMIT / 6 - 10));
  rotateLogs(dataDir);
  expect(existsSync(`${file}.1`)).toBe(false);
  await write("second\n".repeat(100));
  rotateLogs(dataDir);
  await write("third\n");
  expect(readFileSync(file, "utf8")).toBe("third\n");
  expect(readFileSync(`${file}.1`, "utf8")).toEndWith("second\nsecond\n");
  expect(statSync(`${file}.1`).mode & 0o777).toBe(0o600);
});
