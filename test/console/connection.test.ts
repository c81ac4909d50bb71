// The page of a connection: history, state, and resending.

import { describe, expect, test } from "bun:test";
import { openWindows } from "../support/browser.ts";
import { inspect } from "../support/inspect.ts";
import { temporal } from "../support/temporal.ts";
import { until } from "../world/api.ts";
import { enterSettings } from "../world/console.ts";
import { startReceiver } from "../world/receiver.ts";
import { newTenant } from "../world/tenant.ts";

const browser = openWindows();
const client = await temporal();

test("charts and their tables link to the log of the same time and state", async () => {
  const api = await newTenant();
  await using receiver = startReceiver(({ payload }) => (payload.EventType === "Deleted" ? 500 : 200));
  const { Id } = await api.connect(receiver.url, { Name: "Directory", RatePerSecond: 50, Order: "Record" });
  const { Id: gate } = await api.change({ Name: "Gate" });
  await api.settledEvent();
  await api.remove(`/Application/${gate}`);
  await api.settledEvent();
  await using visitor = await enterSettings(browser, api.tenant);
  const { page, open, complaints } = visitor;
  await open(`/settings/webhooks/${Id}`);
  await page.getByText("In the order of each record; at most 50 calls a second").waitFor();
  const statistics = page.locator("#statistics");
  await page.getByText("webhooks are found by their webhook-id").waitFor();
  expect(await page.getByRole("link", { name: "500", exact: true }).getAttribute("href")).toMatch(
    /^\/settings\/activity\/[\da-f-]{36}$/,
  );
  await statistics.getByRole("link", { name: "Exhausted" }).click();
  await page
    .getByRole("row")
    .filter({ hasText: `Application ${gate} Deleted` })
    .waitFor();
  expect(await page.getByRole("rowheader").count()).toBe(1);

  await open(`/settings/webhooks/${Id}`);
  await statistics.getByRole("link", { name: "7 days" }).click();
  await statistics.getByText("The same as a table").click();
  await statistics.getByRole("row").nth(1).getByRole("link").click();
  await page.getByRole("heading", { name: "Activity", level: 1 }).waitFor();
  const asked = new URL(page.url()).searchParams;
  expect(asked.get("ConnectionId")).toBe(Id);
  expect(Date.parse(asked.get("OutcomeTo")!) - Date.parse(asked.get("OutcomeFrom")!)).toBe(6 * 3_600_000);

  // The destinations of links into the Temporal UI exist.
  await open(`/settings/webhooks/${Id}`);
  for (const label of ["failed in the last hour", "all of this connection"]) {
    const address = await page.getByRole("link", { name: label }).getAttribute("href");
    const query = new URL(address!).searchParams.get("query")!;
    await until(label, async () => (await client.workflow.count(query)).count === (label.startsWith("all") ? 2 : 1));
  }

  // Refreshing a part loads only that part, not the expensive rest.
  await open(`/settings/webhooks/${Id}`);
  const part = await page.evaluate(async (address) => {
    const answer = await fetch(address, { headers: { "hx-request": "true", "hx-target": "div#deliveries" } });
    return answer.text();
  }, `/settings/webhooks/${Id}`);
  expect([
    part.includes('id="deliveries"'),
    part.includes('id="statistics"'),
    part.includes('id="connection"'),
  ]).toEqual([true, false, false]);
  expect(complaints).toEqual([]);
});

describe.each([true, false])("with script: %p", (javaScriptEnabled) => {
  test("a running redelivery is paused, resumed and cancelled on its connection's page", async () => {
    const api = await newTenant();
    await using receiver = startReceiver(500);
    const { Id } = await api.connect(receiver.url, { Name: "Directory" });
    await api.settledChange({ Name: "Gate" });
    // It is Running, and waits because the connection is Paused.
    await api.setState(Id, "Paused");
    await api.replay({ ConnectionId: Id });
    await using visitor = await enterSettings(browser, api.tenant, { javaScriptEnabled });
    const { page, open } = visitor;
    const path = `/settings/webhooks/${Id}`;
    const told = (text: string) => page.getByRole("status").getByText(text).waitFor();
    await open(path);
    await page.getByRole("heading", { name: "Redelivery: 0 of 1" }).waitFor();
    if (javaScriptEnabled) await inspect(page, "webhook-running");
    await page.getByText("It waits for its connection, which is Paused.").waitFor();
    await page.getByRole("button", { name: "Pause redelivery" }).click();
    await told("The redelivery is paused.");
    expect(new URL(page.url()).pathname).toBe(path);
    await page.getByRole("button", { name: "Resume redelivery" }).click();
    await told("The redelivery continues.");
    await page.getByRole("button", { name: "Cancel the rest" }).click();
    await page.getByRole("button", { name: "Cancel it" }).click();
    await told("The redelivery is cancelled.");
    await until("it to stand among those that are over", async () => {
      await page.reload();
      return (await page.getByRole("row").filter({ hasText: "Redelivery" }).getByText("Cancelled").count()) === 1;
    });
    await page.getByRole("link", { name: "All of its redeliveries" }).click();
    await page.getByRole("heading", { name: "Redeliveries", level: 1 }).waitFor();
    await page.getByRole("row").filter({ hasText: "Redelivery" }).getByRole("link", { name: "Directory" }).click();
    await page.getByRole("heading", { name: "Directory", level: 1 }).waitFor();
  });
});
