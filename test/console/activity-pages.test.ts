// Every page of the activity log, with ten thousand events in it: axe finds nothing, and it fits.

import { test } from "bun:test";
import { db } from "../entities/client.ts";
import { openWindows } from "../support/browser.ts";
import { fill } from "../support/fill.ts";
import { startReceiver } from "../support/receiver.ts";
import { newTenant } from "../support/tenant.ts";
import { enterSettings, inspectAll, type Listed } from "./console.ts";

interface Ids {
  /** An event delivered to one connection and failed at the other. */
  event: string;
  /** An event still in progress. */
  openEvent: string;
}

const PAGES: Listed<Ids>[] = [
  { name: "event-open", path: ({ openEvent }) => `/settings/activity/${openEvent}` },
  { name: "event", path: ({ event }) => `/settings/activity/${event}` },
  { name: "activity", path: () => "/settings/activity?Limit=20" },
  { name: "activity-filtered", path: () => "/settings/activity?State=Cancelled&From=2026-01-31T12:00:00Z" },
  {
    name: "activity-older",
    path: () => "/settings/activity?Limit=10&State=Exhausted",
    act: async ({ page }) => {
      await page.getByRole("link", { name: "Next page" }).click();
      await page.getByRole("link", { name: "Back to the first" }).waitFor();
    },
  },
];

const browser = openWindows();

const DAY_MS = 86_400_000;
const PATIENCE_MS = 240_000;

test(
  "every page of the activity log is accessible and fits",
  async () => {
    const api = await newTenant();
    let hangs = false;
    await using receiver = startReceiver(({ payload }) => {
      return hangs ? "hang" : payload.EventType === "Deleted" ? 500 : 200;
    });
    const settings = { Name: "Directory", Secret: "a secret of mine", TimeoutMs: 30_000 };
    const { Id: connection } = await api.connect(receiver.url, settings);
    await api.connect("https://localhost:9443/refuses", { Events: ["Created"] });
    const filling = { tenantId: api.tenant.tenantId, connectionIds: [connection], events: 10_000, spanMs: DAY_MS };
    await fill(db(), { ...filling, stateOf: (number) => (number % 100 === 0 ? "Exhausted" : "Delivered") });
    const { Id } = await api.change({ Name: "Front door" });
    await api.settledEvent();
    await api.call("DELETE", `/Application/${Id}`);
    const { EventId: event } = await api.settledEvent();
    const visitor = await enterSettings(browser, api.tenant);
    hangs = true;
    await api.change({ Name: "Back door" });
    const { EventId: openEvent } = await api.newestEvent();
    await inspectAll(visitor, PAGES, { event, openEvent });
  },
  PATIENCE_MS,
);
