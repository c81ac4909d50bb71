// Downloads the `temporal` program as its makers have released it. What is not the pinned archive to the last byte is
// not unpacked, let alone run.

import { createHash } from "node:crypto";
import { renameSync, rmSync, writeFileSync } from "node:fs";
import type { Search } from "./temporal-binary.ts";

const HEAD_LIMIT = 5_000;
const DOWNLOAD_LIMIT = 10 * 60_000;

/** One platform's archive. */
export interface Release {
  url: string;
  /** Of the archive, in hexadecimal. */
  sha256: string;
}

/** By platform, as `process.platform` and `process.arch` spell it. */
export type Releases = Record<string, Release>;

/** The sums stand in the release's checksums.txt. */
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

/** @throws Error in one line; nothing is left at the target then */
export async function downloadTemporal(releases: Releases, target: string, { say, signal }: Search): Promise<void> {
  const platform = `${process.platform}-${process.arch}`;
  const release = releases[platform];
  if (!release) throw new Error(`there is no release for ${platform} whose SHA-256 is known`);
  const archive = await fetchArchive(release, say, signal);
  const sum = createHash("sha256").update(archive).digest("hex");
  if (sum !== release.sha256) {
    throw new Error(`what came from ${release.url} is not the release: its SHA-256 is ${sum}, not ${release.sha256}`);
  }
  const program = (await new Bun.Archive(archive).files("temporal")).get("temporal");
  if (!program) throw new Error("the archive has no program");
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
