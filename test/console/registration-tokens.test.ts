// Initial access tokens in Settings: made, shown once, used by an application that registers itself, and deleted. Also
// the registration access tokens of such applications.

import { expect, test } from "bun:test";
import { openWindows } from "../support/browser.ts";
import { inspect, inspectAsItIs } from "../support/inspect.ts";
import { ok, requestAt } from "../world/api.ts";
import { enterSettings, newColleague } from "../world/console.ts";
import { newTenant, shared } from "../world/tenant.ts";

const browser = openWindows();

const register = (token: string) =>
  requestAt(shared().url, "POST", "/oauth2/register", {
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ redirect_uris: ["https://app.example/callback"], client_name: "Wiki" }),
  });

test("an administrator enables registration, creates a token that is shown once, and deletes it", async () => {
  const api = await newTenant();
  const { page, open, complaints } = await enterSettings(browser, api.tenant);
  await open("/settings/organisation");
  await page.locator("summary", { hasText: "Registration" }).click();
  await page.getByLabel("Applications register themselves").selectOption("With an initial access token");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("link", { name: "Initial access tokens" }).click();
  await page.getByText("No tokens", { exact: true }).waitFor();
  await page.getByLabel("Name").fill("CI");
  await page.getByLabel("Applications", { exact: true }).fill("0");
  await page.getByRole("button", { name: "Create the token" }).click();
  await page
    .getByText(/Applications must be a whole number/)
    .first()
    .waitFor();
  expect(await page.getByLabel("Name").inputValue()).toBe("CI");
  await page.getByLabel("Applications", { exact: true }).fill("2");
  await page.getByLabel("Days").fill("1");
  await page.getByRole("button", { name: "Create the token" }).click();
  await page.getByText("Store it now: it is not shown again.").waitFor();
  const token = (await page.locator(".secret code").textContent())!;
  await inspect(page, "registration-token");
  await page.reload();
  expect(await page.content()).not.toContain(token);
  expect((await register(token)).status).toBe(201);
  await page.reload();
  const row = page.getByRole("row").filter({ hasText: "CI" });
  expect(await row.textContent()).toContain("1");

  await using auditor = await enterSettings(browser, api.tenant, await newColleague(api, "auditor"));
  await auditor.open("/settings/registration-tokens");
  await auditor.page.getByRole("row").filter({ hasText: "CI" }).waitFor();
  for (const name of ["Create the token", "Delete"]) {
    expect(await auditor.page.getByRole("button", { name }).count()).toBe(0);
  }

  await row.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("button", { name: "Delete token" }).click();
  await page.getByText("The token is deleted.").waitFor();
  expect((await register(token)).status).toBe(401);
  await inspect(page, "registration-tokens-none");
  expect(complaints.filter((line) => !line.includes("status of 422"))).toEqual([]);
});

test("an administrator sees how an application was registered, replaces its token and revokes it", async () => {
  const api = await newTenant();
  await ok(api.patch("/TenantSettings", { ClientRegistration: "InitialAccessToken" }));
  const { Token } = await ok(api.call("POST", "/RegistrationToken", { Name: "CI" }));
  const { client_id, registration_access_token: first } = (await register(Token)).body;
  const read = async (token: string) =>
    (
      await requestAt(shared().url, "GET", `/oauth2/clients/${client_id}`, {
        headers: { authorization: `Bearer ${token}` },
      })
    ).status;
  expect(await read(first)).toBe(200);
  const shown = { LogoUri: "https://app.example/logo.png", PolicyUri: "https://app.example/policy" };
  await ok(api.patch(`/Application/${client_id}/Credentials`, { ...shown, ResponseTypes: ["code"] }));

  const { page, open, complaints } = await enterSettings(browser, api.tenant);
  await open(`/settings/applications/${client_id}/credentials`);
  const credentials = page.locator("#credentials");
  for (const text of [...Object.values(shown), "Response types"]) {
    await credentials.getByText(text).waitFor();
  }
  const section = page.locator("#registration");
  await section.getByText("an initial access token").waitFor();
  await section.getByText("LogoUri, PolicyUri").waitFor();
  await inspect(page, "registered-application");
  await section.getByRole("button", { name: "Replace the token" }).click();
  await inspectAsItIs(page, "registration-token-replace");
  await page.getByRole("button", { name: "Replace token", exact: true }).click();
  await page.getByText("It is not shown again.").waitFor();
  const second = (await page.locator(".secret code").textContent())!;
  await inspect(page, "registration-access-token");
  expect([await read(first), await read(second)]).toEqual([401, 200]);
  await page.reload();
  expect(await page.content()).not.toContain(second);
  await page.getByRole("link", { name: "Done" }).click();
  await section.getByRole("button", { name: "Revoke the token" }).click();
  await page.getByRole("button", { name: "Revoke token", exact: true }).click();
  await page.getByText("The registration access token is revoked.").waitFor();
  expect(await read(second)).toBe(401);
  await section.getByRole("button", { name: "Create a token" }).waitFor();
  expect(await section.getByRole("button", { name: "Revoke the token" }).count()).toBe(0);
  await inspect(page, "registered-application-without-token");

  await using auditor = await enterSettings(browser, api.tenant, await newColleague(api, "auditor"));
  await auditor.open(`/settings/applications/${client_id}/credentials`);
  await auditor.page.locator("#registration").getByText("an initial access token").waitFor();
  expect(await auditor.page.locator("#registration").getByRole("button").count()).toBe(0);
  expect(complaints).toEqual([]);
});
