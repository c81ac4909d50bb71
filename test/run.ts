// `bun run test [files]`: one Gatehouse for all tests, then `bun test` with it. All parts are real, and waits are short
// by configuration. `bun run test:slow` runs the tests that start their own Gatehouse, most of them to kill its parts.
// Tests of test/unit need none; `bun test test/unit` also runs them.

import { readdirSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { stopLeftovers } from "../server/appliance/embedded/processes.ts";
import { PROJECT_ROOT } from "../server/platform/config/config.ts";
import { chromiumPath } from "./support/chromium.ts";
import { newDataDirectory, prepareDataDirectories, temporaryDirectory } from "./support/directories.ts";
import { prepareAsOthersDo } from "./support/postgresql.ts";
import { type Stack, startStack, withoutSettings } from "./support/stack.ts";

/**
 * For each test, unless it names its own. A long timeout costs nothing if tests pass, and a small machine may be busy.
 * Tests wait for conditions by `until`, which ends sooner.
 */
const TEST_TIMEOUT = "600000";
/** Most tests wait for processes, so two more than the cores; each may run a complete Gatehouse. */
const WORKERS = Math.min(availableParallelism() + 2, 6);
/** These need no Gatehouse. */
const ALONE = /^(\.\/)?test\/(unit|architecture)\b/;
/** Past durations, so the slowest files start first. `bun run test --update-timings` updates them. */
const TIMINGS = join(import.meta.dir, "timings.json");

const root = temporaryDirectory("test");
process.env.GATEHOUSE_TEST_ROOT = root;
const stopping = new AbortController();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => stopping.abort());

process.exit(await run());

async function run(): Promise<number> {
  let stack: Stack | undefined;
  const args = selection(process.argv.slice(2));
  try {
    if (args.length > 0 && args.every((arg) => ALONE.test(arg))) return await runTests(args);
    await Promise.all([prepareDataDirectories(stopping.signal), chromiumPath()]);
    stack = await startStack({
      dataDir: newDataDirectory("shared"),
      say: (line) => console.log(line),
      signal: stopping.signal,
    });
    await prepareAsOthersDo(stack.databaseUrl);
    return await runTests(args, stack);
  } catch (error) {
    console.error((error as Error).message);
    return 1;
  } finally {
    await stack?.stop();
    for (const name of readdirSync(root)) await stopLeftovers(join(root, name));
    rmSync(root, { recursive: true, force: true });
  }
}

/** Arguments for `bun test`; slow tests run only if they are named. */
function selection(args: string[]): string[] {
  if (args.includes("--slow")) return [...args.filter((arg) => arg !== "--slow"), ...slowFiles()];
  if (args.some((arg) => !arg.startsWith("-"))) return args;
  return [...args, ...slowFiles().map((path) => `--path-ignore-patterns=${path}`)];
}

function slowFiles(): string[] {
  return [...new Bun.Glob("test/**/*.test.ts").scanSync(PROJECT_ROOT)].filter(
    (path) =>
      /^test\/((chaos|crash|deploy|floods|start)\/|conformance\/mcp\b)/.test(path) ||
      /\bstart(Stack|Victim)\(/.test(readFileSync(path, "utf8")),
  );
}

async function runTests(args: string[], stack?: Stack): Promise<number> {
  // Loading the server's modules again for each file took a tenth of the time.
  const parallel = [`--parallel=${WORKERS}`, "--no-isolate"];
  const options = [`--timeout=${TEST_TIMEOUT}`, ...parallel, `--timings=${TIMINGS}`];
  const tests = Bun.spawn([process.execPath, "test", ...options, ...args], {
    env: {
      ...withoutSettings(process.env),
      GATEHOUSE_TEST_ROOT: root,
      ...(stack && {
        GATEHOUSE_TEST_URL: stack.url,
        GATEHOUSE_TEST_DATABASE_URL: stack.databaseUrl,
        GATEHOUSE_TEST_MASTER_KEY: stack.masterKey,
        GATEHOUSE_TEST_TEMPORAL_ADDRESS: stack.temporalAddress,
        GATEHOUSE_TEST_TEMPORAL_UI: stack.temporalUi,
        GATEHOUSE_TEST_DATA_DIR: stack.dataDir,
      }),
    },
    stdin: "ignore",
    stdout: "inherit",
    stderr: "inherit",
  });
  stopping.signal.addEventListener("abort", () => tests.kill("SIGTERM"));
  const code = await tests.exited;
  // One line, because it is not for readers.
  if (args.includes("--update-timings"))
    await Bun.write(TIMINGS, `${JSON.stringify(await Bun.file(TIMINGS).json())}\n`);
  return code;
}
