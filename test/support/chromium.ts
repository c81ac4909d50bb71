import { join } from "node:path";
import chromium from "@sparticuz/chromium";
import { devDependencies } from "../../package.json";
import { cachedFolder } from "./cache.ts";

let unpacked: Promise<string> | undefined;

/**
 * The unpacked Chromium, once for all test runs of a machine. The package itself unpacks it to a place that others use
 * before it is complete.
 */
export function chromiumPath(): Promise<string> {
  unpacked ??= cachedFolder(`chromium-${devDependencies["@sparticuz/chromium"]}`, unpackInto).then((folder) =>
    join(folder, "chromium"),
  );
  return unpacked;
}

async function unpackInto(folder: string): Promise<void> {
  const temporary = process.env.TMPDIR;
  try {
    process.env.TMPDIR = folder;
    await chromium.executablePath();
  } finally {
    if (temporary === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = temporary;
  }
}
