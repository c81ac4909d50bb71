// `bun run test --keep`, from another process.

import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { PROJECT_ROOT } from "../../server/platform/config/config.ts";
import { temporaryDirectory } from "../support/directories.ts";
import { withoutSettings } from "../support/stack.ts";

const STORY = "test/http/head.test.ts";
const STARTS = "starting a Gatehouse that is kept";

test("a Gatehouse is kept for the next run, which starts none, until it is stopped", async () => {
  // The developer's own may run at the same time.
  const folder = temporaryDirectory("kept");
  const run = async (...args: string[]) => {
    const child = Bun.spawn([process.execPath, join(PROJECT_ROOT, "test/run.ts"), ...args], {
      cwd: PROJECT_ROOT,
      env: { ...withoutSettings(process.env), TMPDIR: folder },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const [output, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
    return { code: await child.exited, output: output + errors };
  };
  const kept = () => readdirSync(folder).filter((name) => name.startsWith("gatehouse-kept-"));
  try {
    const first = await run("--keep", STORY);
    expect(first).toEqual({ code: 0, output: expect.stringContaining(STARTS) });
    expect(kept()).toHaveLength(1);
    const second = await run("--keep", STORY);
    expect(second).toEqual({ code: 0, output: expect.stringContaining(" 0 fail") });
    expect(second.output).not.toContain(STARTS);
  } finally {
    await run("--stop");
  }
  expect(kept()).toEqual([]);
});
