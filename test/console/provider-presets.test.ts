// The form of a new identity provider, filled in with known values.

import { expect, test } from "bun:test";
import { openWindows } from "../support/browser.ts";
import { inspect } from "../support/inspect.ts";
import { enterSettings } from "../world/console.ts";
import { newTenant } from "../world/tenant.ts";

const browser = openWindows();

test("without script, Google and GitHub need only a client, and are saved inactive with their Redirect URI shown", async () => {
  const api = await newTenant();
  await using visitor = await enterSettings(browser, api.tenant, { javaScriptEnabled: false });
  const { page, open } = visitor;
  for (const [protocol, name] of [
    ["OpenID Connect", "Google"],
    ["OAuth 2.0", "GitHub"],
  ] as const) {
    await open("/settings/identity-providers");
    await page.getByRole("link", { name: `Add ${protocol}` }).click();
    await page.getByRole("navigation", { name: "Presets for" }).getByRole("link", { name }).click();
    const redirectUri = page.locator("form .secret code");
    const told = await redirectUri.textContent();
    expect(told).toMatch(/\/signin\/upstream\/\d+\/callback$/);
    // A rejected form, and a second choice of provider, keep it.
    await page.getByLabel("Name", { exact: true }).fill("");
    await page
      .locator("main form.fields")
      .first()
      .evaluate((form) => form.setAttribute("novalidate", ""));
    await page.getByRole("button", { name: "Add provider" }).click();
    await page.getByRole("alert").waitFor();
    expect(await redirectUri.textContent()).toBe(told);
    await page.getByLabel("Name", { exact: true }).fill(name);
    await page.getByLabel("ClientId").fill("us");
    await page.getByLabel("ClientSecret").fill("a secret of theirs");
    await page.getByRole("button", { name: "Add provider" }).click();
    await page.getByRole("status").getByText("The provider is added. Test the connection").waitFor();
    await page.getByRole("heading", { name, level: 1 }).waitFor();
    await page.getByText(told!, { exact: true }).waitFor();
    await page.getByRole("button", { name: "Test this connection" }).waitFor();
  }
  const { body } = await api.call<{ Items: Record<string, unknown>[] }>("GET", "/IdentityProvider");
  const saved = Object.fromEntries(body.Items.map((provider) => [provider.Name, provider]));
  expect(saved.Google).toMatchObject({ Issuer: "https://accounts.google.com", Is_Active: false });
  expect(saved.GitHub).toMatchObject({
    Type: "OAuth2",
    TokenEndpoint: "https://github.com/login/oauth/access_token",
    TokenEndpointAuthMethod: "client_secret_post",
    EmailsEndpoint: "https://api.github.com/user/emails",
    Scopes: ["read:user", "user:email"],
    Mapping: { Subject: "id", Name: "name", Username: "login", Email: "email", Picture: "avatar_url" },
    Provisioning: "LinkOnly",
    Is_Active: false,
  });
});

test("each other preset explains its fields, fits and is accessible; OAuth 2.0 ones link to their form", async () => {
  const api = await newTenant();
  await using visitor = await enterSettings(browser, api.tenant);
  const { page, open, complaints } = visitor;
  await open("/settings/identity-providers/add/OAuth2");
  for (const [name, issuer] of [
    ["Microsoft Entra ID", "https://login.microsoftonline.com/TENANT/v2.0"],
    ["Keycloak", "https://HOST/realms/REALM"],
    ["Okta", "https://ORGANISATION.okta.com"],
  ] as const) {
    await page.getByRole("link", { name, exact: true }).click();
    await page.locator(`nav a[aria-current]`, { hasText: name }).waitFor();
    expect(await page.getByLabel("Issuer").inputValue()).toBe(issuer);
    expect(await page.getByText("replace ").count()).toBe(1);
  }
  await inspect(page, "provider-preset");
  await open("/settings/identity-providers/add/OAuth2?Preset=nothing%22%3E");
  expect(await page.getByLabel("Token endpoint", { exact: true }).inputValue()).toBe("");
  expect(complaints).toEqual([]);
});
