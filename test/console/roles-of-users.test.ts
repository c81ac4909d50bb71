// A role of all users, or of an identity provider's: its form, its page, and the pages of its users.

import { expect, test } from "bun:test";
import { openWindows } from "../support/browser.ts";
import { inspect } from "../support/inspect.ts";
import { enterSettings } from "../world/console.ts";
import { plantIdentity } from "../world/planted.ts";
import { addProvider } from "../world/provider.ts";
import { newTenant } from "../world/tenant.ts";

const browser = openWindows();

test("the form gives a role to every user or to a provider's, and pages say where a user has it from", async () => {
  const api = await newTenant();
  const Scopes = [{ Name: "tools:call", Description: "Use the tools of the company" }];
  await api.made("Api", { Name: "Company tools", Audience: `https://${Bun.randomUUIDv7()}.example.com`, Scopes });
  const provider = await addProvider(api, { Name: "Company ID", Issuer: "https://id.example.com" });
  const [linked, other] = [await api.made("User", { Username: "ana" }), await api.made("User", { Username: "bob" })];
  await plantIdentity(api, { identity_provider_id: provider.Id, subject: "ana", user_id: linked.Id });
  await using visitor = await enterSettings(browser, api.tenant);
  const { page, open } = visitor;

  await open("/settings/roles/add");
  await page.getByLabel("Name").fill("Users of tools");
  await page.getByLabel("tools:call").check();
  await page.getByLabel("Every user has it", { exact: true }).check();
  await page.getByLabel("Settings:Read").check();
  await inspect(page, "role-of-users-form");
  await page.getByRole("button", { name: "Add" }).click();
  await page
    .getByText(/can have only scopes of APIs, not Settings:Read/)
    .first()
    .waitFor();
  await page.getByLabel("Settings:Read").uncheck();
  await page.getByRole("button", { name: "Add" }).click();
  await page.getByText("Every user, and the listed members").waitFor();
  await page.getByText("None. Users have the role without being listed.").waitFor();
  await inspect(page, "role-of-users");

  await open("/settings/roles");
  await page.getByRole("row", { name: "Users of tools" }).getByText("every user").waitFor();
  await open(`/settings/users/${other.Id}`);
  const roles = page.locator("#roles");
  await roles.getByRole("row", { name: "Users of tools" }).getByText("like every user").waitFor();
  expect(await roles.getByRole("button").count()).toBe(0);
  await inspect(page, "user-with-role");

  await roles.getByRole("link", { name: "Users of tools" }).click();
  await page.getByRole("link", { name: "Change" }).first().click();
  await page.getByLabel("Every user has it", { exact: true }).uncheck();
  await page.getByLabel("Every user of an identity provider has it").selectOption({ label: "Company ID" });
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("link", { name: "Company ID" }).waitFor();
  await inspect(page, "role-of-provider");
  await open(`/settings/users/${linked.Id}/roles`);
  await page.getByRole("row", { name: "Users of tools" }).getByText("by its identity provider").waitFor();
  await open(`/settings/users/${other.Id}`);
  await roles.getByText("None.").waitFor();
  // Chromium reports the refused form.
  expect(visitor.complaints.filter((one) => !one.includes("422"))).toEqual([]);
});
