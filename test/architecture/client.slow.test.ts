// The root tsconfig excludes packages/client and the code that imports it, because its types are built, not committed.

import { expect, test } from "bun:test";
import { ROOT } from "../support/pages.ts";

const PATIENCE_MS = 120_000;
const COMPILER = ["tsc", "-p", "packages/client", "--incremental", "--tsBuildInfoFile"];

test(
  "packages/client builds its types, and its tests and its example compile with them",
  async () => {
    expect(await run("run", "--cwd", "packages/client", "build")).toBe("");
    expect(await run("x", ...COMPILER, "node_modules/.cache/client.tsbuildinfo")).toBe("");
  },
  PATIENCE_MS,
);

/** @returns the command's output if it failed */
async function run(...command: string[]): Promise<string> {
  const child = Bun.spawn([process.execPath, ...command], { cwd: ROOT, stdout: "pipe", stderr: "pipe" });
  const [output, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  return (await child.exited) === 0 ? "" : output + errors || "failed";
}
