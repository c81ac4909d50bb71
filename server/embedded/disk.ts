import { statfsSync } from "node:fs";
import { dirname } from "node:path";

/** Less is not enough for anything. */
const ROOM_BYTES = 4 * 1024 * 1024;

/** @returns "", or a sentence that says that the disk of DATA_DIR is full, with a space before it */
export function diskHint(dataDir: string): string {
  try {
    const { bavail, bsize } = statfsSync(dataDir);
    return bavail * bsize < ROOM_BYTES ? ` The disk of DATA_DIR is full (${dataDir}): make room on it.` : "";
  } catch {
    return dirname(dataDir) === dataDir ? "" : diskHint(dirname(dataDir));
  }
}
