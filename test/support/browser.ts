import { afterAll } from "bun:test";
import chromium from "@sparticuz/chromium";
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Page,
  chromium as playwright,
} from "playwright-core";
import { setting } from "../world/tenant.ts";
import { chromiumPath } from "./chromium.ts";
import { PlainContext } from "./plain-page.ts";

/** Playwright's 30 s are too few for a machine that is busy with other tests. */
const PATIENCE_MS = 150_000;
/** Prevents the browser's own network requests. */
const QUIET = ["--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"];

/**
 * Flags of this Chromium build for other uses. A single process mixes up the cookies of contexts. Without web security,
 * pages may read each other and load scripts over plain http. An emulated GPU doubles the work of drawing. Without a
 * zygote, every window starts a complete process.
 */
const UNWANTED =
  /^--(single-process|disable-web-security|allow-running-insecure-content|in-process-gpu|use-gl=angle|use-angle=swiftshader|enable-unsafe-swiftshader|ignore-gpu-blocklist|no-zygote)$/;

export interface WindowOptions extends BrowserContextOptions {
  /** Uses Chromium even without script: for tests of styles or the Tab key. */
  isStyled?: boolean;
}

/** The function by which tests open windows. */
export interface Windows {
  newContext(options?: WindowOptions): Promise<BrowserContext>;
  newPage(options?: WindowOptions): Promise<Page>;
}

let running: Promise<Browser> | undefined;

/**
 * Used at the top of a test file. All files of a process share a Chromium, which ends with the process. Each file
 * closes its contexts at its end, because open pages keep refreshing. Without script, forms and links are followed over
 * plain HTTP.
 */
export function openWindows(): Windows {
  const opened = new Set<BrowserContext>();
  afterAll(() => Promise.all([...opened].map((context) => context.close())));
  const newContext = async ({ isStyled, ...options }: WindowOptions = {}) => {
    if (options.javaScriptEnabled === false && !isStyled) {
      return new PlainContext(options) as unknown as BrowserContext;
    }
    // It ends with the process. The test run removes its files.
    running ??= launch(setting("GATEHOUSE_TEST_ROOT"));
    const context = await (await running).newContext(options);
    context.setDefaultTimeout(PATIENCE_MS);
    opened.add(context);
    return context;
  };
  return { newContext, newPage: async (options) => (await newContext(options)).newPage() };
}

/** @param folder for its files; default: the system's temporary folder */
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
