import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { commandFor, failedTests } from "../../support/failed-tests.ts";

const TESTS = {
  "a.test.ts": `
    import { expect, test } from "bun:test";
    test("holds", () => {});
    test("doesn't hold <twice> (1 & 2)", () => expect(1).toBe(2));
  `,
  "b.test.ts": `
    import { beforeAll, test } from "bun:test";
    test("ends", () => { throw new Error("no"); });
  `,
};

async function report(...args: string[]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-report-"));
  try {
    for (const [name, text] of Object.entries(TESTS)) writeFileSync(join(folder, name), text);
    const command = [process.execPath, "test", "--reporter=junit", "--reporter-outfile=report.xml", ...args];
    await Bun.spawn(command, { cwd: folder, stdio: ["ignore", "ignore", "ignore"] }).exited;
    return await Bun.file(join(folder, "report.xml")).text();
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test("one failed test is run by its file and its name", async () => {
  const failed = await failedTests(await report("a.test.ts"));
  expect(failed).toEqual([{ file: "a.test.ts", name: "doesn't hold <twice> (1 & 2)" }]);
  expect(commandFor(failed)).toBe(`bun run test a.test.ts -t 'doesn'\\''t hold <twice> \\(1 & 2\\)'`);
});

test("several are run by their files, and one that failed in each repetition is one", async () => {
  expect(commandFor(await failedTests(await report("--parallel=2")))).toBe("bun run test a.test.ts b.test.ts");
  expect(await failedTests(await report("--rerun-each=3", "b.test.ts"))).toHaveLength(1);
});

test("a file that could not be loaded is run as a whole, and a passing run has no such line", () => {
  expect(commandFor([{ file: "test/a.test.ts" }])).toBe("bun run test test/a.test.ts");
  expect(commandFor([])).toBeUndefined();
});
