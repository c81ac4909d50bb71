// Settings in a real browser, as a tenant's people use it.

import { expect } from "bun:test";
import axe from "axe-core";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import type { NewTenant } from "../../server/tenants/index.ts";
import { issuer } from "../authorize/client.ts";
import { Visitor as PlainBrowser } from "../authorize/visitor.ts";
import type { Api } from "../support/api.ts";

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
  page.on("console", (message) => {
    // Info is that a test types faster than the page puts the cursor.
    if (message.type() !== "info") complaints.push(`${message.type()}: ${message.text()}`);
  });
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

/**
 * A user of the tenant in these roles, whose password was set by the one-time link that an administrator gives.
 * @returns user name and password
 */
export async function newColleague(api: Api, ...roles: string[]): Promise<{ username: string; password: string }> {
  const username = `colleague ${Bun.randomUUIDv7()}`;
  const password = "correct horse battery staple";
  const { Id } = await ok(api, "PATCH", "/User", { Username: username, Name: "A colleague", Is_Active: true });
  const { Items } = await ok(api, "GET", "/Role");
  for (const { Name, Members } of Items.filter((role: { Name: string }) => roles.includes(role.Name))) {
    await ok(api, "PATCH", "/Role", { Name, Members: [...Members, { Type: "User", Id }] });
  }
  const link = await ok(api, "POST", `/User/${Id}/PasswordReset`);
  const visitor = new PlainBrowser(issuer());
  const { pathname, search } = new URL(link.Url);
  const page = await visitor.open(pathname + search);
  await visitor.submit(page, { new_password: password });
  return { username, password };
}

// biome-ignore lint/suspicious/noExplicitAny: JSON of any shape
async function ok(api: Api, method: string, path: string, body?: unknown): Promise<any> {
  const { status, body: answer } = await api.call(method, path, body);
  expect({ path, status, answer }).toEqual({ path, status: 200, answer });
  return answer;
}

/** A folder for pictures of each page in each shape, for who wants to look at them. */
const PICTURES = process.env.SETTINGS_PICTURES;

/** A desk by day and a phone in the dark; what is wrong at a width or in a theme is so in the other theme or width. */
const SHAPES = [
  { width: 1400, height: 900, colorScheme: "light" },
  { width: 400, height: 800, colorScheme: "dark" },
] as const;
const MORE_SHAPES = [
  { width: 1400, height: 900, colorScheme: "dark" },
  { width: 400, height: 800, colorScheme: "light" },
] as const;

/** @throws if axe finds something, or the page is wider than the screen, in any shape */
async function inspect(page: Page, name: string): Promise<void> {
  await page.evaluate(axe.source);
  for (const { width, height, colorScheme } of PICTURES ? [...SHAPES, ...MORE_SHAPES] : SHAPES) {
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

/** A page, and how a person comes there; ids are those of the tenant that all are shown of. */
export interface Listed<Ids> {
  name: string;
  path: (ids: Ids) => string;
  /** What is done on the page before it is looked at. */
  act?: (visitor: Visitor) => Promise<void>;
}

/** @throws if one of them is not as it should be, or the browser has something to complain of */
export async function inspectAll<Ids>(visitor: Visitor, pages: Listed<Ids>[], ids: Ids): Promise<void> {
  for (const { name, path, act } of pages) {
    await visitor.open(path(ids));
    await act?.(visitor);
    await inspect(visitor.page, name);
  }
  // A page that answers 404 or 422 is an error to the browser's console, and what is wanted.
  expect(visitor.complaints.filter((line) => !line.includes("the server responded with a status of 4"))).toEqual([]);
}
