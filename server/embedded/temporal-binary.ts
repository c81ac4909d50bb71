// Finding the `temporal` program: on PATH, in the cache, by download, or built with Go.

import { existsSync, mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { buildTemporal } from "./temporal-build.ts";
import { downloadTemporal, type Releases, releasesOf } from "./temporal-download.ts";

/** As in temporal-cli/go.mod. */
const TEMPORAL_CLI_VERSION = "1.8.2";
const RELEASES = releasesOf(TEMPORAL_CLI_VERSION);

type Env = Record<string, string | undefined>;

export interface Search {
  env: Env;
  say(line: string): void;
  signal: AbortSignal;
  /** What may be downloaded; by default the pinned releases. */
  releases?: Releases;
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
  const noDownload = await failureOf(() => downloadTemporal(search.releases ?? RELEASES, cached, search));
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
      `  - let this machine reach https://github.com/temporalio/cli/releases (the download failed: ${noDownload});`,
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
