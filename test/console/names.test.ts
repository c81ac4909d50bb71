// Records and connections are shown by name to permitted readers.

import { expect, test } from "bun:test";
import { openWindows } from "../support/browser.ts";
import { inspect } from "../support/inspect.ts";
import { enterSettings, moreFilters, newColleague, submitFilters } from "../world/console.ts";
import { newTenant } from "../world/tenant.ts";

const browser = openWindows();
const NOWHERE = "https://localhost:9443/";

test("ops reads names beside Ids, in the log and on the pages of events and connections", async () => {
  const api = await newTenant();
  const { Id } = await api.connect(NOWHERE, { Name: "Directory", State: "Paused" });
  const former = await api.connect(NOWHERE, { Name: "Former", State: "Paused" });
  const front = await api.change({ Name: "Front door" });
  await api.disconnect(former.Id);
  const { EventId } = await api.newestEvent();
  const gone = await api.change({ Name: "Gone" });
  await api.call("DELETE", `/Application/${gone.Id}`);
  await api.call("PATCH", "/Application", [{ Name: "North" }, { Name: "South" }]);
  const several = await api.newestEvent();

  await using visitor = await enterSettings(browser, api.tenant);
  const { page, open, complaints } = visitor;
  const row = (text: string) => page.getByRole("row").filter({ hasText: text });
  await open("/settings/activity");
  await row(`Application ${front.Id} Created`).getByRole("link", { name: "Front door", exact: true }).waitFor();
  await row(`Application ${gone.Id} Deleted`).getByText("not known").first().waitFor();
  await row("2 Application records Created").getByRole("cell", { name: "2 records", exact: true }).waitFor();
  await moreFilters(page);
  await page.getByLabel("Record's Id").fill(String(front.Id));
  await submitFilters(page);
  await page.waitForURL(/RecordId=/);
  expect(await page.getByRole("rowheader").allTextContents()).toEqual([`Application ${front.Id} Created`]);

  await open(`/settings/activity?ConnectionId=${former.Id}`);
  expect(await page.getByLabel("Connection").locator("option:checked").textContent()).toContain("Former");

  await open(`/settings/activity/${EventId}`);
  await page.getByRole("definition").getByRole("link", { name: "Front door" }).click();
  await page.getByRole("heading", { name: "Front door", level: 1 }).waitFor();
  await open(`/settings/activity/${several.EventId}`);
  for (const name of ["North", "South"]) await page.getByRole("definition").getByRole("link", { name }).waitFor();
  await inspect(page, "event-of-several");

  await open(`/settings/webhooks/${Id}`);
  await row(`Application ${front.Id} Created`).getByRole("link", { name: "Front door" }).waitFor();
  expect(complaints).toEqual([]);
});

test("a reader without access to a record sees its Id only", async () => {
  const api = await newTenant();
  const { Id } = await api.change({ Name: "Front door" });
  const { EventId } = await api.newestEvent();
  const hidden = `forbid (principal is User, action == Action::"AccessManager:Read", resource == Application::"${Id}");`;
  expect((await api.call("PATCH", "/Policy", { Name: "Hide it", Policy: hidden })).status).toBe(200);
  await using visitor = await enterSettings(browser, api.tenant, await newColleague(api, "ops", "auditor"));
  const { page, open } = visitor;
  for (const path of ["/settings/activity", `/settings/activity/${EventId}`]) {
    await open(path);
    await page.getByText(`Application ${Id} Created`).first().waitFor();
    await page.getByText("not known").first().waitFor();
    expect(await page.content()).not.toContain("Front door");
  }
});
