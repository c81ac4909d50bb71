// The same in a real browser, which enforces the pages' policies and the cookies' rules.

import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { openWindows } from "../support/browser.ts";
import { closedAfterAll } from "../support/closed-after-all.ts";
import { type Client, issuer, setCredentials } from "../world/client.ts";
import { startForgedProvider } from "../world/forged-provider.ts";
import {
  force,
  newPerson,
  newRealTenant,
  newUpstreamTenant,
  startRealProvider,
  type UpstreamTenant,
} from "../world/provider.ts";

const browser = openWindows();
const real = closedAfterAll(await startRealProvider());

/** An application that shows its user. */
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
  await setCredentials(tenant.client.id, { redirect_uris: [callback] });
  return tenant;
}

async function newPage(javaScriptEnabled = false): Promise<{ page: Page; complaints: string[] }> {
  const page = await (await browser.newContext({ ignoreHTTPSErrors: true, javaScriptEnabled })).newPage();
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (/security policy|refused/i.test(message.text())) complaints.push(message.text());
  });
  return { page, complaints };
}

/** The issuer of a provider that is down. */
async function nobodyThere(): Promise<string> {
  const down = await startForgedProvider();
  await down[Symbol.asyncDispose]();
  return down.issuer;
}

async function signInHere(page: Page, { tenant: { admin } }: Client): Promise<void> {
  await page.getByLabel("User name").fill(admin.username);
  await page.getByLabel("Password").fill(admin.password);
  await page.getByRole("button", { name: "Sign in" }).click();
}

async function signInThere(page: Page, login: string): Promise<void> {
  await page.locator("input[name=login]").fill(login);
  await page.locator("input[name=password]").fill("any");
  await page.locator("button[type=submit]").click();
  await page.getByRole("button", { name: "Continue" }).click();
}

test("a person signs in by the provider's link, links the existing account, and needs no password afterwards", async () => {
  using app = startApplication();
  const { client } = await newTenantAt(app.callback);
  const person = newPerson(real, { preferred_username: "admin" });
  const { page, complaints } = await newPage();
  await page.goto(issuer() + client.authorize({ redirect_uri: app.callback }));
  expect(await page.getByRole("main").getByRole("button").count()).toBe(1);
  await page.getByRole("link", { name: "Sign in with Example ID" }).click();
  await signInThere(page, person.login);
  await page.getByRole("heading", { name: "Link your account" }).waitFor();
  expect(await page.getByLabel("User name").inputValue()).toBe("admin");
  await page.getByLabel("Password").fill(client.tenant.admin.password);
  await page.getByRole("button", { name: "Link and sign in" }).click();
  await page.getByText("Welcome back").waitFor();

  await page.context().clearCookies({ name: /^gatehouse-session/ });
  await page.goto(issuer() + client.authorize({ redirect_uri: app.callback }));
  await page.getByRole("link", { name: "Sign in with Example ID" }).click();
  // The provider recognises the browser; for native applications it always asks for confirmation.
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByText("Welcome back").waitFor();
  expect(app.got.map(({ code }) => typeof code)).toEqual(["string", "string"]);
  expect(complaints).toEqual([]);
});

test("a person links a provider on the account page, signs in by it, and unlinks it", async () => {
  const { client } = await newRealTenant(real);
  const { page, complaints } = await newPage();
  const account = `${issuer()}/account?client_id=${client.id}`;
  await page.goto(account);
  await signInHere(page, client);
  await page.getByRole("button", { name: "Link Example ID" }).click();
  await signInThere(page, newPerson(real).login);
  await page.getByRole("heading", { name: "Link Example ID" }).waitFor();
  await page.getByLabel("Your password").fill(client.tenant.admin.password);
  await page.getByRole("button", { name: "Link" }).click();
  await page.getByRole("status").getByText("It is linked.").waitFor();

  await page.context().clearCookies({ name: /^gatehouse-session/ });
  await page.goto(account);
  await page.getByRole("link", { name: "Sign in with Example ID" }).click();
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByText("You are signed in as Administrator (admin)").waitFor();
  await page.getByRole("button", { name: "Unlink" }).click();
  await page.getByRole("button", { name: "Unlink it" }).click();
  await page.getByRole("status").getByText("It is unlinked").waitFor();
  await page.getByRole("button", { name: "Link Example ID" }).waitFor();
  expect(complaints).toEqual([]);
});

test("a provider's form_post returns to the browser's sign-in, though it sends no cookie", async () => {
  using app = startApplication();
  await using forged = await startForgedProvider();
  const { client } = await newUpstreamTenant({ Issuer: forged.issuer });
  await setCredentials(client.id, { redirect_uris: [app.callback] });
  const field = (name: string, value: string) => `<input type="hidden" name="${name}" value="${value}">`;
  forged.behaviour.answers = {
    "/authorize": ({ url }) => {
      forged.asked = new URL(url).searchParams;
      const fields = field("code", "a code") + field("state", forged.asked.get("state")!) + field("user", "{}");
      const form = `<form method="post" action="${forged.asked.get("redirect_uri")}">${fields}<button>Continue</button>`;
      return new Response(`<!doctype html><title>Apple</title>${form}`, { headers: { "content-type": "text/html" } });
    },
  };
  const { page, complaints } = await newPage();
  await page.goto(issuer() + client.authorize({ redirect_uri: app.callback }));
  await page.getByRole("link", { name: "Sign in with Example ID" }).click();
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByText("Welcome back").waitFor();
  expect(app.got.at(-1)).toMatchObject({ code: expect.any(String) });
  expect(complaints).toEqual([]);
});

test("an application that requires the provider shows no page of ours, unless the provider is down", async () => {
  using app = startApplication();
  const tenant = await newTenantAt(app.callback, { AllowLocal: true });
  await force(tenant);
  const address = issuer() + tenant.client.authorize({ redirect_uri: app.callback });
  const { page, complaints } = await newPage();
  await page.goto(address);
  await signInThere(page, newPerson(real).login);
  await page.getByText("Welcome back").waitFor();

  await tenant.caller.made("IdentityProvider", {
    Id: tenant.provider.Id,
    Issuer: await nobodyThere(),
    ClientSecret: "any",
  });
  const other = await newPage();
  await other.page.goto(address);
  await other.page.getByRole("heading", { name: "Sign-in did not work" }).waitFor();
  await other.page.getByRole("link", { name: "Sign in with a password" }).click();
  await signInHere(other.page, tenant.client);
  await other.page.getByText("Welcome back").waitFor();
  expect([...complaints, ...other.complaints]).toEqual([]);
});
