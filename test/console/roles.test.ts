// Pages and actions by roles and policies.

import { describe, expect, test } from "bun:test";
import { openWindows } from "../support/browser.ts";
import { issuer } from "../world/client.ts";
import { enterSettings, newColleague } from "../world/console.ts";
import { newTenant } from "../world/tenant.ts";
import { Visitor as PlainBrowser } from "../world/visitor.ts";

const browser = openWindows();

describe("permissions in Settings equal those of the REST API", () => {
  test("ops see connections and their deliveries, and change nothing", async () => {
    const api = await newTenant();
    const { Id } = await api.connect("https://localhost:9443/", { Name: "Directory" });
    await using visitor = await enterSettings(browser, api.tenant, await newColleague(api, "ops"));
    const { page, open } = visitor;
    const areas = page.getByRole("navigation", { name: "Settings" }).getByRole("link");
    // The menu is hidden until the page has its styles.
    await areas.getByText("Webhooks", { exact: true }).waitFor();
    expect(await areas.allTextContents()).not.toContain("Users");
    await open(`/settings/webhooks/${Id}`);
    await page.getByRole("heading", { name: "Directory", level: 1 }).waitFor();
    for (const name of ["Change", "Pause", "Delete", "Send a ping"]) {
      expect(await page.getByText(name, { exact: true }).count()).toBe(0);
    }
    await open("/settings/webhooks");
    await page.getByRole("link", { name: "Directory" }).waitFor();
    expect(await page.getByText("Add Webhook Connection").count()).toBe(0);
    await open(`/settings/webhooks/${Id}/delete`);
    await page.getByText("This requires Webhooks:Delete, which none of your roles has.").waitFor();
    await open(`/settings/webhooks/${Id}/change`);
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("No policy permits Webhooks:Update on this WebhookConnection.").waitFor();
  });

  test("an auditor reads", async () => {
    const api = await newTenant();
    await api.connect("https://localhost:9443/", { Name: "Directory" });
    await using visitor = await enterSettings(browser, api.tenant, await newColleague(api, "auditor"));
    const { page, open } = visitor;
    await open("/settings/webhooks");
    await page.getByRole("link", { name: "Directory" }).click();
    await page.getByRole("heading", { name: "Directory", level: 1 }).waitFor();
    expect(
      await page
        .getByRole("main")
        .getByRole("button", { name: /Pause|ping|Delete/ })
        .count(),
    ).toBe(0);
  });

  test("a user without a role lands on the account page, and other pages say what is missing", async () => {
    const api = await newTenant();
    const visitor = new PlainBrowser(issuer());
    const door = await visitor.open(`/settings?organisation=${api.tenant.tenantId}`);
    await visitor.submit(door, await newColleague(api));
    expect(new URL(visitor.trail.at(-1)!.url).pathname).toBe("/account");
    const refused = await visitor.open("/settings/webhooks");
    expect(refused.status).toBe(403);
    expect(refused.html).toContain("This requires Webhooks:Read, which none of your roles has.");
  });

  test("a policy that hides one connection hides its page", async () => {
    const api = await newTenant();
    const { Id } = await api.connect("https://localhost:9443/", { Name: "Secret plans" });
    await api.connect("https://localhost:9443/", { Name: "Directory" });
    const Policy = `forbid (principal is User, action, resource is WebhookConnection)
      when { resource.Name like "Secret*" };`;
    expect((await api.call("PATCH", "/Policy", { Name: "Plans", Policy })).status).toBe(200);
    await using visitor = await enterSettings(browser, api.tenant);
    const { page, open } = visitor;
    await open("/settings/webhooks");
    await page.getByRole("link", { name: "Directory" }).waitFor();
    expect(await page.getByText("Secret plans").count()).toBe(0);
    await open(`/settings/webhooks/${Id}`);
    await page.getByText("A policy forbids Webhooks:Read on this WebhookConnection.").waitFor();
  });
});

test("an administrator cannot remove the scopes of Settings from the last role that grants them", async () => {
  const api = await newTenant();
  await using visitor = await enterSettings(browser, api.tenant);
  const { page, open } = visitor;
  await open("/settings/roles");
  await page.getByRole("link", { name: "admin", exact: true }).click();
  await page.getByRole("link", { name: "Change" }).click();
  for (const scope of ["Settings:Update", "Settings:Read"]) {
    await page.getByRole("checkbox", { name: scope }).uncheck();
    await page.getByRole("button", { name: "Save" }).click();
    await page
      .getByText(`This change would remove your own access: none of your roles would grant ${scope}.`)
      .waitFor();
    await page.getByRole("checkbox", { name: scope }).check();
  }
  await page.getByRole("checkbox", { name: "Webhooks:Delete" }).uncheck();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("The role is changed.").waitFor();
});
