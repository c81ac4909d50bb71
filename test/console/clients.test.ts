// Applications, their credentials and secrets, and identity providers in Settings, as administrators use them.

import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { openWindows } from "../support/browser.ts";
import { closedAfterAll } from "../support/closed-after-all.ts";
import { enterSettings, newColleague } from "../world/console.ts";
import { askToken, formOf } from "../world/grants.ts";
import { startRealProvider } from "../world/provider.ts";
import { newTenant } from "../world/tenant.ts";

const browser = openWindows();
const provider = closedAfterAll(await startRealProvider());

/** Hostile input. */
const HOSTILE = `<img src=x onerror=alert(1)> "&amp;" mirror ${"unbroken".repeat(15)}`;
const told = (page: Page, text: string | RegExp) => page.getByRole("status").getByText(text).waitFor();
const isRefused = (line: string) => line.includes("status of 422");

/** The secret that a page shows once. */
async function makeSecret(page: Page, name: string): Promise<string> {
  await page.getByRole("link", { name: "Create a secret" }).click();
  await page.getByLabel("Name (optional)").fill(name);
  await page.getByRole("button", { name: "Create the secret" }).click();
  await page.getByRole("heading", { name: "Secret", level: 1 }).waitFor();
  const secret = (await page.locator(".secret code").textContent())!;
  await page.getByRole("link", { name: "Done" }).click();
  expect(await page.content()).not.toContain(secret);
  return secret;
}

describe.each([true, false])("with script: %p", (javaScriptEnabled) => {
  test("an admin makes an application a client and replaces its secret while both are valid", async () => {
    const { tenant } = await newTenant();
    const { page, open, complaints } = await enterSettings(browser, tenant, { javaScriptEnabled });
    await open("/settings/applications");
    await page.getByRole("link", { name: "Add application" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Payroll");
    await page.getByRole("button", { name: "Add application" }).click();
    await told(page, /The application is added/);
    const clientId = new URL(page.url()).pathname.split("/").at(-1)!;

    await page.getByRole("link", { name: "Credentials", exact: true }).click();
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
    expect(await page.getByRole("link", { name: "Create a secret" }).count()).toBe(0);
    const row = (name: string) => page.locator("#secrets tbody tr").filter({ hasText: name });
    await row("until spring").getByText("in use").waitFor();
    await row("unbroken").getByText("never").waitFor();
    expect(await tokenBy(second)).toBe(200);

    await row("until spring").getByRole("link", { name: "Delete" }).click();
    await page.getByText("It is in use").waitFor();
    await page.getByRole("button", { name: "Delete secret" }).click();
    await told(page, "The secret is deleted.");
    expect([await tokenBy(first), await tokenBy(second)]).toEqual([400, 200]);

    await page.getByRole("link", { name: "Record", exact: true }).click();
    await page.getByRole("button", { name: "Deactivate" }).click();
    await page.getByRole("button", { name: "Deactivate application" }).click();
    await told(page, /is inactive/);
    expect(await tokenBy(second)).toBe(400);
    await page.getByRole("link", { name: "Delete", exact: true }).first().click();
    await page.getByRole("button", { name: "Delete application" }).click();
    await told(page, "Payroll is deleted.");
    expect(complaints.filter((line) => !isRefused(line))).toEqual([]);
  });

  test("an admin adds an identity provider, tests it, and makes it an application's only sign-in", async () => {
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
    await page.getByText("Sign-in would fail").waitFor();
    await page.getByText("The ClientId or its secret is wrong").waitFor();

    const { ClientId, ClientSecret } = await provider.register(redirectUri!);
    await page.getByRole("link", { name: "Back to the provider" }).click();
    await page.getByRole("link", { name: "Change", exact: true }).click();
    await page.getByLabel("ClientId").fill(ClientId);
    await page.getByLabel("ClientSecret").fill(ClientSecret);
    await page.getByRole("button", { name: "Save" }).click();
    await told(page, "The provider is changed.");
    await page.getByRole("button", { name: "Test this connection" }).click();
    await page.getByText("All checks passed").waitFor();

    await open(`/settings/applications/${tenant.client.clientId}/change`);
    await page.getByLabel("Users sign in with").selectOption("Staff directory");
    await page.getByRole("button", { name: "Save" }).click();
    await told(page, "The application is changed.");
    await page.getByRole("link", { name: "Staff directory" }).click();
    await page.getByRole("link", { name: /Applications that require it/ }).click();
    await page.waitForURL(/\/settings\/applications\?/);
    expect(await page.locator("tbody tr").count()).toBe(1);
    await open("/settings/identity-providers");
    await page.getByRole("link", { name: "Staff directory" }).click();
    await page.getByRole("link", { name: "Delete" }).click();
    await page.getByRole("button", { name: "Delete provider" }).click();
    await page.getByText("still referenced by Application").waitFor();
    expect(complaints.filter((line) => !line.includes("status of 409"))).toEqual([]);
  });
});

test("an auditor sees them and cannot change them", async () => {
  const api = await newTenant();
  const colleague = await newColleague(api, "auditor");
  const { page, open } = await enterSettings(browser, api.tenant, { ...colleague, javaScriptEnabled: false });
  await open(`/settings/applications/${api.tenant.client.clientId}`);
  await page.getByRole("link", { name: "Credentials", exact: true }).click();
  await page.getByRole("heading", { name: "Credentials" }).waitFor();
  for (const name of ["Change", "Delete", "Change credentials"]) {
    expect(await page.getByRole("link", { name, exact: true }).count()).toBe(0);
  }
  expect(await page.locator("main button").filter({ hasNotText: "Copy" }).count()).toBe(0);
  await open(`/settings/applications/${api.tenant.client.clientId}/credentials/change`);
  await page.getByText("This requires Settings:Update").waitFor();
});
