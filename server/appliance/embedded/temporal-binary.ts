// Finds the `temporal` program: on PATH, in the cache, by download, or built with Go.

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, homedir, userInfo } from "node:os";
import { join, resolve } from "node:path";
import { PROJECT_ROOT } from "../../platform/config/config.ts";
import { endWith } from "./processes.ts";

/** As in temporal-cli/go.mod. */
const TEMPORAL_CLI_VERSION = "1.8.2";
const RELEASES = releasesOf(TEMPORAL_CLI_VERSION);

type Env = Record<string, string | undefined>;

export interface Search {
  env: Env;
  say(line: string): void;
  signal: AbortSignal;
  /** Downloadable releases; default: the pinned ones. */
  releases?: Releases;
}

export interface TemporalBinary {
  path: string;
  from: "on the PATH" | "from the cache" | "downloaded" | "built with Go";
}

/** Finds the Temporal server, fastest way first. @throws Error listing every way and why it failed */
export async function findTemporal(search: Search): Promise<TemporalBinary> {
  const onPath = Bun.which("temporal", { PATH: search.env.PATH ?? "" });
  if (onPath) return { path: onPath, from: "on the PATH" };

  const folder = cacheFolder(search.env);
  const cached = join(folder, process.platform === "win32" ? "temporal.exe" : "temporal");
  if (existsSync(cached)) return { path: cached, from: "from the cache" };

  mkdirSync(folder, { recursive: true });
  search.say(`waiting for the Temporal server, once: a download of some seconds, kept in ${cached}`);
  const noDownload = await failureOf(() => downloadTemporal(search.releases ?? RELEASES, cached, search));
  search.signal.throwIfAborted();
  if (!noDownload) return { path: cached, from: "downloaded" };
  search.say(`the Temporal server could not be downloaded (${noDownload}); building it with Go instead`);
  if (goOf(search)) search.say(`  this takes about ${buildTime()}, once; the program is kept in ${cached}`);

  const noBuild = await failureOf(() => buildTemporal(cached, TEMPORAL_CLI_VERSION, search));
  search.signal.throwIfAborted();
  if (!noBuild) return { path: cached, from: "built with Go" };
  throw new Error(
    [
      "There is no Temporal server to start. Choose one:",
      "  - set TEMPORAL_ADDRESS to your own Temporal cluster;",
      "  - put the `temporal` program on PATH (https://docs.temporal.io/cli);",
      `  - allow access to https://github.com/temporalio/cli/releases (the download failed: ${noDownload});`,
      `  - install Go (https://go.dev/dl) so that it can be built (the build failed: ${noBuild}).`,
      `A binary copied to ${cached} works as well.`,
    ].join("\n"),
  );
}

export function cacheFolder(env: Env): string {
  const base = env.XDG_CACHE_HOME || join(homeOf(env), ".cache");
  return join(base, "gatehouse", `temporal-${TEMPORAL_CLI_VERSION}`);
}

/** Containers often run as a user id without a name. Its home is unset, or is /, which it cannot write to. */
function homeOf({ HOME, DATA_DIR }: Env): string {
  if (HOME && HOME !== "/") return HOME;
  if (process.getuid?.() === 0 || isNamed()) return HOME || homedir();
  return resolve(DATA_DIR || ".gatehouse");
}

function isNamed(): boolean {
  try {
    return userInfo().homedir !== "/";
  } catch {
    return false;
  }
}

async function failureOf(attempt: () => Promise<void>): Promise<string | undefined> {
  try {
    await attempt();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

// Downloads an official release of `temporal`. An archive that does not match the pinned checksum is not unpacked.

const HEAD_LIMIT = 5_000;
const DOWNLOAD_LIMIT = 10 * 60_000;

export interface Release {
  url: string;
  /** The archive's checksum in hexadecimal. */
  sha256: string;
}

export type Releases = Record<string, Release>;

/** The checksums are from the release's checksums.txt. */
export function releasesOf(version: string): Releases {
  const release = (platform: string, sha256: string): Release => ({
    url: `https://github.com/temporalio/cli/releases/download/v${version}/temporal_cli_${version}_${platform}.tar.gz`,
    sha256,
  });
  return {
    "linux-x64": release("linux_amd64", "d8421bda989e6514b4bdb4d63a9012a8a05a806892e881a5aad8510496349a94"),
    "linux-arm64": release("linux_arm64", "83600a8fac6e3da54093e5da6918d399f501532b9f1172235603f9606f4ac6e4"),
    "darwin-x64": release("darwin_amd64", "489d7f5420cae02b559774ac23df035141954c33a51dba96f5759a0ddccdf1b6"),
    "darwin-arm64": release("darwin_arm64", "dacdc3587682c04cf27e67c8878ca2d755230b6ad63c0c6ebddd7348ae90ed94"),
  };
}

/** @throws Error in one line; the target is then unchanged */
async function downloadTemporal(releases: Releases, target: string, { say, signal }: Search): Promise<void> {
  const platform = `${process.platform}-${process.arch}`;
  const release = releases[platform];
  if (!release) throw new Error(`there is no release for ${platform} with a known SHA-256`);
  const archive = await fetchArchive(release, say, signal);
  const sum = createHash("sha256").update(archive).digest("hex");
  if (sum !== release.sha256) {
    throw new Error(
      `the download from ${release.url} is not the release: its SHA-256 is ${sum}, not ${release.sha256}`,
    );
  }
  const program = (await new Bun.Archive(archive).files("temporal")).get("temporal");
  if (!program) throw new Error("the archive contains no program");
  const draft = `${target}.${process.pid}`;
  try {
    writeFileSync(draft, await program.bytes(), { mode: 0o755 });
    renameSync(draft, target);
  } finally {
    rmSync(draft, { force: true });
  }
}

async function fetchArchive({ url }: Release, say: (line: string) => void, signal: AbortSignal): Promise<Uint8Array> {
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(), HEAD_LIMIT);
  try {
    const answer = await fetch(url, {
      signal: AbortSignal.any([signal, silence.signal, AbortSignal.timeout(DOWNLOAD_LIMIT)]),
    });
    clearTimeout(timer);
    if (!answer.ok) throw new Error(`${url} answered ${answer.status}`);
    say("downloading the Temporal server");
    return await answer.bytes();
  } catch (error) {
    signal.throwIfAborted();
    if (silence.signal.aborted) throw new Error(`no answer within ${HEAD_LIMIT / 1_000} s`);
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

// Builds `temporal` with Go, from the pinned module in temporal-cli/.

const PACKAGE = "github.com/temporalio/cli/cmd/temporal";
const MODULE = join(PROJECT_ROOT, "temporal-cli");
const PROGRESS_INTERVAL = 5_000;
/** Of all cores together, with an empty cache of Go: 190 s on two. */
const BUILD_CPU_SECONDS = 380;

const goOf = ({ env }: Search) => Bun.which("go", { PATH: env.PATH ?? "" });

function buildTime(): string {
  const cores = availableParallelism();
  const minutes = Math.max(1, Math.round(BUILD_CPU_SECONDS / cores / 60));
  return `${minutes} ${minutes === 1 ? "minute" : "minutes"} with the ${cores} cores of this machine`;
}

/** @throws Error in one line with Go's last message */
async function buildTemporal(target: string, version: string, search: Search): Promise<void> {
  const go = goOf(search);
  if (!go) throw new Error("there is no `go` on PATH");
  const started = Date.now();
  const elapsed = () => `${Math.round((Date.now() - started) / 1_000)} s`;

  const fetched = await run([go, "list", "-deps", PACKAGE], search, (count) =>
    search.say(`  building the Temporal server: ${count} modules fetched, ${elapsed()}`),
  );
  const total = fetched.split("\n").length;
  search.say(`  building the Temporal server: ${total} packages`);

  const draft = `${target}.${process.pid}`;
  const flags = ["-trimpath", "-ldflags", `-s -w -X github.com/temporalio/cli/internal/temporalcli.Version=${version}`];
  try {
    await run([go, "build", "-v", ...flags, "-o", draft, PACKAGE], search, (count) =>
      search.say(`  building the Temporal server: ${count} of at most ${total} packages, ${elapsed()}`),
    );
    renameSync(draft, target);
  } finally {
    rmSync(draft, { force: true });
  }
  search.say(`  the Temporal server is built (${elapsed()}) and kept in ${target}`);
}

/** Runs Go, which writes a line to stderr for each fetched module and compiled package. */
async function run(command: string[], search: Search, progress: (count: number) => void): Promise<string> {
  const child = Bun.spawn(command, {
    cwd: MODULE,
    env: { ...search.env, CGO_ENABLED: "0" },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    // A separate process group, so Go's compilers are ended with it.
    detached: true,
  });
  const letGo = endWith(search.signal, child);
  let count = 0;
  let last = "";
  const timer = setInterval(() => progress(count), PROGRESS_INTERVAL);
  try {
    const readErrors = async () => {
      let rest = "";
      for await (const text of child.stderr.pipeThrough(new TextDecoderStream())) {
        const lines = (rest + text).split("\n");
        rest = lines.pop() ?? "";
        count += lines.length;
        last = lines.at(-1) ?? last;
      }
    };
    const [output] = await Promise.all([new Response(child.stdout).text(), readErrors()]);
    const code = await child.exited;
    search.signal.throwIfAborted();
    if (code !== 0) throw new Error(last || `go ended with exit code ${code}`);
    return output.trim();
  } finally {
    clearInterval(timer);
    letGo();
  }
}
