// Every page of Settings: axe finds nothing in it, it fits, and the browser has nothing to complain of.

import { test } from "bun:test";
import { openWindows } from "../support/browser.ts";
import { startReceiver } from "../support/receiver.ts";
import { newTenant } from "../support/tenant.ts";
import { enterSettings, inspectAll, type Listed } from "./console.ts";

interface Ids {
  connection: string;
  redelivery: string;
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
  {
    name: "webhook-week",
    path: ({ connection }) => `/settings/webhooks/${connection}?Last=7d`,
    act: ({ page }) => page.getByText("The same as a table").click(),
  },
  {
    name: "webhook-change",
    path: ({ connection }) => `/settings/webhooks/${connection}/change`,
    act: ({ page }) => page.getByText("More settings").click(),
  },
  { name: "webhook-delete", path: ({ connection }) => `/settings/webhooks/${connection}/delete` },
  { name: "webhook-verify", path: ({ connection }) => `/settings/webhooks/${connection}/verify` },
  { name: "webhook-secret", path: ({ connection }) => `/settings/webhooks/${connection}/secret` },
  { name: "webhook-redeliver", path: ({ connection }) => `/settings/webhooks/${connection}/redeliver` },
  { name: "redelivery", path: ({ redelivery }) => `/settings/redeliveries/${redelivery}` },
  { name: "redeliveries", path: () => "/settings/redeliveries" },
  { name: "redeliveries-none", path: () => "/settings/redeliveries?State=Cancelled" },
  { name: "nothing-here", path: () => "/settings/nothing/here" },
];

const browser = openWindows();

const PATIENCE_MS = 240_000;

test(
  "every page is accessible and fits, on a desktop and on a phone, in light and dark mode",
  async () => {
    const api = await newTenant();
    await using receiver = startReceiver(({ payload }) => (payload.EventType === "Deleted" ? 500 : 200));
    const { Id: connection } = await api.connect(receiver.url, { Name: "Directory", Secret: "a secret of mine" });
    await api.connect("https://localhost:9443/refuses", { Events: ["Created"] });
    const { Id } = await api.change({ Name: "Front door" });
    await api.settledEvent();
    await api.call("DELETE", `/Application/${Id}`);
    await api.settledEvent();

    const { body } = await api.call<{ Id: string }>("POST", "/Redelivery", {
      ConnectionId: connection,
      From: "2026-01-01",
    });
    const redelivery = body.Id;

    await using visitor = await enterSettings(browser, api.tenant);
    await inspectAll(visitor, PAGES, { connection, redelivery });
  },
  PATIENCE_MS,
);
