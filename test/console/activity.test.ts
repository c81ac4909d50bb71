// The activity log in Settings, as used by operators on call.

import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { openWindows } from "../support/browser.ts";
import { inspect } from "../support/inspect.ts";
import { enterSettings, moreFilters, newColleague, submitFilters } from "../world/console.ts";
import { startReceiver } from "../world/receiver.ts";
import { newTenant } from "../world/tenant.ts";

const browser = openWindows();

const REFRESH_MS = 5_000;

const row = (page: Page, text: string) => page.getByRole("row").filter({ hasText: text });

describe.each([true, false])("with script: %p", (javaScriptEnabled) => {
  test("ops finds out why a receiver missed an event and redelivers it", async () => {
    const api = await newTenant();
    const away = () => new Response("Maintenance until four", { status: 503, headers: { "x-node": "b7" } });
    await using receiver = startReceiver(({ count }) => (count <= 3 ? away() : 200));
    const { ApiKey } = await api.connect(receiver.url, { Name: "Directory", Secret: "between us" });
    await api.connect("https://localhost:9443/", { Name: "Archive", Events: ["Deleted"] });
    const { Id } = await api.change({ Name: "Front door" });
    await api.settledEvent();
    await api.change({ Id, Description: "wide" });
    const { EventId } = await api.newestEvent();

    const ops = await newColleague(api, "ops");
    const { page, complaints } = await enterSettings(browser, api.tenant, { javaScriptEnabled, ...ops });
    await api.settled(EventId);
    await page.getByRole("link", { name: "Activity", exact: true }).click();
    await page.getByLabel("State").selectOption("Exhausted");
    await moreFilters(page);
    await page.getByLabel("Event", { exact: true }).selectOption("Updated");
    await submitFilters(page);
    await row(page, "Exhausted")
      .getByRole("link", { name: `Application ${Id} Updated` })
      .click();

    await page.getByRole("heading", { name: `Application ${Id} Updated`, level: 1 }).waitFor();
    await page.getByText("Exhausted: 3 attempts, last 503.").waitFor();
    expect(await page.getByRole("img", { name: /^Attempts over time: 503 at 0 ms/ }).count()).toBe(1);
    expect(await page.getByRole("table", { name: "Attempts" }).getByRole("row").count()).toBe(4);
    const answer = await page.getByRole("group", { name: "Response of attempt 3" }).textContent();
    expect(answer).toContain("x-node: b7");
    expect(answer).toContain("Maintenance until four");
    const asked = await page.getByRole("group", { name: "Request of attempt 3" }).textContent();
    expect(asked).toStartWith(
      `POST ${receiver.url}?ApiKey=•••\nContent-Type: application/json\nwebhook-sequence: 2\nX-Signature: •••\n`,
    );
    expect(asked).toContain(`webhook-id: ${EventId}`);
    const sent = receiver.callsFor(EventId)[2]!.headers.get("webhook-timestamp");
    expect(asked).toContain(`webhook-timestamp: ${sent}`);
    const html = await page.content();
    for (const secret of ["between us", ApiKey]) expect(html).not.toContain(secret);
    await row(page, "Archive").getByText("not subscribed to Updated").waitFor();
    const temporal = page.getByRole("link", { name: "Open in Temporal" });
    expect(await temporal.getAttribute("href")).toEndWith(
      `/settings/workflow?${new URLSearchParams({ Id: `Application/${Id}/Updated/${EventId}` })}`,
    );

    await page.getByRole("button", { name: "Redeliver" }).click();
    await page.getByRole("status").getByText("It is being sent again.").waitFor();
    await api.settled(EventId);
    if (!javaScriptEnabled) await page.reload();
    await page.getByText("Delivered at the 4th attempt").waitFor();
    await row(page, "4, run 2").getByText("200").waitFor();
    const bytes = receiver.callsFor(EventId).map((call) => call.bytes.toString("utf8"));
    expect(bytes).toHaveLength(4);
    expect(new Set(bytes).size).toBe(1);
    expect(complaints).toEqual([]);
  });
});

test("an event refreshes itself until it is final, and open parts stay open", async () => {
  const api = await newTenant();
  const held = Promise.withResolvers<number>();
  await using receiver = startReceiver(({ count }) => (count === 1 ? 500 : held.promise));
  await api.connect(receiver.url, { TimeoutMs: 30_000 });
  await api.change({ Name: "Front door" });
  const { EventId } = await api.newestEvent();
  const { page, open, complaints } = await enterSettings(browser, api.tenant);
  await open(`/settings/activity/${EventId}`);
  await page.getByText("The 2nd attempt is in progress.").waitFor();
  await page.getByRole("img", { name: /now in progress\.$/ }).waitFor();
  const first = page.getByRole("group", { name: "Response of attempt 1" });
  await first.waitFor();
  await page.getByRole("button", { name: "Redeliver" }).waitFor({ state: "detached" });
  held.resolve(200);
  await page.getByText("Delivered at the 2nd attempt").waitFor();
  expect(await page.getByRole("status").textContent()).toBe("Delivered");
  await page.getByRole("button", { name: "Redeliver" }).waitFor();
  expect(await first.isVisible()).toBe(true);
  expect(await page.locator("#event").getAttribute("hx-get")).toBeNull();
  expect(complaints).toEqual([]);
});

test("the list adds new events by itself, except while stopped, hidden or showing the past", async () => {
  const api = await newTenant();
  await api.change({ Name: "Door 1" });
  await api.change({ Name: "Door 2" });
  const { page, open, complaints } = await enterSettings(browser, api.tenant);
  let asked = 0;
  page.on("request", (request) => {
    if (request.headers()["hx-request"]) asked++;
  });
  await page.clock.install();
  await open("/settings/activity?EventRecord=Application");
  await page.getByText("no connection for Application Created").first().waitFor();
  const third = await api.change({ Name: "Door 3" });
  await page.clock.runFor(REFRESH_MS);
  await row(page, `Application ${third.Id} Created`).waitFor();

  // A script hides the document, like a tab in the background.
  await page.evaluate(`Object.defineProperty(document, "hidden", { value: true, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"))`);
  const before = asked;
  const fourth = await api.change({ Name: "Door 4" });
  await page.clock.runFor(3 * REFRESH_MS);
  expect(asked).toBe(before);
  await page.evaluate(`delete document.hidden; document.dispatchEvent(new Event("visibilitychange"))`);
  await row(page, `Application ${fourth.Id} Created`).waitFor();

  await page.getByRole("link", { name: "Stop" }).click();
  await page.getByText("Does not refresh itself.").waitFor();
  expect(await page.locator("main .live [hx-get]").count()).toBe(0);
  await open("/settings/activity?Limit=2");
  await page.getByRole("link", { name: "Next page" }).click();
  await page.getByRole("link", { name: "Back to the first" }).waitFor();
  expect(await page.locator("main .live [hx-get]").count()).toBe(0);
  expect(complaints).toEqual([]);
});

describe("filters are kept in the address", () => {
  test("and select by entity, kind, connection and local time", async () => {
    const api = await newTenant();
    await using receiver = startReceiver();
    const { Id } = await api.connect(receiver.url, { Name: "Directory", Events: ["Updated"] });
    const { Id: door } = await api.change({ Name: "Front door" });
    const { Timestamp } = await api.settledChange({ Id: door, Description: "wide" });
    const { page, open } = await enterSettings(browser, api.tenant, { timezoneId: "Asia/Kolkata" });
    const found = async () => (await page.getByRole("rowheader").allTextContents()).join();
    await open("/settings/activity");
    await moreFilters(page);
    await page.getByLabel("Connection").selectOption({ label: "Directory" });
    await submitFilters(page);
    await page.waitForURL(/ConnectionId=/);
    expect(new URL(page.url()).searchParams.get("ConnectionId")).toBe(Id);
    expect(await found()).toBe(`Application ${door} Updated`);

    await open("/settings/activity?EventType=Updated&EventRecord=Application");
    expect(await found()).toBe(`Application ${door} Updated`);
    await open("/settings/activity?EventType=Updated&EventRecord=User");
    expect(await found()).toBe("");

    const hourBefore = new Date(Date.parse(Timestamp) - 3_600_000);
    const inIndia = new Date(hourBefore.getTime() + 5.5 * 3_600_000).toISOString().slice(0, 16);
    await open("/settings/activity");
    await moreFilters(page);
    await page.getByLabel("Before (India Time)", { exact: true }).fill(inIndia);
    await submitFilters(page);
    await page.getByText("No matching events").waitFor();
    const to = new URL(page.url()).searchParams.get("To");
    expect(to).toBe(`${hourBefore.toISOString().slice(0, 16)}:00.000Z`);
    expect(await page.getByLabel("Before (India Time)", { exact: true }).inputValue()).toStartWith(inIndia);
    await page.keyboard.press("Escape");
    await page.getByRole("link", { name: "Clear" }).click();
    await row(page, `Application ${door} Created`).waitFor();
  });

  test(`"until now" is one click, keeps other filters, and is replaced by own times`, async () => {
    const api = await newTenant();
    await api.change({ Name: "Front door" });
    await using visitor = await enterSettings(browser, api.tenant);
    const { page, open } = visitor;
    const times = page.getByRole("navigation", { name: "Time" });
    for (const log of ["activity", "audit-log"]) {
      await open(`/settings/${log}?State=&Outcome=`);
      await times.getByRole("link", { name: "24 h" }).click();
      await page.waitForURL(/\?Last=24h$/);
      expect(await times.locator("[aria-current]").textContent()).toBe("24 h");
      await moreFilters(page);
      await page.getByLabel(/^From \(/).fill("2026-01-01T12:00");
      await submitFilters(page);
      await page.waitForURL(/From=2026/);
      expect(await times.locator("[aria-current]").count()).toBe(0);
      await page.getByRole("link", { name: /^Remove From: 2026/ }).waitFor();
      await times.getByRole("link", { name: "15 min" }).click();
      await page.waitForURL(/\?Last=15m$/);
    }
    await open("/settings/activity?EventRecord=Application");
    await times.getByRole("link", { name: "1 h" }).click();
    await row(page, "Front door").waitFor();
    await page.getByLabel("Search answers").fill("503");
    await page.getByText("No matching events").waitFor();
    const { searchParams } = new URL(page.url());
    expect(["EventRecord", "Last", "Reason"].map((name) => searchParams.get(name))).toEqual([
      "Application",
      "1h",
      "503",
    ]);
    await inspect(page, "activity-ranges");
  });

  test("which are in UTC without script", async () => {
    const api = await newTenant();
    const { Id } = await api.change({ Name: "Front door" });
    await api.change({ Id, Description: "wide" });
    const { Timestamp } = await api.newestEvent();
    const minute = `${Timestamp.slice(0, 16)}:00`;
    const { page, open } = await enterSettings(browser, api.tenant, {
      javaScriptEnabled: false,
      timezoneId: "Asia/Kolkata",
    });
    await open("/settings/activity");
    await page.getByLabel("Event", { exact: true }).selectOption("Updated");
    await page.getByLabel("From (UTC)", { exact: true }).fill(minute.slice(0, 16));
    await submitFilters(page);
    await page.waitForURL(/[?&]EventType=Updated(&|$)/);
    expect(await page.getByRole("rowheader").count()).toBe(1);
    expect(await page.getByLabel("From (UTC)", { exact: true }).inputValue()).toStartWith(minute.slice(0, 16));
    expect(await page.getByRole("link", { name: "Reload" }).count()).toBe(1);
  });
});
