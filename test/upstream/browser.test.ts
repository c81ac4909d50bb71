// The same in a real browser, which holds to the pages' policies and to the cookies' rules.

import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { issuer } from "../authorize/client.ts";
import { db } from "../entities/client.ts";
import { launchBrowser } from "../support/browser.ts";
import { startForgedProvider } from "./forged-provider.ts";
import { newPerson, type RealProvider, startRealProvider } from "./real-provider.ts";
import { force, newRealTenant, type UpstreamTenant } from "./tenant.ts";

let browser: Browser;
let real: RealProvider;
beforeAll(async () => {
  [browser, real] = await Promise.all([launchBrowser(), startRealProvider()]);
}, 60_000);
afterAll(async () => {
  await browser?.close();
  await real?.[Symbol.asyncDispose]();
});

/** The application, which says who it was told of. */
function startApplication() {
  const got: Record<string, string>[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: (request) => {
      got.push(Object.fromEntries(new URL(request.url).searchParams));
      return new Response("<h1>Welcome back</h1>", { headers: { "content-type": "text/html" } });
    },
  });
  return { got, callback: `http://127.0.0.1:${server.port}/callback`, [Symbol.dispose]: () => void server.stop(true) };
}

async function newTenantAt(callback: string, fields: Record<string, unknown> = {}): Promise<UpstreamTenant> {
  const tenant = await newRealTenant(real, fields);
  await db()`update credentials set redirect_uris = ${[callback]} where application_id = ${tenant.client.id}`;
  return tenant;
}

async function newPage(): Promise<{ page: Page; complaints: string[] }> {
  const page = await (await browser.newContext({ ignoreHTTPSErrors: true, javaScriptEnabled: false })).newPage();
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (/security policy|refused|blocked/i.test(message.text())) complaints.push(message.text());
  });
  return { page, complaints };
}

async function signInThere(page: Page, login: string): Promise<void> {
  await page.locator("input[name=login]").fill(login);
  await page.locator("input[name=password]").fill("any");
  await page.locator("button[type=submit]").click();
  await page.getByRole("button", { name: "Continue" }).click();
}

test("a person signs in by the provider's link, links the account there is, and from then on needs no password", async () => {
  using app = startApplication();
  const { client } = await newTenantAt(app.callback);
  const person = newPerson(real, { preferred_username: "admin" });
  const { page, complaints } = await newPage();
  await page.goto(issuer() + client.authorize({ redirect_uri: app.callback }));
  expect(await page.getByRole("button").count()).toBe(1);
  await page.getByRole("link", { name: "Sign in with Example ID" }).click();
  await signInThere(page, person.login);
  await page.getByRole("heading", { name: "Link your account" }).waitFor();
  expect(await page.getByLabel("User name").inputValue()).toBe("admin");
  await page.getByLabel("Password").fill(client.tenant.admin.password);
  await page.getByRole("button", { name: "Link and sign in" }).click();
  await page.getByText("Welcome back").waitFor();

  await page.context().clearCookies({ name: "session" });
  await page.goto(issuer() + client.authorize({ redirect_uri: app.callback }));
  await page.getByRole("link", { name: "Sign in with Example ID" }).click();
  // The provider still knows the browser; as for every native application it asks whether to go on.
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByText("Welcome back").waitFor();
  expect(app.got.map(({ code }) => typeof code)).toEqual(["string", "string"]);
  expect(complaints).toEqual([]);
});

test("an application that points at the provider shows no page of ours, unless the provider is down", async () => {
  using app = startApplication();
  const tenant = await newTenantAt(app.callback, { AllowLocal: true });
  await force(tenant);
  const address = issuer() + tenant.client.authorize({ redirect_uri: app.callback });
  const { page, complaints } = await newPage();
  await page.goto(address);
  await signInThere(page, newPerson(real).login);
  await page.getByText("Welcome back").waitFor();

  const down = await startForgedProvider();
  await down[Symbol.asyncDispose]();
  await tenant.caller.made("IdentityProvider", { Id: tenant.provider.Id, Issuer: down.issuer });
  const other = await newPage();
  await other.page.goto(address);
  await other.page.getByRole("heading", { name: "Sign-in did not work" }).waitFor();
  await other.page.getByRole("link", { name: "Sign in with a password" }).click();
  await other.page.getByLabel("User name").fill(tenant.client.tenant.admin.username);
  await other.page.getByLabel("Password").fill(tenant.client.tenant.admin.password);
  await other.page.getByRole("button", { name: "Sign in" }).click();
  await other.page.getByText("Welcome back").waitFor();
  expect([...complaints, ...other.complaints]).toEqual([]);
});
