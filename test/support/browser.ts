import chromium from "@sparticuz/chromium";
import { type Browser, chromium as playwright } from "playwright-core";

/** Keeps the browser from asking the network for anything of its own. */
const QUIET = ["--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"];

/** In one process, a script's requests in one context go out with the cookies of another. */
const ONE_PROCESS = "--single-process";

/** A real Chromium; close it as a whole, for its contexts do not close one by one. */
export async function launchBrowser(): Promise<Browser> {
  const args = [...chromium.args.filter((arg) => arg !== ONE_PROCESS), ...QUIET];
  return playwright.launch({ executablePath: await chromium.executablePath(), args, headless: true });
}
