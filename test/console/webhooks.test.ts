// Webhook connections in Settings, as used by people.

import { describe, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import { openWindows } from "../support/browser.ts";
import { until } from "../world/api.ts";
import { enterSettings, newColleague } from "../world/console.ts";
import { startReceiver } from "../world/receiver.ts";
import { newTenant } from "../world/tenant.ts";

const browser = openWindows();

describe.each([true, false])("with script: %p", (javaScriptEnabled) => {
  test("an admin adds a connection and sees its first delivery", async () => {
    const api = await newTenant();
    await using receiver = startReceiver();
    await using visitor = await enterSettings(browser, api.tenant, { javaScriptEnabled });
    const { page, complaints } = visitor;
    await page.getByRole("link", { name: "Webhooks", exact: true }).click();
    await page.getByText("No connections yet").waitFor();
    await page.getByRole("link", { name: "Add Webhook Connection" }).click();
    await page.getByLabel("URL Endpoint").fill(receiver.url);
    await page.getByRole("checkbox", { name: "Application" }).check();
    await page.getByLabel("Secret").fill("something only we know");
    await page.getByLabel("Name").fill("Directory");
    await page.getByRole("button", { name: "Add connection" }).click();
    await page.getByRole("status").getByText("The connection is added.").waitFor();
    await page.getByRole("link", { name: "Done" }).click();
    await page.getByRole("heading", { name: "Directory", level: 1 }).waitFor();
    await page.getByText("Nothing yet").waitFor();

    const door = await api.change({ Name: "Front door" });
    await api.settledEvent();
    // It appears by itself; without script, after a reload.
    if (!javaScriptEnabled) await page.reload();
    await page
      .getByRole("row")
      .filter({ hasText: `Application ${door.Id} Created` })
      .getByText("Delivered")
      .waitFor();
    expect(receiver.calls[0]!.headers.get("x-signature")).toMatch(/^[0-9a-f]{64}$/);
    // The message is shown once.
    if (!javaScriptEnabled) expect(await page.getByText("The connection is added.").count()).toBe(0);
    expect(complaints).toEqual([]);
  });
});

test("an admin pings, pauses, changes and deletes a connection", async () => {
  const api = await newTenant();
  await using receiver = startReceiver();
  await using other = startReceiver();
  const { Id } = await api.connect(receiver.url, { Name: "Directory", Headers: { "X-Key": "hush" } } as object);
  await using visitor = await enterSettings(browser, api.tenant);
  const { page, open, complaints } = visitor;
  await open(`/settings/webhooks/${Id}`);
  await page.getByRole("button", { name: "Send a ping" }).click();
  await page.getByRole("status").getByText("A ping was sent.").waitFor();
  await page.getByRole("row").filter({ hasText: "Ping" }).getByText("Delivered").waitFor();

  await page.getByRole("button", { name: "Pause" }).click();
  await page.getByRole("status").getByText("The connection is paused.").waitFor();
  const door = await api.change({ Name: "Back door" });
  await page.getByText("1 held").waitFor();

  await page.getByRole("link", { name: "Change" }).click();
  expect(await page.getByLabel("Extra headers").inputValue()).toBe("X-Key:");
  await page.getByLabel("URL Endpoint").fill(other.url);
  // The ApiKey of the former address does not apply to a new one.
  await page.getByLabel("ApiKey").fill("another");
  await page.getByLabel("Extra headers").fill("X-Key: hush\nX-More: 7");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("status").getByText("The connection is changed.").waitFor();
  await page.getByRole("button", { name: "Resume" }).click();
  await page
    .getByRole("row")
    .filter({ hasText: `Application ${door.Id} Created` })
    .getByText("Delivered")
    .waitFor();
  const { headers } = other.calls[0]!;
  expect([headers.get("x-key"), headers.get("x-more")]).toEqual(["hush", "7"]);

  await api.setState(Id, "Paused");
  await api.change({ Name: "Cellar door" });
  await open(`/settings/webhooks/${Id}/delete`);
  await page.getByText("All its waiting deliveries will be Cancelled: 1 now.").waitFor();
  await page.getByRole("button", { name: "Delete connection" }).click();
  await page.getByRole("status").getByText("is deleted").waitFor();
  await page.getByText("No connections yet").waitFor();
  expect((await api.newestEvent()).Deliveries[0]!.State).toBe("Cancelled");
  expect(complaints).toEqual([]);
});

test("an admin replaces the secret: it is shown once, confirmed by a ping, and then in force", async () => {
  const api = await newTenant();
  let refuses = true;
  await using receiver = startReceiver(() => (refuses ? 401 : 200));
  const { Id } = await api.connect(receiver.url, { Name: "Directory", Secret: "the former one" });
  await using visitor = await enterSettings(browser, api.tenant);
  const { page, open, complaints } = visitor;
  await open(`/settings/webhooks/${Id}`);
  await page.getByRole("link", { name: "Secret" }).click();
  await page.getByRole("button", { name: "Stage the new secret" }).click();
  const secret = (await page.getByRole("status").locator("code").textContent())!;
  expect(secret).toStartWith("whsec_");
  await page.getByRole("button", { name: "Confirm with a ping" }).click();
  await page.getByText("The new secret is not in force: the receiver answered 401.").waitFor();
  expect(await page.content()).not.toContain(secret);
  refuses = false;
  await page.getByRole("button", { name: "Confirm with a ping" }).click();
  await page.getByText("The new secret is confirmed.").waitFor();
  await page.getByRole("button", { name: "End the former secret now" }).click();
  await page.getByRole("button", { name: "End now" }).click();
  await page.getByText("Payloads are signed with it.").waitFor();
  const signature = createHmac("sha256", secret).update(receiver.calls.at(-1)!.bytes).digest("hex");
  expect(receiver.calls.at(-1)!.headers.get("x-signature")).toBe(signature);
  expect(complaints).toEqual([]);
});

describe.each([true, false])("with script: %p", (javaScriptEnabled) => {
  test("ops see failed deliveries, count them, and redeliver them", async () => {
    const api = await newTenant();
    let isDown = true;
    await using receiver = startReceiver(() => (isDown ? 500 : 200));
    const { Id } = await api.connect(receiver.url, { Name: "Directory" });
    await api.settledChange({ Name: "Front door" });
    isDown = false;
    const colleague = await newColleague(api, "ops");
    await api.settledEvent();
    await using visitor = await enterSettings(browser, api.tenant, { ...colleague, javaScriptEnabled });
    const { page } = visitor;
    await page.getByText("failed permanently in 24 hours. Last answer: 500.").waitFor();
    await page.getByRole("link", { name: "Directory" }).click();
    await page.getByRole("link", { name: "Redeliver" }).click();
    await page.getByLabel("Deliveries a second").fill("1000");
    await page.locator("form.fields").evaluate((form) => form.setAttribute("novalidate", ""));
    await page.getByRole("button", { name: "Count them" }).click();
    await page.getByRole("alert").getByText("Deliveries a second must be a whole number").waitFor();
    await page.getByLabel("Deliveries a second").fill("100");
    await page.getByRole("button", { name: "Count them" }).click();
    await page.getByText("1 delivery would be sent again.").waitFor();
    await page.getByRole("button", { name: "Send them again" }).click();
    await page.getByText("The redelivery has started.").waitFor();
    // All is sent a moment before the redelivery has ended.
    const done = page.getByText("Completed");
    if (javaScriptEnabled) await done.waitFor();
    else await until("the redelivery to end", async () => (await page.reload()) && (await done.count()) === 1);
    await page.reload();
    await page.getByRole("heading", { name: "1 of 1" }).waitFor();
    await page.getByRole("navigation", { name: "Above this page" }).getByRole("link", { name: "Directory" }).click();
    await page.getByRole("row").filter({ hasText: "Redelivery" }).getByText("Completed").waitFor();
    expect((await api.connection(Id)).State).toBe("Active");
    expect(receiver.calls.at(-1)!.status).toBe(200);
  });
});

test("the overview of more connections than it counts says that it covers the newest", async () => {
  const api = await newTenant();
  const names = Array.from({ length: 201 }, (_, index) => `Receiver ${index + 1}`);
  for (const Name of names) await api.connect("https://localhost:9443/", { Name });
  const { page, open } = await enterSettings(browser, api.tenant, { javaScriptEnabled: false });
  await page.getByText("Of the newest 200 connections.").waitFor();
  await page.getByText("None. All of these work.").waitFor();
  await open("/settings/webhooks?Limit=200");
  await page.getByRole("link", { name: "Next page" }).click();
  await page.getByRole("link", { name: "Back to the first" }).waitFor();
  expect(await page.getByRole("rowheader").count()).toBe(1);
});
