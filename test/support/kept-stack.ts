// The Gatehouse that `bun run test --keep` leaves running for the next run (keeper.ts).

import {
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sendSignal } from "../../server/appliance/embedded/processes.ts";
import { PROJECT_ROOT } from "../../server/platform/config/config.ts";
import { markOf } from "./cache.ts";
import type { Stack } from "./stack.ts";
import { until } from "./until.ts";

interface Kept {
  pid: number;
  /** Of the code that its API and worker have loaded. */
  sources: string;
  /** Of the migrations of its database, and of its settings. */
  setup: string;
  env: Record<string, string>;
}

const START_MS = 300_000;

/** One for each checkout, where PostgreSQL's own user can reach it. */
export const keptFolder = () => join(tmpdir(), `gatehouse-kept-${markOf(PROJECT_ROOT)}`);
export const addressesFile = (folder: string) => join(folder, "addresses.json");

/** The settings by which tests find a stack. */
export function addressesOf(stack: Stack): Record<string, string> {
  return {
    GATEHOUSE_TEST_URL: stack.url,
    GATEHOUSE_TEST_DATABASE_URL: stack.databaseUrl,
    GATEHOUSE_TEST_MASTER_KEY: stack.masterKey,
    GATEHOUSE_TEST_TEMPORAL_ADDRESS: stack.temporalAddress,
    GATEHOUSE_TEST_TEMPORAL_UI: stack.temporalUi,
    GATEHOUSE_TEST_DATA_DIR: stack.dataDir,
    GATEHOUSE_TEST_MAILBOX: stack.mailServer.url,
  };
}

/** Finds the kept one, with the code of now, or starts it. @returns its addresses */
export async function keptStack(say: (line: string) => void): Promise<Record<string, string>> {
  const folder = keptFolder();
  const kept = readKept(folder);
  if (kept && kept.setup === setupMark()) {
    utimesSync(addressesFile(folder), new Date(), new Date());
    if (kept.sources === sourcesMark()) return kept.env;
    say("the API and the worker restart, because their code has changed");
    process.kill(kept.pid, "SIGHUP");
    const isCurrent = () => readKept(folder)?.sources === sourcesMark();
    await until("the restarted API and worker", isCurrent, START_MS);
    return kept.env;
  }
  await stopKept();
  say("starting a Gatehouse that is kept for the next runs (`bun run test --stop` ends it)");
  return startKept(folder);
}

/** Ends the kept one, if there is one. */
export async function stopKept(): Promise<void> {
  const folder = keptFolder();
  const kept = readKept(folder);
  if (kept) {
    sendSignal(kept.pid, "SIGTERM");
    await until("the kept Gatehouse to end", () => !existsSync(folder), START_MS);
  }
  rmSync(folder, { recursive: true, force: true });
}

async function startKept(folder: string): Promise<Record<string, string>> {
  mkdirSync(folder, { mode: 0o711 });
  const log = join(folder, "keeper.log");
  const output = openSync(log, "a");
  const keeper = Bun.spawn([process.execPath, join(import.meta.dir, "keeper.ts"), folder], {
    cwd: PROJECT_ROOT,
    detached: true,
    stdio: ["ignore", output, output],
  });
  keeper.unref();
  const kept = await until(
    "the kept Gatehouse",
    () => {
      if (keeper.exitCode !== null) throw new Error(`It did not start:\n${readFileSync(log, "utf8")}`);
      return readKept(folder);
    },
    START_MS,
  );
  return kept.env;
}

export function writeAddresses(folder: string, kept: Kept): void {
  const draft = join(folder, "addresses.part");
  writeFileSync(draft, JSON.stringify(kept), { mode: 0o600 });
  renameSync(draft, addressesFile(folder));
}

/** Undefined if its process has ended. */
function readKept(folder: string): Kept | undefined {
  const file = addressesFile(folder);
  if (!existsSync(file)) return undefined;
  const kept = JSON.parse(readFileSync(file, "utf8")) as Kept;
  try {
    process.kill(kept.pid, 0);
    return kept;
  } catch {
    return undefined;
  }
}

/** Changes with any file that the API or the worker may load. */
export const sourcesMark = () => markOfFiles("{server,workflows,activities,packages,patches}/**/*");
/** Changes with what only a new Gatehouse has. */
export const setupMark = () => markOfFiles("server/**/*.sql", "test/support/{stack,keeper,mail-server}.ts");

function markOfFiles(...patterns: string[]): string {
  const paths = patterns.flatMap((pattern) => [...new Bun.Glob(pattern).scanSync(PROJECT_ROOT)]).sort();
  return markOf(...paths.map((path) => `${path} ${statSync(join(PROJECT_ROOT, path)).mtimeMs}\n`));
}
