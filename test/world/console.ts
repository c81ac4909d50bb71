// Settings in a real browser.

import { expect } from "bun:test";
import type { Page } from "playwright-core";
import type { NewTenant } from "../../server/identity/tenants/index.ts";
import type { WindowOptions, Windows } from "../support/browser.ts";
import { PlainContext } from "../support/plain-page.ts";
import type { Api } from "./api.ts";
import { issuer } from "./client.ts";
import { Visitor as PlainBrowser } from "./visitor.ts";

/** A browser signed in to Settings; it collects console messages. */
export interface Visitor extends AsyncDisposable {
  page: Page;
  /** Unwanted messages: errors and CSP violations. */
  complaints: string[];
  /** Opens a path, such as /settings/webhooks. */
  open(path: string): Promise<void>;
}

const hasScript = (page: Page) => "evaluate" in page;

/** Opens the filters that a list has behind a button; without script they are all there. */
export async function moreFilters(page: Page): Promise<void> {
  if (hasScript(page)) await page.locator("summary", { hasText: "More filters" }).click();
}

/** With script, a list follows its filters. */
export async function submitFilters(page: Page): Promise<void> {
  if (!hasScript(page)) await page.getByRole("button", { name: "Filter" }).click();
}

/**
 * Signs in as the tenant's admin or a named user.
 * @example await using visitor = await enterSettings(browser, api.tenant);
 */
export async function enterSettings(
  browser: Windows,
  tenant: NewTenant,
  options: WindowOptions & { username?: string; password?: string } = {},
): Promise<Visitor> {
  const { username = tenant.admin.username, password = tenant.admin.password, ...context } = options;
  const window = await browser.newContext(context);
  const page = await window.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => {
    // An info message means that the test types before the page sets the cursor.
    if (message.type() !== "info" && !isEditing(message.text(), page.url())) {
      complaints.push(`${message.type()}: ${message.text()}`);
    }
  });
  page.on("pageerror", (error) => complaints.push(`error: ${error.message}`));
  // The sign-in needs no Chromium.
  const door = new PlainContext({});
  const form = await door.newPage();
  await form.goto(`${issuer()}/settings?organisation=${tenant.tenantId}`);
  await form.getByLabel("User name").fill(username);
  await form.getByLabel("Password").fill(password);
  await form.getByRole("button", { name: "Sign in" }).click();
  await window.addCookies(await door.cookies());
  await page.goto(`${issuer()}/settings`);
  await page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
  return {
    page,
    complaints,
    async open(path) {
      await page.goto(issuer() + path);
    },
    // An open page keeps refreshing itself.
    [Symbol.asyncDispose]: () => window.close(),
  };
}

/** When the policy editor joins lines, Chromium itself writes a style into the text, which the CSP blocks. */
const isEditing = (complaint: string, url: string) =>
  complaint.includes("Applying inline style violates") && new URL(url).pathname.startsWith("/settings/policies");

/**
 * A user of the tenant with these roles, whose password was set by an administrator's one-time link.
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
