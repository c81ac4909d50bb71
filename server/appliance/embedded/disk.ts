import { statfsSync } from "node:fs";
import { dirname } from "node:path";

/** With less free space, PostgreSQL cannot work at all. */
const ROOM_BYTES = 4 * 1024 * 1024;

/** @returns " " and a sentence if the disk of DATA_DIR is full, otherwise "" */
export function diskHint(dataDir: string): string {
  try {
    const { bavail, bsize } = statfsSync(dataDir);
    return bavail * bsize < ROOM_BYTES ? ` The disk of DATA_DIR is full (${dataDir}): free some space.` : "";
  } catch {
    return dirname(dataDir) === dataDir ? "" : diskHint(dirname(dataDir));
  }
}
