// Finding the `temporal` program: on PATH, in the cache, by download, or built with Go.

import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { endWith } from "./processes.ts";
import { buildTemporal } from "./temporal-build.ts";

/** As in temporal-cli/go.mod. */
const TEMPORAL_CLI_VERSION = "1.8.2";

/** What the SDK's download asks first. */
const DOWNLOAD_HOST = "https://temporal.download/";
const CONNECT_LIMIT = 5_000;
const DOWNLOAD_LIMIT = 10 * 60_000;

type Env = Record<string, string | undefined>;

export interface Search {
  env: Env;
  say(line: string): void;
  signal: AbortSignal;
}

export interface TemporalBinary {
  path: string;
  /** Which of the ways led to it. */
  from: "PATH" | "cache" | "download" | "Go";
}

/**
 * Finds the Temporal server, trying the quickest way first.
 * @throws Error that names every way and why it did not work
 */
export async function findTemporal(search: Search): Promise<TemporalBinary> {
  const onPath = Bun.which("temporal", { PATH: search.env.PATH ?? "" });
  if (onPath) return { path: onPath, from: "PATH" };

  const folder = cacheFolder(search.env);
  const cached = join(folder, process.platform === "win32" ? "temporal.exe" : "temporal");
  if (existsSync(cached)) return { path: cached, from: "cache" };

  mkdirSync(folder, { recursive: true });
  const noDownload = await failureOf(() => download(folder, cached, search));
  search.signal.throwIfAborted();
  if (!noDownload) return { path: cached, from: "download" };
  search.say(`the Temporal server could not be downloaded (${noDownload}); building it with Go instead`);

  const noBuild = await failureOf(() => buildTemporal(cached, TEMPORAL_CLI_VERSION, search));
  search.signal.throwIfAborted();
  if (!noBuild) return { path: cached, from: "Go" };
  throw new Error(
    [
      "There is no Temporal server to start. Any one of these helps:",
      "  - set TEMPORAL_ADDRESS to a Temporal cluster of your own;",
      "  - put the `temporal` program on PATH (https://docs.temporal.io/cli);",
      `  - let this machine reach ${DOWNLOAD_HOST} (the download failed: ${noDownload});`,
      `  - install Go (https://go.dev/dl) so that it can be built (the build failed: ${noBuild}).`,
      `A program copied to ${cached} is used as well.`,
    ].join("\n"),
  );
}

export function cacheFolder(env: Env): string {
  const base = env.XDG_CACHE_HOME || join(env.HOME || homedir(), ".cache");
  return join(base, "gatehouse", `temporal-${TEMPORAL_CLI_VERSION}`);
}

async function failureOf(attempt: () => Promise<void>): Promise<string | undefined> {
  try {
    await attempt();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** The download itself is the SDK's. It runs in a child, for it cannot be cancelled and has no limit on connecting. */
async function download(folder: string, target: string, { env, say, signal }: Search): Promise<void> {
  await reachDownloadHost(signal);
  say("downloading the Temporal server");
  const draft = join(folder, "download");
  mkdirSync(draft, { recursive: true });
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "temporal-download.ts"), draft], {
    env,
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe",
    timeout: DOWNLOAD_LIMIT,
    detached: true,
  });
  const letGo = endWith(signal, child);
  const complaint = (await new Response(child.stderr).text()).trim();
  letGo();
  signal.throwIfAborted();
  const program = readdirSync(draft).find((name) => name.startsWith("temporal"));
  try {
    if ((await child.exited) !== 0) throw new Error(complaint.split("\n").at(-1) || "it was given up");
    if (!program) throw new Error("it brought no program");
    chmodSync(join(draft, program), 0o755);
    renameSync(join(draft, program), target);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

async function reachDownloadHost(signal: AbortSignal): Promise<void> {
  try {
    await fetch(DOWNLOAD_HOST, {
      method: "HEAD",
      redirect: "manual",
      signal: AbortSignal.any([signal, AbortSignal.timeout(CONNECT_LIMIT)]),
    });
  } catch (error) {
    signal.throwIfAborted();
    const late = (error as Error).name === "TimeoutError";
    throw new Error(late ? `no answer within ${CONNECT_LIMIT / 1_000} s` : (error as Error).message);
  }
}
