// Checks every page of Settings, as listed by its routes. axe finds no problem, the page fits, and it has at most one
// primary button and no wrapped time. The keyboard reaches the link that stops refreshing, and the browser reports no
// error. A new page is included by its route.

import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { KINDS } from "../../server/console/applications/client-kinds.ts";
import { openWindows } from "../support/browser.ts";
import { inspect } from "../support/inspect.ts";
import { issuer } from "../world/client.ts";
import { enterSettings, type Visitor } from "../world/console.ts";
import { fill, PATHS } from "../world/every-path.ts";
import { startRealProvider } from "../world/provider.ts";
import { startReceiver } from "../world/receiver.ts";
import { type Ids, newWorld } from "./world.ts";

/** The values of a path's parameter that have different pages. */
const CHOICES: Record<string, string[]> = { ":type": ["OpenIDConnect", "OAuth2"], ":kind": Object.keys(KINDS) };
const CHOICE = new RegExp(Object.keys(CHOICES).join("|"));

const NOWHERE = "/settings/nothing/here";
const pages = ["/settings", ...PATHS, NOWHERE].flatMap((path) => {
  const choice = path.match(CHOICE)?.[0];
  return choice ? CHOICES[choice]!.map((value) => path.replace(choice, value)) : [path];
});

const areas = Map.groupBy(pages, (path) => path.split("/")[2] ?? "overview");

const windows = openWindows();
const parts = new AsyncDisposableStack();
let ids: Ids;
let visitor: Visitor;

beforeAll(async () => {
  const receiver = parts.use(startReceiver(({ payload }) => (payload.EventType === "Deleted" ? 500 : 200)));
  const hanging = parts.use(startReceiver("hang"));
  const provider = parts.use(await startRealProvider());
  const world = await newWorld({ receiver, provider, hanging });
  ids = world.ids;
  visitor = await enterSettings(windows, world.client.tenant);
});
afterAll(() => parts.disposeAsync());

const inspected = new Set<string>();

test.each([...areas])("the pages of %s are accessible and fit a desktop and a phone", async (_area, paths) => {
  for (const path of paths) {
    const page = await pageAt(fill(path.replace(":secret", ids.secret!), ids));
    if (!page || inspected.has(page)) continue;
    inspected.add(page);
    await visitor.open(page);
    expect({ path, flaws: await flawsOf(visitor.page) }).toEqual({ path, flaws: [] });
    await inspect(visitor.page, path);
  }
  expectNoComplaint();
});

/** @returns the browser's final path, or undefined for a download and for parts of pages */
async function pageAt(path: string): Promise<string | undefined> {
  const cookies = await visitor.page.context().cookies();
  const headers = { cookie: cookies.map(({ name, value }) => `${name}=${value}`).join("; "), accept: "text/html" };
  const response = await fetch(issuer() + path, { headers });
  const isPage = (await response.text()).startsWith("<!doctype html>");
  const { pathname } = new URL(response.url);
  const isThere = response.status < 500 && response.status !== 404 && response.status !== 405;
  expect({ path, isThere }).toEqual({ path, isThere: path !== NOWHERE });
  return isPage && !response.headers.has("content-disposition") ? pathname : undefined;
}

/** With the width of a desktop. */
async function flawsOf(page: Page): Promise<string[]> {
  await page.setViewportSize({ width: 1400, height: 900 });
  await page.locator("h1").waitFor();
  const primary = await page.locator("main .main:visible").allTextContents();
  const wrapped = await page.evaluate<number>(
    "[...document.querySelectorAll('td time, th time')].filter((time) => time.getClientRects().length > 1).length",
  );
  const isRefreshing = (await page.locator(".refreshing a").count()) > 0;
  const isFar = isRefreshing && !(await isReachedByTab(page, ".refreshing"));
  return [
    primary.length > 1 && `primary buttons: ${primary.join(", ")}`,
    wrapped > 0 && `${wrapped} times wrap`,
    isFar && "the link that stops the refreshing is more than ten Tabs away",
  ].filter((flaw) => flaw !== false);
}

/** Moves from the top of the page, and skips the menu by its link. */
async function isReachedByTab(page: Page, selector: string): Promise<boolean> {
  await page.evaluate("document.activeElement.blur()");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  for (let tabs = 2; tabs <= 10; tabs++) {
    await page.keyboard.press("Tab");
    if (await page.evaluate(`document.activeElement.closest("${selector}") !== null`)) return true;
  }
  return false;
}

/** The browser reports statuses of 4xx, which some of these pages have. */
function expectNoComplaint(): void {
  expect(visitor.complaints.splice(0).filter((line) => !line.includes("responded with a status of 4"))).toEqual([]);
}

/** Sends the page's form past the browser's own checks, and waits for the problems. */
async function refuse(page: Page, button: string, fields: Record<string, string> = {}): Promise<void> {
  await page.locator("main form.fields").evaluate((form) => form.setAttribute("novalidate", ""));
  for (const [label, value] of Object.entries(fields)) await page.getByLabel(label, { exact: true }).fill(value);
  await page.getByRole("button", { name: button }).click();
  await page.getByRole("alert").waitFor();
}

/** Further states of the same pages: after a filter, a rejected form, an action. */
const STATES: Record<string, { path: (ids: Ids) => string; act?: (page: Page) => Promise<unknown> }> = {
  "a filter that excludes all": { path: () => "/settings/webhooks?Name=nothing&State=Held" },
  "a search that finds no user": { path: () => "/settings/users?Search=nobody+at+all&Is_Active=true" },
  "a search that finds no member": { path: ({ roles }) => `/settings/roles/${roles}/members/add?Search=nobody+at+all` },
  "no policies": { path: () => "/settings/policies?Name=Nothing" },
  "no applications": { path: () => "/settings/applications?Search=nothing+like+it" },
  "no providers": { path: () => "/settings/identity-providers?Name=nothing" },
  "no redeliveries": { path: () => "/settings/redeliveries?State=Cancelled" },
  "no events": { path: () => "/settings/activity?State=Cancelled&From=2026-01-31T12:00:00Z" },
  "what a shorter time would remove": { path: () => "/settings/data?Days=1" },
  "a refused filter": { path: () => "/settings/audit-log?ActorId=7&Kind=SignOut" },
  "the first of several pages": { path: () => "/settings/users?Limit=10" },
  "a further page": {
    path: () => "/settings/activity?Limit=10&State=Exhausted",
    act: async (page) => {
      await page.getByRole("link", { name: "Next page" }).click();
      await page.getByRole("link", { name: "Back to the first" }).waitFor();
    },
  },
  "an event whose delivery is in progress": { path: ({ openEvent }) => `/settings/activity/${openEvent}` },
  "figures as a table": {
    path: ({ webhooks }) => `/settings/webhooks/${webhooks}?Last=7d`,
    act: (page) => page.getByText("The same as a table").click(),
  },
  "opened settings": {
    path: ({ webhooks }) => `/settings/webhooks/${webhooks}/change`,
    act: (page) => page.getByText("More settings").click(),
  },
  "a refused connection": {
    path: () => "/settings/webhooks/add",
    act: (page) => refuse(page, "Add connection", { "URL Endpoint": "http://example.com" }),
  },
  "a refused user": {
    path: () => "/settings/users/add",
    act: (page) =>
      refuse(page, "Add user", { "User name": "admin", "Full name": `<b>"Ana"</b> ${"long ".repeat(30)}` }),
  },
  "a password link": {
    path: ({ users }) => `/settings/users/${users}`,
    act: async (page) => {
      await page.getByRole("button", { name: "Create password link" }).click();
      await page.getByRole("heading", { name: "Password link" }).waitFor();
    },
  },
  "the words of policies": {
    path: () => "/settings/policies/add",
    act: async (page) => {
      for (const part of await page.locator("main details").all()) await part.locator("summary").click();
    },
  },
  "a refused policy": {
    path: () => "/settings/policies/add",
    act: (page) =>
      refuse(page, "Save policy", {
        Name: "Sales",
        Policy: [
          "permit (",
          '  principal in Role::"editor",',
          '  action == Action::"AccessManager:Raed",',
          "  resource is Application",
          ")",
          'when { resource.Nmae like "Sales *" };',
        ].join("\n"),
      }),
  },
  "a policy to try": { path: ({ policies }) => `/settings/policies/try?Id=${policies}` },
  "a call that is denied": {
    path: ({ policies }) => `/settings/policies/try?Id=${policies}`,
    act: async (page) => {
      await page.getByLabel("Caller's name or Id").fill("admin");
      await page.getByLabel("Record's name or Id").fill("nobody's");
      await page.getByRole("button", { name: "Try this call" }).click();
      await page.getByRole("alert").waitFor();
    },
  },
  "what a policy would change": {
    path: () => "/settings/policies/try",
    act: async (page) => {
      await page.getByLabel("Policy", { exact: true }).fill("forbid (principal, action, resource is User);");
      await page.getByRole("button", { name: "Who is affected?" }).click();
      await page.getByRole("heading", { name: "Changes" }).waitFor();
    },
  },
  "refused credentials": {
    path: ({ applications }) => `/settings/applications/${applications}/credentials/change`,
    act: async (page) => {
      await page.getByLabel("Redirect URIs (optional)").fill(`<img src=x> ${"unbroken".repeat(15)}`);
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByRole("alert").waitFor();
    },
  },
  "a new secret": {
    path: ({ applications }) => `/settings/applications/${applications}/secrets`,
    act: async (page) => {
      await page.getByRole("button", { name: "Create the secret" }).click();
      await page.getByRole("heading", { name: "Secret", level: 1 }).waitFor();
    },
  },
  "a third secret, refused": {
    path: ({ applications }) => `/settings/applications/${applications}/secrets`,
    act: async (page) => {
      await page.getByLabel("Name (optional)").fill(`<img src=x> ${"unbroken".repeat(15)}`);
      await page.getByRole("button", { name: "Create the secret" }).click();
      await page.getByRole("alert").waitFor();
    },
  },
  "a refused new application": {
    path: () => "/settings/new-application/web",
    act: async (page) => {
      await page.getByLabel("Name", { exact: true }).fill("<img src=x> shop");
      await page
        .getByLabel("Redirect URIs", { exact: true })
        .fill(`http://localhost:3001/${"long/".repeat(40)}\nftp://x`);
      await page.getByRole("button", { name: "Create the application" }).click();
      await page.getByRole("alert").waitFor();
    },
  },
  "a refused provider": {
    path: () => "/settings/identity-providers/add/OAuth2",
    act: (page) =>
      refuse(page, "Add provider", { Name: "<img src=x> ID", "Token endpoint": "http://example.com/token" }),
  },
  "a tested provider": {
    path: ({ "identity-providers": id }) => `/settings/identity-providers/${id}`,
    act: async (page) => {
      await page.getByRole("button", { name: "Test this connection" }).click();
      await page.getByRole("heading", { name: "Test of the connection" }).waitFor();
    },
  },
  "a provider without OpenID Connect": { path: ({ oauth2 }) => `/settings/identity-providers/${oauth2}` },
  "an API with hostile texts": { path: ({ hostileApi }) => `/settings/apis/${hostileApi}` },
};

test.each(Object.entries(STATES))(
  "%s: the page is accessible and fits a desktop and a phone",
  async (name, { path, act }) => {
    await visitor.open(path(ids));
    await act?.(visitor.page);
    await inspect(visitor.page, name);
    expectNoComplaint();
  },
);
