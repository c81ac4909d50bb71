// Programs that tests need beyond package.json, installed once per machine in ~/.cache/gatehouse.

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** For the name of a folder with what is made from these. */
export function markOf(...sources: (string | Uint8Array)[]): string {
  const hash = createHash("sha256");
  for (const source of sources) hash.update(source);
  return hash.digest("hex").slice(0, 12);
}

/**
 * A folder of the cache, created elsewhere and renamed, so it is always complete.
 * @param name depends on the content
 */
export async function cachedFolder(name: string, fill: (folder: string) => Promise<unknown>): Promise<string> {
  const cache = join(process.env.XDG_CACHE_HOME || join(process.env.HOME || homedir(), ".cache"), "gatehouse");
  const folder = join(cache, name);
  if (existsSync(folder)) return folder;
  mkdirSync(cache, { recursive: true });
  const part = mkdtempSync(`${folder}-`);
  try {
    await fill(part);
    renameSync(part, folder);
  } catch (error) {
    // A concurrent run was faster.
    if (!existsSync(folder)) throw error;
  } finally {
    rmSync(part, { recursive: true, force: true });
  }
  return folder;
}
