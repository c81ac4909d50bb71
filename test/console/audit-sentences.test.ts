// Sentences of the audit log: actor, action, subject by name, and former values.

import { expect, test } from "bun:test";
import { openWindows } from "../support/browser.ts";
import { inspect } from "../support/inspect.ts";
import { enterSettings, newColleague } from "../world/console.ts";
import { newTenant } from "../world/tenant.ts";

const browser = openWindows();
const NOWHERE = "https://localhost:9443/";

test("the audit log describes each action in a sentence with links, and rows show former values", async () => {
  const api = await newTenant();
  const { Id } = await api.connect(NOWHERE, { Name: "billing", State: "Paused", Events: ["Created"] });
  await using visitor = await enterSettings(browser, api.tenant);
  const { page, open, complaints } = visitor;
  await open(`/settings/webhooks/${Id}/change`);
  await page.getByLabel("URL Endpoint").fill(`${NOWHERE}new`);
  await page.getByRole("button", { name: "Save" }).click();
  await page.waitForURL(new RegExp(`/settings/webhooks/${Id}$`));

  const { username } = api.tenant.admin;
  const sentence = (text: string) => page.getByRole("rowheader").filter({ hasText: text });
  await open("/settings/audit-log");
  await sentence("Administrator signed in").first().waitFor();
  await sentence("Administrator changed URL of connection billing").waitFor();
  await sentence("added connection billing").waitFor();
  await inspect(page, "audit-sentences");

  const row = page.getByRole("row").filter({ hasText: "changed URL" });
  await row.getByRole("link", { name: "WebhookConnection.Changed" }).click();
  await page.getByRole("heading", { name: "WebhookConnection.Changed", level: 1 }).waitFor();
  await page.getByText("Administrator changed URL of connection billing").waitFor();
  const before = page.getByRole("table", { name: "Before and after" });
  await before.getByRole("rowheader", { name: "URL" }).waitFor();
  await inspect(page, "audit-before-and-after");
  await page.getByRole("main").getByRole("link", { name: "billing" }).first().click();
  await page.getByRole("heading", { name: "billing", level: 1 }).waitFor();

  await open("/settings/audit-log");
  await page.getByLabel("Actor: user name").fill(username);
  await page.getByLabel("Outcome").selectOption("Success");
  await page.waitForURL(/User=.*Outcome=/);
  await page.reload();
  await sentence("changed URL").waitFor();
  expect(await sentence("added connection").count()).toBe(0);
  const file = await page.getByRole("link", { name: "Export CSV" }).getAttribute("href");
  expect(file).toMatch(/ActorType=User&ActorId=\d+/);
  expect(complaints).toEqual([]);

  await open("/settings/audit-log?User=nobody-of-ours");
  await page.getByRole("alert").getByText("no user has this user name").waitFor();
  expect(await page.getByLabel("Actor: user name").inputValue()).toBe("nobody-of-ours");
  await inspect(page, "audit-no-such-user");
  await open(`/settings/audit-log?User=${username}&ActorType=User`);
  await page.getByRole("alert").getByText("not both").waitFor();
});

test("a sentence shows Ids of unreadable records only, and isolates names from its text direction", async () => {
  const api = await newTenant();
  const hostile = "<b>gnillib</b>";
  const { Id } = await api.connect(NOWHERE, { Name: hostile, State: "Paused" });
  await using admin = await enterSettings(browser, api.tenant);
  await admin.open("/settings/audit-log");
  const row = admin.page.getByRole("rowheader").filter({ hasText: "added connection" });
  expect(await row.getByRole("link", { name: "gnillib" }).textContent()).toBe(hostile);
  expect(await row.locator("bdi").filter({ hasText: "gnillib" }).count()).toBe(1);
  await inspect(admin.page, "audit-hostile");

  const hide = `forbid (principal is User, action == Action::"Webhooks:Read", resource == WebhookConnection::"${Id}");`;
  expect((await api.call("PATCH", "/Policy", { Name: "Hide it", Policy: hide })).status).toBe(200);
  await using auditor = await enterSettings(browser, api.tenant, await newColleague(api, "auditor"));
  await auditor.open("/settings/audit-log");
  await auditor.page
    .getByRole("rowheader")
    .filter({ hasText: `added WebhookConnection ${Id}` })
    .waitFor();
  expect(await auditor.page.content()).not.toContain("gnillib");
});
