// "Try it": a person runs the authorization code flow with an application, and sees each step.

import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { openWindows } from "../support/browser.ts";
import { inspect } from "../support/inspect.ts";
import type { Api } from "../world/api.ts";
import { newApi } from "../world/apis.ts";
import { issuer } from "../world/client.ts";
import { enterSettings, newColleague } from "../world/console.ts";
import { newTenant } from "../world/tenant.ts";
import { Visitor as PlainBrowser } from "../world/visitor.ts";

const browser = openWindows();
/** A JWT's first two parts. */
const TOKEN = /eyJ[\w-]+\.eyJ/;

const pathOf = (id: string) => `/settings/applications/${id}/try-it`;

async function goTo(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Create the request" }).click();
  await page.getByRole("heading", { name: "1. The authorization request" }).waitFor();
}

async function addRedirectUri(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Add the redirect URI" }).click();
  await page.getByText("The redirect URI is added").waitFor();
}

/** From the authorization request to the page at the redirect URI. */
async function send(page: Page, decision = "Allow"): Promise<void> {
  await page.getByRole("link", { name: "Send the browser there" }).click();
  const consent = page.getByRole("button", { name: decision, exact: true });
  const answer = page.getByRole("heading", { name: "2. The response" });
  await consent.or(answer).waitFor();
  if (await consent.isVisible()) await consent.click();
  await answer.waitFor();
}

async function redirectUrisOf(api: Api, id: string): Promise<string[]> {
  const { body } = await api.call<{ RedirectUris: string[] }>("GET", `/Application/${id}/Credentials`);
  return body.RedirectUris;
}

test.each([true, false])(
  "with script: %p: an administrator tries a client with a secret; no page contains a token, code or secret",
  async (javaScriptEnabled) => {
    const api = await newTenant();
    const { clientId: id, clientSecret } = api.tenant.client;
    const before = await redirectUrisOf(api, id);
    await using visitor = await enterSettings(browser, api.tenant, { javaScriptEnabled });
    const { page, open } = visitor;
    await open(`/settings/applications/${id}`);
    await page.getByRole("link", { name: "Try it" }).click();
    await addRedirectUri(page);
    expect(await redirectUrisOf(api, id)).toEqual([...before, `${issuer()}${pathOf(id)}/callback`]);
    if (javaScriptEnabled) await inspect(page, "try-it");
    await goTo(page);
    if (javaScriptEnabled) await inspect(page, "try-it-request");
    await send(page);
    const answer = page.url();
    const code = new URL(answer).searchParams.get("code")!;
    if (javaScriptEnabled) await inspect(page, "try-it-answer");

    await page.getByLabel("client_secret").fill("wrong");
    await page.getByRole("button", { name: "Get the tokens" }).click();
    await page.locator("#field-client_secret-problem").getByText("Client authentication failed").waitFor();
    expect(await page.getByLabel("client_secret").inputValue()).toBe("");

    await page.getByLabel("client_secret").fill(clientSecret);
    await page.getByRole("button", { name: "Get the tokens" }).click();
    await page.getByRole("heading", { name: "6. Userinfo" }).waitFor();
    if (javaScriptEnabled) await inspect(page, "try-it-done");
    expect(await page.getByText("wrong", { exact: true }).count()).toBe(0);
    for (const check of ["state is", "nonce equals", "at_hash matches", `aud is ${id}`]) {
      await page.getByRole("listitem").filter({ hasText: check }).getByText("right", { exact: true }).first().waitFor();
    }
    expect(await page.getByText("signed with", { exact: false }).count()).toBe(2);
    expect(await page.getByRole("group", { name: "Answer of the userinfo endpoint" }).textContent()).toContain(
      '"preferred_username": "admin"',
    );
    const html = await page.content();
    expect(html).not.toMatch(TOKEN);
    expect(html).not.toContain(clientSecret);
    expect(html).not.toContain(code);

    // Its tokens are revoked, and the code is used up.
    const { body: log } = await api.call<{ Items: object[] }>("GET", "/AuditEvent?Kind=Token.Revoked");
    expect(log.Items).toHaveLength(1);
    await page.goto(answer);
    await page.getByText("This response does not belong to a request of this browser").waitFor();

    await open(pathOf(id));
    await page.getByRole("button", { name: "Remove the redirect URI" }).click();
    await page.getByText("The redirect URI is removed").waitFor();
    expect(await redirectUrisOf(api, id)).toEqual(before);
    const expected = ["status of 422", "status of 409"];
    expect(visitor.complaints.filter((line) => !expected.some((text) => line.includes(text)))).toEqual([]);
  },
);

test("an access token for an API names that API only, and userinfo is not called with it", async () => {
  const api = await newTenant();
  const { clientId: id, clientSecret } = api.tenant.client;
  const { audience } = await newApi(api, "Orders", ["orders:read", "orders:write"]);
  const { body } = await api.call<{ Scopes: string[] }>("GET", `/Application/${id}/Credentials`);
  await api.call("PATCH", `/Application/${id}/Credentials`, {
    Scopes: [...body.Scopes, "orders:read", "orders:write"],
  });
  const { body: users } = await api.call<{ Items: { Id: number }[] }>("GET", "/User?Username=admin");
  const Members = [{ Type: "User", Id: users.Items[0]!.Id }];
  await api.call("PATCH", "/Role", { Name: "clerk", Scopes: ["orders:read"], Members });
  await using visitor = await enterSettings(browser, api.tenant);
  const { page, open, complaints } = visitor;
  await open(pathOf(id));
  await addRedirectUri(page);
  await page.getByLabel("For", { exact: true }).selectOption(audience);
  await page.getByLabel("orders:read (Orders)").check();
  await page.getByLabel("orders:write (Orders)").check();
  await inspect(page, "try-it-api");
  await goTo(page);
  await page.getByText(audience, { exact: true }).waitFor();
  await send(page);
  await page.getByLabel("client_secret").fill(clientSecret);
  await page.getByRole("button", { name: "Get the tokens" }).click();
  await page.getByRole("heading", { name: /^5\. The access token/ }).waitFor();
  await page.getByText("Not granted: orders:write. None of your roles grants it").waitFor();
  await inspect(page, "try-it-not-given");
  const check = page.getByRole("listitem").filter({ hasText: `aud is ${audience}` });
  await check.getByText("right", { exact: true }).waitFor();
  expect(await page.getByText("wrong", { exact: true }).count()).toBe(0);
  expect(await page.getByRole("heading", { name: "6. Userinfo" }).count()).toBe(0);
  expect(complaints).toEqual([]);
});

test("a public client needs no secret; an error and a missing scope are shown", async () => {
  const api = await newTenant();
  const { Id } = await api.change({ Name: "Page", Is_Active: true });
  const id = String(Id);
  const client = { ClientType: "public", GrantTypes: ["authorization_code"], Scopes: ["openid", "email"] };
  await api.call("PATCH", `/Application/${id}/Credentials`, client);
  await using visitor = await enterSettings(browser, api.tenant);
  const { page, open } = visitor;
  await open(pathOf(id));
  await addRedirectUri(page);
  await goTo(page);
  await send(page, "Deny");
  await page.getByText("access_denied").waitFor();
  expect(await page.getByRole("button", { name: "Get the tokens" }).count()).toBe(0);
  await page.getByRole("link", { name: "Try again" }).click();
  await page.getByLabel("openid").uncheck();
  await goTo(page);
  await send(page);
  expect(await page.getByLabel("client_secret").count()).toBe(0);
  await page.getByRole("button", { name: "Get the tokens" }).click();
  await page.getByRole("heading", { name: "5. The access token" }).waitFor();
  expect(await page.getByRole("heading", { name: "4. The id_token" }).count()).toBe(0);
  expect(await page.content()).not.toMatch(TOKEN);
});

test("a result is shown only to the person who signed in for it", async () => {
  const api = await newTenant();
  const { clientId: id, clientSecret } = api.tenant.client;
  await api.call("PATCH", `/Application/${id}/Credentials`, { FirstParty: true });
  const victim = await newColleague(api);
  const colleague = await newColleague(api, "admin");
  await using visitor = await enterSettings(browser, api.tenant);
  const { page, open } = visitor;
  await open(pathOf(id));
  await addRedirectUri(page);
  await goTo(page);
  const link = await page.getByRole("link", { name: "Send the browser there" }).getAttribute("href");

  // The link is opened by a different user, so neither gets the response.
  const other = new PlainBrowser(issuer());
  const signedIn = await other.submit(await other.open(link!), victim);
  expect(signedIn.heading).toBe("Forbidden");
  const { pathname, search } = new URL(other.trail.find(({ url }) => url.includes("code="))!.url);
  await open(pathname + search);
  await page.getByLabel("client_secret").fill(clientSecret);
  await page.getByRole("button", { name: "Get the tokens" }).click();
  await page.getByText("A different user has signed in").waitFor();
  expect(await page.content()).not.toContain(victim.username);
  expect(await page.getByRole("heading", { name: "5. The access token" }).count()).toBe(0);

  // An answer is valid only in the browser that made the request, for the same person and application.
  await open(pathOf(id));
  await goTo(page);
  await send(page);
  const own = new URL(page.url());
  await using second = await enterSettings(browser, api.tenant, colleague);
  for (const [at, path] of [
    [second, own.pathname + own.search],
    [visitor, own.pathname + own.search.replace("state=", "state=x")],
    [visitor, `${own.pathname.replace(id, String((await api.change({ Name: "Other" })).Id))}${own.search}`],
    [visitor, own.pathname],
  ] as const) {
    await at.open(path);
    await at.page.getByText("This response does not belong to a request of this browser").waitFor();
    expect(await at.page.content()).not.toContain(own.searchParams.get("code")!);
  }

  // Nor for the browser's next user.
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("link", { name: "Sign in again" }).click();
  await page.getByLabel("User name").fill(colleague.username);
  await page.getByLabel("Password").fill(colleague.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
  await open(own.pathname + own.search);
  await page.getByText("This response does not belong to a request of this browser").waitFor();
});

test("a user who may not change credentials does not see it", async () => {
  const api = await newTenant();
  await using visitor = await enterSettings(browser, api.tenant, await newColleague(api, "auditor"));
  const { page, open } = visitor;
  await open(`/settings/applications/${api.clientId}`);
  await page.getByRole("link", { name: "Credentials" }).waitFor();
  expect(await page.getByRole("link", { name: "Try it" }).count()).toBe(0);
  await open(pathOf(api.clientId));
  await page.getByText("This requires Settings:Update").waitFor();
});
