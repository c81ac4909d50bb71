import { afterAll } from "bun:test";
import chromium from "@sparticuz/chromium";
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Page,
  chromium as playwright,
} from "playwright-core";
import { chromiumPath } from "./chromium.ts";
import { PlainContext } from "./plain-page.ts";
import { setting } from "./tenant.ts";

/** Keeps the browser from asking the network for anything of its own. */
const QUIET = ["--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"];

/**
 * Flags that this Chromium build adds for other uses. A single process mixes up the cookies of contexts. Without web
 * security, pages may read each other and load scripts over plain http. An emulated GPU doubles the work of drawing.
 * Without a zygote every window's process starts from nothing.
 */
const UNWANTED =
  /^--(single-process|disable-web-security|allow-running-insecure-content|in-process-gpu|use-gl=angle|use-angle=swiftshader|enable-unsafe-swiftshader|ignore-gpu-blocklist|no-zygote)$/;

export interface WindowOptions extends BrowserContextOptions {
  /** Chromium though no script runs: what is shown or reached by styles or the Tab key. */
  isStyled?: boolean;
}

/** The function by which tests open windows. */
export interface Windows {
  newContext(options?: WindowOptions): Promise<BrowserContext>;
  newPage(options?: WindowOptions): Promise<Page>;
}

let running: Promise<Browser> | undefined;

/**
 * Stands at the top of a test file. The Chromium is one for all files of a process, and ends with it; a context is the
 * file's own, and closed by its end at the latest: an open page goes on refreshing itself. Where no script runs, forms
 * and links are followed over plain HTTP.
 */
export function openWindows(): Windows {
  const opened = new Set<BrowserContext>();
  afterAll(() => Promise.all([...opened].map((context) => context.close())));
  const newContext = async ({ isStyled, ...options }: WindowOptions = {}) => {
    if (options.javaScriptEnabled === false && !isStyled) {
      return new PlainContext(options) as unknown as BrowserContext;
    }
    // It ends with the process, and leaves what it wrote to the test run, which removes it.
    running ??= launch(setting("GATEHOUSE_TEST_ROOT"));
    const context = await (await running).newContext(options);
    opened.add(context);
    return context;
  };
  return { newContext, newPage: async (options) => (await newContext(options)).newPage() };
}

/** @param folder for what it writes; the system's own without one */
export async function launch(folder?: string): Promise<Browser> {
  const wanted = chromium.args.filter((arg) => !UNWANTED.test(arg));
  const args = [...wanted, "--disable-gpu", ...QUIET];
  const executablePath = await chromiumPath();
  if (folder) process.env.TMPDIR = folder;
  const browser = await playwright.launch({ executablePath, args, headless: true });
  browser.on("disconnected", () => {
    running = undefined;
  });
  return browser;
}
