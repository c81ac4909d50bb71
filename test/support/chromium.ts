import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import chromium from "@sparticuz/chromium";
import { devDependencies } from "../../package.json";

let unpacked: Promise<string> | undefined;

/**
 * Where Chromium lies unpacked, once for all test runs of a machine. Its package unpacks it where others see it before
 * it is whole, so this does so in a folder of its own, and then moves it.
 */
export function chromiumPath(): Promise<string> {
  unpacked ??= unpack();
  return unpacked;
}

async function unpack(): Promise<string> {
  const cache = join(process.env.XDG_CACHE_HOME || join(process.env.HOME || homedir(), ".cache"), "gatehouse");
  const folder = join(cache, `chromium-${devDependencies["@sparticuz/chromium"]}`);
  const path = join(folder, "chromium");
  if (existsSync(path)) return path;
  mkdirSync(cache, { recursive: true });
  const part = mkdtempSync(`${folder}-`);
  const temporary = process.env.TMPDIR;
  try {
    process.env.TMPDIR = part;
    await chromium.executablePath();
    renameSync(part, folder);
  } catch (error) {
    // Another run was faster.
    if (!existsSync(path)) throw error;
  } finally {
    if (temporary === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = temporary;
    rmSync(part, { recursive: true, force: true });
  }
  return path;
}
