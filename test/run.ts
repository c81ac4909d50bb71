// `bun run test [options] [files]`: one Gatehouse for all tests, then `bun test` with it. All parts are real, and waits
// are short by configuration. `bun run test:slow` runs the tests that walk everything, and those that start their own
// Gatehouse, most of them to kill its parts. Tests of test/unit need none; `bun test test/unit` also runs them.
//   --changed[=REF]  only the tests near the files that differ from HEAD, or from REF
//   --repeat=N       each file N times, to find tests that fail sometimes
//   --keep           leaves the Gatehouse running for the next run with --keep; --stop ends it
//   --update-timings  updates test/timings.json
// All others are options of `bun test`.

import { readdirSync, rmSync, symlinkSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { stopLeftovers } from "../server/appliance/embedded/processes.ts";
import { PROJECT_ROOT } from "../server/platform/config/config.ts";
import { readSources } from "./architecture/imports.ts";
import { isSlow, nearChange } from "./support/chosen-files.ts";
import { chromiumPath } from "./support/chromium.ts";
import { goTools } from "./support/deploy-tools.ts";
import { newDataDirectory, prepareDataDirectories, temporaryDirectory } from "./support/directories.ts";
import { commandFor, failedTests } from "./support/failed-tests.ts";
import { addressesOf, keptFolder, keptStack, stopKept } from "./support/kept-stack.ts";
import { prepareAsOthersDo } from "./support/postgresql.ts";
import { type Stack, startStack, withoutSettings } from "./support/stack.ts";

/**
 * For each test, unless it names its own. A long timeout costs nothing if tests pass, and a small machine may be busy.
 * Tests wait for conditions by `until`, which ends sooner.
 */
const TEST_TIMEOUT = "600000";
/** Most tests wait for processes, so there are more than cores; each may run a complete Gatehouse. */
const WORKERS = Math.min(availableParallelism() + 2, 8);
/** These need no Gatehouse. */
const ALONE = /^(\.\/)?test\/(unit|architecture)\b/;
/** Past durations, so the slowest files start first. */
const TIMINGS = join(import.meta.dir, "timings.json");
const CODE = ["test", "server", "workflows", "activities", "examples", "packages"];

/** JUnit's format has the times of all tests. */
const REPORT = "--reporter-outfile=";

type Env = Record<string, string>;

const root = temporaryDirectory("test");
process.env.GATEHOUSE_TEST_ROOT = root;
const stopping = new AbortController();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => stopping.abort());
const say = (line: string) => console.log(line);

process.exit(await run(process.argv.slice(2)));

async function run(args: string[]): Promise<number> {
  let stack: Stack | undefined;
  try {
    if (args.includes("--stop")) {
      await stopKept();
      return 0;
    }
    const chosen = await choose(args);
    if (chosen?.length === 0) {
      say("No test is near a change.");
      return 0;
    }
    const files = chosen ?? args.filter(isPattern);
    const all = [...args.flatMap(optionOf), ...(chosen ?? [])];
    if (files.every((path) => ALONE.test(path))) return await runTests(all, files);
    if (args.includes("--keep")) {
      const [env] = await Promise.all([keptStack(say), chromiumPath()]);
      symlinkSync(join(keptFolder(), "new-data"), join(root, "new-data"));
      return await runTests(all, files, env);
    }
    // The first test that needs them would be killed while they are built, and two files would build them twice.
    const tools = chosen?.some((path) => path.startsWith("test/deploy/")) ? goTools() : undefined;
    await Promise.all([prepareDataDirectories(stopping.signal), chromiumPath(), tools]);
    stack = await startStack({ dataDir: newDataDirectory("shared"), say, signal: stopping.signal });
    await prepareAsOthersDo(stack.databaseUrl);
    return await runTests(all, files, addressesOf(stack));
  } catch (error) {
    console.error((error as Error).message);
    return 1;
  } finally {
    await stack?.stop();
    for (const name of readdirSync(root)) await stopLeftovers(join(root, name));
    rmSync(root, { recursive: true, force: true });
  }
}

/** @returns undefined for files that are named */
async function choose(args: string[]): Promise<string[] | undefined> {
  if (args.some(isPattern)) return undefined;
  const sources = await readSources(PROJECT_ROOT, CODE);
  const wantsSlow = args.includes("--slow");
  const all = sources.filter((source) => source.path.endsWith(".test.ts") && isSlow(source) === wantsSlow);
  const paths = all.map(({ path }) => path);
  const option = args.find((arg) => /^--changed(=|$)/.test(arg));
  if (!option) return paths;
  const near = nearChange(sources, changedFiles(option.split("=")[1] ?? "HEAD"));
  if (!near) say("A change may affect every test, so all run.");
  return near ? paths.filter((path) => near.includes(path)) : paths;
}

/** Whether an argument chooses files by their paths. */
function isPattern(arg: string, index: number, args: string[]): boolean {
  return !arg.startsWith("-") && !/^(-t|--test-name-pattern)$/.test(args[index - 1] ?? "");
}

function changedFiles(since: string): string[] {
  return [...git("diff", "--name-only", "--no-renames", since), ...git("ls-files", "--others", "--exclude-standard")];
}

function git(...args: string[]): string[] {
  const { exitCode, stdout, stderr } = Bun.spawnSync(["git", ...args], { cwd: PROJECT_ROOT });
  if (exitCode !== 0) throw new Error(`git ${args.join(" ")}: ${stderr}`);
  return stdout.toString().split("\n").filter(Boolean);
}

/** An option of `bun test` for one of ours. */
function optionOf(option: string): string[] {
  if (/^--(slow|keep|changed(=.*)?)$/.test(option)) return [];
  return [option.replace(/^--repeat=/, "--rerun-each=")];
}

/** @param files paths, or parts of them */
async function runTests(given: string[], files: string[], env: Env = {}): Promise<number> {
  const report = given.find((one) => one.startsWith(REPORT))?.slice(REPORT.length) ?? join(root, "report.xml");
  const options = [
    ...[`--timeout=${TEST_TIMEOUT}`, `--timings=${TIMINGS}`, "--reporter=junit", REPORT + report],
    // Loading the server's modules again for each file took a tenth of the time.
    ...[`--parallel=${WORKERS}`, "--no-isolate"],
  ];
  const tests = Bun.spawn([process.execPath, "test", ...options, ...given], {
    env: { ...withoutSettings(process.env), GATEHOUSE_TEST_ROOT: root, ...env },
    stdin: "ignore",
    stdout: "inherit",
    stderr: "inherit",
  });
  stopping.signal.addEventListener("abort", () => tests.kill("SIGTERM"));
  const code = await tests.exited;
  // One line, because it is not for readers.
  if (given.includes("--update-timings"))
    await Bun.write(TIMINGS, `${JSON.stringify(await Bun.file(TIMINGS).json())}\n`);
  if (code !== 0 && !stopping.signal.aborted) await tellWhatFailed(report, files);
  return code;
}

/** A file that could not be loaded is not in the report. */
async function tellWhatFailed(report: string, files: string[]): Promise<void> {
  const text = await Bun.file(report)
    .text()
    .catch(() => "");
  const failed = await failedTests(text);
  const missing = files.filter((path) => path.endsWith(".test.ts") && !text.includes(`file="${path}"`));
  const command = commandFor([...failed, ...missing.map((file) => ({ file }))]);
  if (command) console.error(`\nTo run what failed: ${command}`);
}
