// Every page of Settings: axe finds nothing in it, it fits, and the browser has nothing to complain of.

import { afterAll, beforeAll, test } from "bun:test";
import type { Browser } from "playwright-core";
import { db } from "../entities/client.ts";
import { launchBrowser } from "../support/browser.ts";
import { fill } from "../support/fill.ts";
import { startReceiver } from "../support/receiver.ts";
import { newTenant } from "../support/tenant.ts";
import { enterSettings, inspectAll, type Listed } from "./console.ts";

interface Ids {
  connection: string;
  /** One that was delivered to the one, and failed at the other. */
  event: string;
  /** One that is still on its way. */
  openEvent: string;
}

const PAGES: Listed<Ids>[] = [
  { name: "overview", path: () => "/settings" },
  { name: "webhooks", path: () => "/settings/webhooks" },
  { name: "webhook-filtered", path: () => "/settings/webhooks?Name=nothing&State=Held" },
  { name: "webhook-add", path: () => "/settings/webhooks/add" },
  {
    name: "webhook-refused",
    path: () => "/settings/webhooks/add",
    act: async ({ page }) => {
      await page.locator("form.fields").evaluate((form) => form.setAttribute("novalidate", ""));
      await page.getByLabel("URL Endpoint").fill("http://example.com");
      await page.getByRole("button", { name: "Add connection" }).click();
      await page.getByRole("alert").waitFor();
    },
  },
  { name: "webhook", path: ({ connection }) => `/settings/webhooks/${connection}` },
  { name: "webhook-change", path: ({ connection }) => `/settings/webhooks/${connection}/change` },
  { name: "webhook-delete", path: ({ connection }) => `/settings/webhooks/${connection}/delete` },
  { name: "activity", path: () => "/settings/activity" },
  { name: "activity-filtered", path: () => "/settings/activity?State=Cancelled&From=2026-01-31T12:00:00Z" },
  { name: "activity-older", path: () => "/settings/activity?Limit=10", act: olderPage },
  { name: "event", path: ({ event }) => `/settings/activity/${event}` },
  { name: "event-open", path: ({ openEvent }) => `/settings/activity/${openEvent}` },
  { name: "nothing-here", path: () => "/settings/nothing/here" },
];

async function olderPage({ page }: Visitor): Promise<void> {
  await page.getByRole("link", { name: "Next page" }).click();
  await page.getByRole("link", { name: "Back to the first" }).waitFor();
}

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
}, 60_000);
afterAll(() => browser?.close());

const DAY_MS = 86_400_000;
const PATIENCE_MS = 240_000;

test(
  "every page is accessible and fits, at a desk and on a phone, by day and in the dark",
  async () => {
    const api = await newTenant();
    let hangs = false;
    await using receiver = startReceiver(({ payload }) => {
      return hangs ? "hang" : payload.EventType === "Deleted" ? 500 : 200;
    });
    const { Id: connection } = await api.connect(receiver.url, {
      ...{ Name: "Directory", Secret: "a secret of mine", TimeoutMs: 30_000 },
    });
    await api.connect("https://localhost:9443/refuses", { Events: ["Created"] });
    const filling = { tenantId: api.tenant.tenantId, connectionIds: [connection], events: 10_000, spanMs: DAY_MS };
    await fill(db(), { ...filling, stateOf: (number) => (number % 100 === 0 ? "Exhausted" : "Delivered") });
    const { Id } = await api.change({ Name: "Front door" });
    await api.settledEvent();
    await api.call("DELETE", `/Application/${Id}`);
    const { EventId: event } = await api.settledEvent();
    hangs = true;
    await api.change({ Name: "Back door" });
    const { EventId: openEvent } = await api.newestEvent();

    const visitor = await enterSettings(browser, api.tenant);
    await inspectAll(visitor, PAGES, { connection, event, openEvent });
  },
  PATIENCE_MS,
);
