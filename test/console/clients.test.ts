// Applications, their credentials and secrets, and identity providers in Settings, as administrators use them.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { type RealProvider, startRealProvider } from "../identity-providers/real-provider.ts";
import { openWindows } from "../support/browser.ts";
import { newTenant } from "../support/tenant.ts";
import { askToken, formOf } from "../token/client.ts";
import { enterSettings, inspectAll, type Listed, newColleague } from "./console.ts";

const browser = openWindows();
let provider: RealProvider;
beforeAll(async () => {
  provider = await startRealProvider();
}, 60_000);
afterAll(() => provider?.[Symbol.asyncDispose]());

const PATIENCE_MS = 240_000;
const told = (page: Page, text: string | RegExp) => page.getByRole("status").getByText(text).waitFor();
const isRefused = (line: string) => line.includes("status of 422");

/** The secret that a page shows once. */
async function makeSecret(page: Page, name: string): Promise<string> {
  await page.getByRole("link", { name: "Make a secret" }).click();
  await page.getByLabel("Name (optional)").fill(name);
  await page.getByRole("button", { name: "Make the secret" }).click();
  await page.getByRole("heading", { name: "Secret", level: 1 }).waitFor();
  const secret = (await page.locator(".secret code").textContent())!;
  await page.getByRole("link", { name: "Done" }).click();
  expect(await page.content()).not.toContain(secret);
  return secret;
}

describe.each([true, false])("with script: %p", (javaScriptEnabled) => {
  test(
    "an admin makes an application a client and replaces its secret while both are valid",
    async () => {
      const { tenant } = await newTenant();
      const { page, open, complaints } = await enterSettings(browser, tenant, { javaScriptEnabled });
      await open("/settings/applications");
      await page.getByRole("link", { name: "Add application" }).click();
      await page.getByLabel("Name", { exact: true }).fill("Payroll");
      await page.getByRole("button", { name: "Add application" }).click();
      await told(page, /The application is added/);
      const clientId = new URL(page.url()).pathname.split("/").at(-1)!;

      await page.getByRole("link", { name: "Change credentials" }).click();
      await page.getByLabel("Redirect URIs (optional)").fill("http://payroll.example.com/back");
      await page.getByLabel("client_credentials").check();
      await page.getByLabel("Webhooks:Read").check();
      await page.getByRole("button", { name: "Save" }).click();
      // Problems appear beside their fields, and input is kept.
      await page.getByRole("alert").waitFor();
      expect(await page.locator("#field-RedirectUris-problem").textContent()).toContain("https");
      expect(await page.getByLabel("client_credentials").isChecked()).toBe(true);
      await page.getByLabel("Redirect URIs (optional)").fill("https://payroll.example.com/back");
      await page.getByRole("button", { name: "Save" }).click();
      await told(page, "The credentials are changed.");

      const tokenBy = async (clientSecret: string) =>
        (await askToken(formOf({ clientId, clientSecret }, { scope: "*" }))).status;
      const first = await makeSecret(page, "until spring");
      expect(await tokenBy(first)).toBe(200);
      const second = await makeSecret(page, HOSTILE.slice(0, 100));
      expect(await page.getByRole("link", { name: "Make a secret" }).count()).toBe(0);
      const row = (name: string) => page.locator("#secrets tbody tr").filter({ hasText: name });
      await row("until spring").getByText("in use").waitFor();
      await row("unbroken").getByText("never").waitFor();
      expect(await tokenBy(second)).toBe(200);

      await row("until spring").getByRole("link", { name: "Delete" }).click();
      await page.getByText("It is in use").waitFor();
      await page.getByRole("button", { name: "Delete secret" }).click();
      await told(page, "The secret is deleted.");
      expect([await tokenBy(first), await tokenBy(second)]).toEqual([400, 200]);

      await page.getByRole("button", { name: "Deactivate" }).click();
      await page.getByRole("button", { name: "Deactivate application" }).click();
      await told(page, /now inactive/);
      expect(await tokenBy(second)).toBe(400);
      await page.getByRole("link", { name: "Delete", exact: true }).first().click();
      await page.getByRole("button", { name: "Delete application" }).click();
      await told(page, "Payroll is deleted.");
      expect(complaints.filter((line) => !isRefused(line))).toEqual([]);
    },
    PATIENCE_MS,
  );

  test(
    "an admin adds an identity provider, tests it, and makes it an application's only sign-in",
    async () => {
      const { tenant } = await newTenant();
      const { page, open, complaints } = await enterSettings(browser, tenant, { javaScriptEnabled });
      await open("/settings/identity-providers");
      await page.getByRole("link", { name: "Add OpenID Connect" }).click();
      await page.getByLabel("Name", { exact: true }).fill("Staff directory");
      await page.getByLabel("Issuer").fill(provider.issuer);
      await page.getByLabel("ClientId").fill("not known yet");
      await page.getByLabel("ClientSecret").fill("nor this");
      await page.getByRole("button", { name: "Add provider" }).click();
      await told(page, /The provider is added/);
      const redirectUri = await page.locator("dd code").filter({ hasText: "/callback" }).textContent();

      await page.getByRole("button", { name: "Test this connection" }).click();
      await page.getByText("Signing in would fail").waitFor();
      await page.getByText("The ClientId or its secret is wrong").waitFor();

      const { ClientId, ClientSecret } = await provider.register(redirectUri!);
      await page.getByRole("link", { name: "Back to the provider" }).click();
      await page.getByRole("link", { name: "Change", exact: true }).click();
      await page.getByLabel("ClientId").fill(ClientId);
      await page.getByLabel("ClientSecret").fill(ClientSecret);
      await page.getByRole("button", { name: "Save" }).click();
      await told(page, "The provider is changed.");
      await page.getByRole("button", { name: "Test this connection" }).click();
      await page.getByText("Nothing is wrong").waitFor();

      await open(`/settings/applications/${tenant.client.clientId}/change`);
      await page.getByLabel("Users sign in with").selectOption("Staff directory");
      await page.getByRole("button", { name: "Save" }).click();
      await told(page, "The application is changed.");
      await page.getByRole("link", { name: "Staff directory" }).click();
      await page.getByRole("link", { name: /signed in to by it alone/ }).click();
      expect(await page.locator("tbody tr").count()).toBe(1);
      await open("/settings/identity-providers");
      await page.getByRole("link", { name: "Staff directory" }).click();
      await page.getByRole("link", { name: "Delete" }).click();
      await page.getByRole("button", { name: "Delete provider" }).click();
      await page.getByText("still pointed at by Application").waitFor();
      expect(complaints.filter((line) => !line.includes("status of 409"))).toEqual([]);
    },
    PATIENCE_MS,
  );
});

test(
  "an auditor sees them and cannot change them",
  async () => {
    const api = await newTenant();
    const colleague = await newColleague(api, "auditor");
    const { page, open } = await enterSettings(browser, api.tenant, { ...colleague, javaScriptEnabled: false });
    await open(`/settings/applications/${api.tenant.client.clientId}`);
    await page.getByRole("heading", { name: "Credentials" }).waitFor();
    for (const name of ["Change", "Delete", "Change credentials"]) {
      expect(await page.getByRole("link", { name, exact: true }).count()).toBe(0);
    }
    expect(await page.locator("main button").filter({ hasNotText: "Copy" }).count()).toBe(0);
    await open(`/settings/applications/${api.tenant.client.clientId}/credentials`);
    await page.getByText("This needs Settings:Update").waitFor();
  },
  PATIENCE_MS,
);

interface Ids {
  application: string;
  secret: string;
  provider: string;
  plain: string;
}

/** Hostile input. */
const HOSTILE = `<img src=x onerror=alert(1)> "&amp;" \u202emirror ${"unbroken".repeat(15)}`;

const PAGES: Listed<Ids>[] = [
  { name: "applications", path: () => "/settings/applications" },
  { name: "applications-none", path: () => "/settings/applications?Search=nothing+like+it" },
  { name: "application", path: ({ application }) => `/settings/applications/${application}` },
  { name: "application-add", path: () => "/settings/applications/add" },
  { name: "application-change", path: ({ application }) => `/settings/applications/${application}/change` },
  { name: "application-delete", path: ({ application }) => `/settings/applications/${application}/delete` },
  {
    name: "application-credentials-refused",
    path: ({ application }) => `/settings/applications/${application}/credentials`,
    act: async ({ page }) => {
      await page.getByLabel("Redirect URIs (optional)").fill(HOSTILE);
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByRole("alert").waitFor();
    },
  },
  {
    name: "application-secret",
    path: ({ application }) => `/settings/applications/${application}`,
    act: async ({ page }) => {
      await page.getByRole("link", { name: "Make a secret" }).click();
      await page.getByRole("button", { name: "Make the secret" }).click();
      await page.getByRole("heading", { name: "Secret", level: 1 }).waitFor();
    },
  },
  {
    name: "application-secret-refused",
    path: ({ application }) => `/settings/applications/${application}`,
    act: async ({ page }) => {
      await page.getByRole("link", { name: "Delete", exact: true }).nth(1).click();
      await page.getByRole("button", { name: "Delete secret" }).click();
      await page.getByRole("link", { name: "Make a secret" }).click();
      await page.getByLabel("Name (optional)").fill(HOSTILE);
      await page.getByRole("button", { name: "Make the secret" }).click();
      await page.getByRole("alert").waitFor();
    },
  },
  {
    name: "application-secret-delete",
    path: ({ application, secret }) => `/settings/applications/${application}/secrets/${secret}/delete`,
  },
  { name: "providers", path: () => "/settings/identity-providers" },
  { name: "providers-none", path: () => "/settings/identity-providers?Name=nothing" },
  { name: "provider", path: ({ provider: id }) => `/settings/identity-providers/${id}` },
  { name: "provider-oauth2", path: ({ plain }) => `/settings/identity-providers/${plain}` },
  { name: "provider-change", path: ({ provider: id }) => `/settings/identity-providers/${id}/change` },
  { name: "provider-delete", path: ({ provider: id }) => `/settings/identity-providers/${id}/delete` },
  {
    name: "provider-refused",
    path: () => "/settings/identity-providers/add/OAuth2",
    act: async ({ page }) => {
      await page.locator("main form.fields").evaluate((form) => form.setAttribute("novalidate", ""));
      await page.getByLabel("Name", { exact: true }).fill(HOSTILE);
      await page.getByLabel("Token endpoint").fill("http://example.com/token");
      await page.getByRole("button", { name: "Add provider" }).click();
      await page.getByRole("alert").waitFor();
    },
  },
  {
    name: "provider-test",
    path: ({ provider: id }) => `/settings/identity-providers/${id}`,
    act: async ({ page }) => {
      await page.getByRole("button", { name: "Test this connection" }).click();
      await page.getByRole("heading", { name: "Test of the connection" }).waitFor();
    },
  },
];

test(
  "every page of applications and identity providers is accessible and fits, on a desktop and on a phone",
  async () => {
    const api = await newTenant();
    // biome-ignore lint/suspicious/noExplicitAny: JSON of any shape
    const made = async (path: string, body: unknown): Promise<any> => {
      const answer = await api.call("PATCH", path, body);
      expect(answer).toMatchObject({ status: 200 });
      return answer.body;
    };
    const shared = { ClientId: "gatehouse", Is_Active: true };
    const { Id: provider_ } = await made("/IdentityProvider", {
      ...shared,
      Name: "Staff directory",
      Type: "OpenIDConnect",
      Issuer: provider.issuer,
    });
    const { Id: plain } = await made("/IdentityProvider", {
      ...shared,
      Name: HOSTILE,
      Type: "OAuth2",
      AuthorizationEndpoint: `${provider.issuer}/auth`,
      TokenEndpoint: `${provider.issuer}/token`,
      UserinfoEndpoint: `${provider.issuer}/me`,
      Mapping: { Subject: "id", Name: "login" },
    });
    await made("/Application", { Name: HOSTILE, Description: "Pays people.\nOn time." });
    const { Id: application } = await made("/Application", {
      Name: "Payroll",
      ApplicationKey: "payroll",
      WebSiteURL: "https://payroll.example.com",
      Description: "Pays people on time",
      AuthenticationId: { Id: provider_ },
      Is_Active: true,
    });
    await made(`/Application/${application}/Credentials`, {
      GrantTypes: ["authorization_code", "client_credentials"],
      Scopes: ["openid", "profile", "AccessManager:Read"],
      RedirectUris: ["https://payroll.example.com/back", `https://payroll.example.com/${"long/".repeat(40)}`],
    });
    const { body } = await api.call<{ Id: string }>("POST", `/Application/${application}/Secrets`);
    const ids = { application, secret: body.Id, provider: provider_, plain };
    await inspectAll(await enterSettings(browser, api.tenant), PAGES, ids);
  },
  PATIENCE_MS,
);
