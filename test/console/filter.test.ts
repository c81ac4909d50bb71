// The tab Filter of a connection: a filter is tried, then saved.

import { expect, test } from "bun:test";
import { openWindows } from "../support/browser.ts";
import { inspect } from "../support/inspect.ts";
import { enterSettings, newColleague } from "../world/console.ts";
import { newTenant } from "../world/tenant.ts";

const browser = openWindows();

test.each([true, false])(
  "an admin tries a filter, corrects it and saves it; with script: %p",
  async (javaScriptEnabled) => {
    const api = await newTenant();
    const { Id } = await api.connect("https://localhost:9443/", { Name: "Directory", State: "Paused" });
    for (const Name of ["keep 1", "drop 1", "keep 2"]) await api.change({ Name });
    await using visitor = await enterSettings(browser, api.tenant, { javaScriptEnabled });
    const { page, open, complaints } = visitor;
    await open(`/settings/webhooks/${Id}`);
    await page.getByRole("navigation", { name: "This record" }).getByRole("link", { name: "Filter" }).click();
    await page.getByRole("button", { name: "Try it on stored events" }).waitFor();
    expect(await page.getByRole("button", { name: "Save filter" }).count()).toBe(0);
    await page.getByLabel("Filter").fill('resource.Nam like "keep*"');
    await page.getByRole("button", { name: "Try it on stored events" }).click();
    await page.getByRole("alert").getByText("attribute `Nam` on entity type `Application` not found").waitFor();
    if (javaScriptEnabled) await inspect(page, "webhook-filter-refused");
    expect(await page.getByLabel("Filter").inputValue()).toBe('resource.Nam like "keep*"');
    await page.getByLabel("Filter").fill('resource.Name like "keep*"');
    await page.getByRole("button", { name: "Try it on stored events" }).click();
    await page.getByRole("status").getByText("2 of the last 3 events").waitFor();
    expect(await page.getByRole("row").count()).toBe(3);
    if (javaScriptEnabled) await inspect(page, "webhook-filter-tried");
    await page.getByRole("button", { name: "Save filter" }).click();
    await page.getByRole("status").getByText("The filter is saved.").waitFor();
    expect(await api.connection(Id)).toMatchObject({ Filter: 'resource.Name like "keep*"' } as object);
    await page.getByText('resource.Name like "keep*"').waitFor();
    expect(complaints.filter((complaint) => !complaint.includes("422"))).toEqual([]);
  },
);

test("an auditor sees the filter, and may not try or change it", async () => {
  const api = await newTenant();
  const { Id } = await api.connect("https://localhost:9443/", { Filter: "resource.Is_Active" });
  await using visitor = await enterSettings(browser, api.tenant, await newColleague(api, "auditor"));
  const { page, open } = visitor;
  await open(`/settings/webhooks/${Id}/filter`);
  expect(await page.getByLabel("Filter").inputValue()).toBe("resource.Is_Active");
  expect(await page.getByRole("button", { name: /Try|Save/ }).count()).toBe(0);
});
