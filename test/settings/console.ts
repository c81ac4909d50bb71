// Settings in a real browser, as a tenant's people use it.

import { expect } from "bun:test";
import axe from "axe-core";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import type { NewTenant } from "../../server/tenants/index.ts";
import { issuer } from "../authorize/client.ts";

/** A browser in which somebody has come in to Settings; it keeps what the browser's console says. */
export interface Visitor {
  page: Page;
  /** What a page should not give rise to: errors, and what CSP has refused. */
  complaints: string[];
  /** Goes to a path, such as /settings/webhooks. */
  open(path: string): Promise<void>;
}

/**
 * Signs in by the tenant's admin, or by who is named.
 * @example const { page } = await enterSettings(browser, api.tenant);
 */
export async function enterSettings(
  browser: Browser,
  tenant: NewTenant,
  options: BrowserContextOptions & { username?: string; password?: string } = {},
): Promise<Visitor> {
  const { username = tenant.admin.username, password = tenant.admin.password, ...context } = options;
  const page = await (await browser.newContext(context)).newPage();
  const complaints: string[] = [];
  page.on("console", (message) => complaints.push(`${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => complaints.push(`error: ${error.message}`));
  await page.goto(`${issuer()}/settings?organisation=${tenant.tenantId}`);
  await page.getByLabel("User name").fill(username);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
  return {
    page,
    complaints,
    async open(path) {
      await page.goto(issuer() + path);
    },
  };
}

/** Desk and phone, by day and in the dark. */
const SHAPES = [
  { width: 1400, height: 900, colorScheme: "light" },
  { width: 1400, height: 900, colorScheme: "dark" },
  { width: 400, height: 800, colorScheme: "light" },
  { width: 400, height: 800, colorScheme: "dark" },
] as const;

/** A folder for pictures of each page in each shape, for who wants to look at them. */
const PICTURES = process.env.SETTINGS_PICTURES;

/** @throws if axe finds something, or the page is wider than the screen, in any shape */
export async function inspect(page: Page, name: string): Promise<void> {
  await page.evaluate(axe.source);
  for (const { width, height, colorScheme } of SHAPES) {
    await page.setViewportSize({ width, height });
    // Colours that are on their way are not those that people read.
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    const found = await page.evaluate(async () => {
      const { violations } = await (globalThis as unknown as { axe: typeof axe }).axe.run();
      return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" ")}`);
    });
    const overflow = await page.evaluate("document.documentElement.scrollWidth > innerWidth");
    if (PICTURES) await page.screenshot({ path: `${PICTURES}/${name}-${width}-${colorScheme}.png`, fullPage: true });
    expect({ name, width, colorScheme, found, overflow }).toEqual({
      name,
      width,
      colorScheme,
      found: [],
      overflow: false,
    });
  }
}
