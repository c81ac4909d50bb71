// Output of entries without a terminal: always JSON lines.

import { expect, test } from "bun:test";
import { newEmptyDatabase } from "../support/empty-database.ts";
import { type Entry, FILES, runEntry } from "../support/entry.ts";
import { setting } from "../world/tenant.ts";

const ENTRIES = Object.keys(FILES) as Entry[];
/** Arguments of each entry. */
const ARGS: Partial<Record<Entry, string[]>> = {
  tenant: ["create", "acme"],
  keys: ["rotate"],
  backup: ["gatehouse.backup"],
  restore: ["gatehouse.backup"],
};

test.concurrent.each(ENTRIES)("`bun run %s` reports invalid settings in one line of JSON", async (entry) => {
  for (const LOG_FORMAT of ["json", ""]) {
    const env = { LOG_FORMAT, LOG_LEVEL: "loud", WEBHOOK_TIMOUT: "5s" };
    const { exitCode, output } = await runEntry(entry, env, ARGS[entry]);
    expect(exitCode).toBe(2);
    expect(parsed(output)).toEqual([
      expect.objectContaining({ level: 60, part: expect.any(String), msg: expect.stringContaining("WEBHOOK_TIMEOUT") }),
    ]);
  }
});

test.concurrent.each(["start", "migrate", "tenant", "keys"] as const)(
  "`bun run %s` reports a wrong command line in one line of JSON",
  async (entry) => {
    const { exitCode, output } = await runEntry(entry, { LOG_FORMAT: "json" }, ["--no-such-option"]);
    expect(exitCode).toBe(2);
    expect(parsed(output)).toEqual([expect.objectContaining({ level: 60, msg: expect.stringContaining("Usage: ") })]);
  },
);

test("commands print results as JSON lines, and as text on request", async () => {
  await using database = await newEmptyDatabase();
  const env = { DATABASE_URL: database.url, MASTER_KEY: setting("GATEHOUSE_TEST_MASTER_KEY") };
  const run = async (entry: Entry, LOG_FORMAT: string) => {
    const { exitCode, output } = await runEntry(
      entry,
      { ...env, LOG_FORMAT },
      ARGS[entry]?.with(-1, `acme${LOG_FORMAT}`),
    );
    return { exitCode, output };
  };
  const migrated = await run("migrate", "json");
  expect(migrated.exitCode).toBe(0);
  expect(parsed(migrated.output)).toMatchObject([
    { level: 30, part: "migrate", msg: expect.stringMatching(/^Applied: 001-schema\.sql/) },
  ]);
  expect((await run("migrate", "text")).output).toBe("The database is up to date.\n");
  const made = await run("tenant", "json");
  expect(parsed(made.output)).toMatchObject([
    { tenantId: expect.any(String), client: { clientId: expect.any(String) } },
  ]);
  expect(JSON.parse((await run("tenant", "text")).output)).toMatchObject({ tenantId: expect.any(String) });
  const again = await run("tenant", "json");
  expect([again.exitCode, parsed(again.output)]).toMatchObject([1, [{ level: 60, part: "tenant" }]]);
  const rotated = await runEntry("keys", { ...env, LOG_FORMAT: "json" }, ["rotate"]);
  expect(rotated.exitCode).toBe(0);
  expect(parsed(rotated.output).length).toBeGreaterThan(1);
});

test("a server and a worker that stop on an error log it as a line of JSON", async () => {
  const script = `
    import { runEntry } from "./server/platform/process.ts";
    await runEntry("api", async () => { setTimeout(() => { throw new Error("a fault"); }, 1); await Bun.sleep(60_000); });`;
  const child = Bun.spawn([process.execPath, "-e", script], { stdout: "pipe", stderr: "pipe" });
  const output = (await new Response(child.stdout).text()) + (await new Response(child.stderr).text());
  expect(await child.exited).toBe(1);
  expect(parsed(output)).toMatchObject([
    { level: 60, part: "api", msg: "a fault", err: { stack: expect.any(String) } },
  ]);
});

function parsed(output: string): Record<string, unknown>[] {
  return output
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}
