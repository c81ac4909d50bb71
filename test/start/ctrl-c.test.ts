// Ctrl-C reaches every process in the terminal's foreground, at any moment of `start`.

import { expect, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { temporaryDirectory } from "../support/directories.ts";
import { until } from "../world/api.ts";
import { StartCommand } from "./start-command.ts";

/** Milliseconds into a first start, distributed over all its steps. */
const MOMENTS = [150, 500, 800, 1_100, 1_400, 2_000, 3_000];

test.concurrent.each(MOMENTS)(
  "Ctrl-C %d ms into a first start leaves no process and prints no error",
  async (moment) => {
    await using start = new StartCommand(temporaryDirectory("start"), {}, [], undefined, true);
    await Bun.sleep(moment);
    await expectQuietEnd(start);
  },
);

test("Ctrl-C while root's `start` looks up PostgreSQL's user is not reported as a missing user", async () => {
  const slow = temporaryDirectory("slow");
  const asked = join(slow, "asked");
  writeFileSync(join(slow, "id"), `#!/bin/sh\ntouch ${asked}\nsleep 1\nexec ${Bun.which("id")} "$@"\n`, {
    mode: 0o755,
  });
  const env = { PATH: `${slow}:${process.env.PATH}` };
  await using start = new StartCommand(temporaryDirectory("start"), env, [], undefined, true);
  await until("the look-up, or what comes after it", () => existsSync(asked) || start.output.includes("PostgreSQL "));
  await expectQuietEnd(start);
});

async function expectQuietEnd(start: StartCommand): Promise<void> {
  start.pressCtrlC();
  const code = await start.ended();
  // Before it handles signals, no part runs, and the signal itself ends it.
  if (start.output !== "") expect(code).toBe(0);
  for (const sign of [/^ +at /m, /error/i, /fail/i, /could not/, /did not/, /user named/, /null|undefined/]) {
    expect(start.output).not.toMatch(sign);
  }
  await until(`nothing to be left of ${start.dataDir}`, async () => (await processesOf(start.dataDir)).length === 0);
}

/** All processes with the directory in their command line or environment. */
async function processesOf(dataDir: string): Promise<string[]> {
  if (process.platform !== "linux") {
    const ps = Bun.spawn(["ps", "-Eeo", "args="], { stdout: "pipe" });
    return (await new Response(ps.stdout).text()).split("\n").filter((line) => line.includes(dataDir));
  }
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const texts = await Promise.all(
    pids.map(async (pid) => {
      const parts = ["cmdline", "environ"].map((name) => readFile(`/proc/${pid}/${name}`, "utf8").catch(() => ""));
      return (await Promise.all(parts)).join("\0");
    }),
  );
  return texts.filter((text) => text.includes(dataDir));
}
