// A receiver was down at night: the operator sees the failures, and sends all missed events.

import { expect, test } from "bun:test";
import { openWindows } from "../support/browser.ts";
import { inspect } from "../support/inspect.ts";
import { until } from "../world/api.ts";
import { enterSettings } from "../world/console.ts";
import { startReceiver } from "../world/receiver.ts";
import { newTenant } from "../world/tenant.ts";

const browser = openWindows();

test("Resume offers exhausted deliveries too, and the figures still link to the failures afterwards", async () => {
  const api = await newTenant();
  let isDown = true;
  await using receiver = startReceiver(() => (isDown ? 503 : 200));
  const { Id } = await api.connect(receiver.url, { Name: "Directory", HoldAfter: 1 });
  await api.change({ Name: "First door" });
  await until("the hold", async () => (await api.connection(Id)).State === "Held");
  await api.change({ Name: "Second door" });
  await until("one to be held", async () => (await api.events("State=Held")).Items.length === 1);
  await using visitor = await enterSettings(browser, api.tenant);
  const { page, open, complaints } = visitor;
  await open(`/settings/webhooks/${Id}`);
  await page.getByText("1 held, and 1 exhausted since").waitFor();
  expect(await page.getByText("quickly").count()).toBe(0);
  await inspect(page, "night-held");
  isDown = false;
  await page.getByRole("button", { name: "Resume, and send the 1 exhausted again" }).click();
  await page.getByRole("status").getByText("Exhausted ones follow.").waitFor();
  await until("all to arrive", async () => (await api.events("State=Delivered")).Items.length === 2);

  await open("/settings");
  await page.getByText("None. All connections work.").waitFor();
  await page.locator(".parts").getByText("Worker up").waitFor();
  await inspect(page, "night-overview");
  await page.locator(".figures div").filter({ hasText: "Exhausted, 24 h" }).getByRole("link", { name: "1" }).click();
  await page.getByRole("row").filter({ hasText: "First door" }).waitFor();
  expect(await page.getByRole("rowheader").count()).toBe(1);

  await page.locator("h1").waitFor();
  await page.evaluate("document.activeElement.blur()");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  const focused: string[] = [];
  for (let tab = 2; tab <= 10; tab++) {
    await page.keyboard.press("Tab");
    focused.push(String(await page.evaluate("document.activeElement.textContent")));
  }
  expect(focused).toContain("Live. Refreshes every 5 s. Stop");

  const { Items } = (await api.get("/Redelivery?Kind=Replay")).body;
  await api.endedRedelivery(Items[0].Id);
  await open(`/settings/redeliveries/${Items[0].Id}`);
  const row = page.getByRole("row").filter({ hasText: "Exhausted" }).filter({ hasText: "Delivered" });
  await row.getByText("503").waitFor();
  await page.getByRole("link", { name: "Export CSV" }).waitFor();
  expect(complaints).toEqual([]);
});
