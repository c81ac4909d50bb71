import chromium from "@sparticuz/chromium";
import { type Browser, chromium as playwright } from "playwright-core";

/** Keeps the browser from asking the network for anything of its own. */
const QUIET = ["--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"];

/**
 * What this build's makers add for other uses. In one process, a script's requests in one context go out with the
 * cookies of another; without web security any page may read any other, and load scripts over plain http; and a
 * graphics processor played by the CPU draws the same pages at twice the work.
 */
const UNWANTED =
  /^--(single-process|disable-web-security|allow-running-insecure-content|in-process-gpu|use-gl=angle|use-angle=swiftshader|enable-unsafe-swiftshader|ignore-gpu-blocklist)$/;

/** A real Chromium; close it as a whole, for its contexts do not close one by one. */
export async function launchBrowser(): Promise<Browser> {
  const wanted = chromium.args.filter((arg) => !UNWANTED.test(arg));
  const args = [...wanted, "--disable-gpu", ...QUIET];
  return playwright.launch({ executablePath: await chromium.executablePath(), args, headless: true });
}
