// APIs in Settings: an administrator adds one, and grants its scopes to an application and a role.

import { expect, test } from "bun:test";
import type { Locator } from "playwright-core";
import { openWindows } from "../support/browser.ts";
import { newAudience } from "../world/apis.ts";
import { enterSettings } from "../world/console.ts";
import { newTenant } from "../world/tenant.ts";

const browser = openWindows();

test("an API is added, changed and deleted; forms of applications and roles offer its scopes", async () => {
  const api = await newTenant();
  await using visitor = await enterSettings(browser, api.tenant);
  const { page, open, complaints } = visitor;
  await open("/settings/apis");
  await page.getByText("No APIs to see").waitFor();
  await page.getByRole("link", { name: "Add API" }).click();
  await page.getByLabel("Name", { exact: true }).fill("Orders");
  await page.getByLabel("Audience").fill("orders");
  await page.getByLabel("Scopes").fill("orders:read Read your orders\norders:write");
  await page.getByRole("button", { name: "Add API" }).click();
  await page.getByRole("alert").getByText("Must be an absolute URI").waitFor();
  expect(await page.getByLabel("Scopes").inputValue()).toBe("orders:read Read your orders\norders:write");
  const Audience = newAudience();
  await page.getByLabel("Audience").fill(Audience);
  await page.getByRole("button", { name: "Add API" }).click();
  await page.getByText("The API is added.").waitFor();
  await page.getByRole("cell", { name: "Read your orders" }).waitFor();
  const made = (await api.get("/Api?Name=Orders")).body.Items[0];
  expect(made).toMatchObject({
    Audience,
    AccessTokenAlg: "RS256",
    Scopes: [
      { Name: "orders:read", Description: "Read your orders" },
      { Name: "orders:write", Description: "" },
    ],
  });

  await open(`/settings/applications/${api.clientId}/credentials/change`);
  expect(await descriptionOf(page.getByLabel("orders:read (Orders)"))).toBe("Read your orders");
  expect(await descriptionOf(page.getByLabel("orders:write (Orders)"))).toBeUndefined();
  expect(await descriptionOf(page.getByLabel("AccessManager:Read", { exact: true }))).toBe("Read entity records.");
  await page.getByLabel("orders:read (Orders)").check();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("The credentials are changed.").waitFor();
  expect((await api.get(`/Application/${api.clientId}/Credentials`)).body.Scopes).toContain("orders:read");
  await open("/settings/roles/add");
  await page.getByLabel("Name", { exact: true }).fill("clerk");
  expect(await descriptionOf(page.getByLabel("Webhooks:Delete", { exact: true }))).toBe("Delete webhook connections.");
  expect(await descriptionOf(page.getByLabel("orders:read (Orders)"))).toBe("Read your orders");
  await page.getByLabel("orders:write (Orders)").check();
  await page.getByRole("button", { name: "Add role" }).click();
  await page.getByText("The role is added.").waitFor();
  expect((await api.get("/Role?Name=clerk")).body.Items[0].Scopes).toEqual(["orders:write"]);

  await open(`/settings/apis/${made.Id}/change`);
  await page.getByLabel("Lifetime of its tokens").fill("600");
  await page.getByLabel("Its client_id").fill(api.clientId);
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("600 s at most").waitFor();
  await page.getByRole("link", { name: `client_id ${api.clientId}` }).waitFor();
  expect((await api.get(`/Api/${made.Id}`)).body.Scopes).toEqual(made.Scopes);
  await page.getByRole("link", { name: "Delete" }).click();
  await page.getByText("Its scopes are removed from applications, roles and consents.").waitFor();
  await page.getByRole("button", { name: "Delete API" }).click();
  await page.getByText("The API Orders is deleted.").waitFor();
  expect(complaints.filter((line) => !line.includes("responded with a status of 4"))).toEqual([]);
});

/** The element's accessible description. */
function descriptionOf(element: Locator): Promise<string | undefined> {
  return element.evaluate((node) => {
    const id = node.getAttribute("aria-describedby");
    return id === null ? undefined : (document.getElementById(id)?.textContent ?? "");
  });
}
