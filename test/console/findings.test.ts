// Settings tells what policies name that does not exist, and what policies leave out of lists.

import { expect, test } from "bun:test";
import { openWindows } from "../support/browser.ts";
import { enterSettings } from "../world/console.ts";
import { removeRows } from "../world/rows.ts";
import { newTenant, savePolicy } from "../world/tenant.ts";

const browser = openWindows();

test("a policy with a missing role has a finding when saved, on its page and in the overview", async () => {
  const api = await newTenant();
  const { body: role } = await api.call("PATCH", "/Role", { Name: "clerk" });
  const { Id } = await savePolicy(api, "Clerks", 'permit (principal in Role::"clerk", action, resource);');
  await using visitor = await enterSettings(browser, api.tenant, { javaScriptEnabled: false });
  const { page, open } = visitor;
  await open(`/settings/policies/${Id}`);
  await page.getByLabel("Policy", { exact: true }).fill('permit (principal in Role::"head", action, resource);');
  await page.getByRole("button", { name: "Save policy" }).click();
  const finding = 'There is no Role with the Name "head".';
  await page.getByRole("status").getByText(`The policy is saved and in force. ${finding}`).waitFor();
  await page.getByRole("listitem").getByText(finding).waitFor();
  await open("/settings");
  await page.getByRole("main").getByText(finding).waitFor();
  await page.getByRole("main").getByRole("link", { name: "Clerks" }).waitFor();

  await open(`/settings/roles/${role.Id}/change`);
  await page.getByLabel("Name").fill("head");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("The role is changed. A policy names it: Clerks.").waitFor();
  await open(`/settings/roles/${role.Id}/delete`);
  await page.getByText("A policy names it: Clerks.").waitFor();
  await open("/settings");
  await page.getByRole("heading", { name: "Overview" }).waitFor();
  expect(await page.getByText(finding).count()).toBe(0);
});

test("events whose payload is gone are counted below the list, and the next change is shown without what was before", async () => {
  const api = await newTenant();
  const { Id } = await api.made("Department", { Name: "Sales" });
  await api.call("PATCH", "/Department", { Id, Name: "Shop" });
  const { Items } = await api.events(`RecordId=${Id}&EventRecord=Department`);
  const [second, first] = Items;
  await removeRows("payloads", { event_id: first!.EventId });
  await using visitor = await enterSettings(browser, api.tenant, { javaScriptEnabled: false });
  const { page, open } = visitor;
  await open(`/settings/activity/${second!.EventId}`);
  await page.getByText("Unknown: the payload of the previous change is no longer kept.").waitFor();
  const condition = 'resource has Department && resource.Department.Name == "Nothing"';
  await savePolicy(api, "Look", `forbid (principal, action, resource is WebhookEvent) when { ${condition} };`);
  await open("/settings/activity");
  await page.getByText("1 record is not shown: no policy lets you see it.").waitFor();
  await open("/settings/activity?EventRecord=User");
  await page.getByText("Records that no policy lets you see are not shown.").waitFor();
  await open(`/settings/activity/${second!.EventId}`);
  await page.getByText("Unknown: the event of the previous change is no longer kept.").waitFor();
});
