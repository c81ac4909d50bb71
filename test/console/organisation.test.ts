// Settings of an organisation, and the API reference for its developers.

import { expect, test } from "bun:test";
import { openWindows } from "../support/browser.ts";
import { newApi } from "../world/apis.ts";
import { enterSettings, newColleague } from "../world/console.ts";
import { newTenant } from "../world/tenant.ts";

const browser = openWindows();

test("a second factor is required of all users on the organisation's page, and an auditor sees that", async () => {
  const api = await newTenant();
  await using visitor = await enterSettings(browser, api.tenant);
  const { page, complaints } = visitor;
  const menu = page.getByRole("navigation", { name: "Settings" });
  await menu.getByRole("list", { name: "System" }).getByRole("link", { name: "Organisation" }).click();
  await page.getByLabel("Second factor").selectOption("Required for all users");
  await page.getByRole("button", { name: "Save" }).click();
  // Including for the user who changed the setting.
  await page.getByRole("heading", { name: "Set up your authenticator" }).waitFor();
  expect((await api.call("GET", "/TenantSettings")).body).toMatchObject({ SecondFactor: "Required" });
  await api.call("PATCH", "/TenantSettings", { SecondFactor: "Optional" });

  await using auditor = await enterSettings(browser, api.tenant, await newColleague(api, "auditor"));
  await auditor.open("/settings/organisation");
  await auditor.page.getByText("Optional", { exact: true }).first().waitFor();
  expect(await auditor.page.getByRole("button", { name: "Save" }).count()).toBe(0);

  // The form offers the API's scope, and saving it again keeps the scope.
  await newApi(api, "Orders", ["orders:read"]);
  await visitor.open("/settings/organisation");
  await page.getByText("Registration", { exact: true }).click();
  await page.getByLabel("Applications register themselves").selectOption("With an initial access token");
  await page.getByLabel("orders:read").check();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved. Takes effect with each user's next request.").waitFor();
  // A section with a value is open.
  expect(await page.getByLabel("orders:read").isVisible()).toBe(true);
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved. Takes effect with each user's next request.").waitFor();
  expect((await api.call("GET", "/TenantSettings")).body).toMatchObject({
    ClientRegistration: "InitialAccessToken",
    RegistrationScopes: ["openid", "profile", "name", "email", "address", "phone", "orders:read"],
  });
  await visitor.open("/settings/organisation");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved. Takes effect with each user's next request.").waitFor();
  await menu.getByRole("link", { name: "API reference" }).click();
  await page.getByRole("link", { name: "OpenAPI viewer" }).click();
  // It is slow to draw on a busy machine.
  await page.getByRole("heading", { name: "Gatehouse" }).first().waitFor({ timeout: 90_000 });
  await visitor.open("/settings/organisation");
  expect(complaints).toEqual([]);
});
