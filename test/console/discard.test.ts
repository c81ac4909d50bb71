// Held deliveries are discarded in Settings.

import { expect, test } from "bun:test";
import type { TenantId } from "../../server/platform/ids.ts";
import { openWindows } from "../support/browser.ts";
import { inspect } from "../support/inspect.ts";
import { type Api, until } from "../world/api.ts";
import { enterSettings } from "../world/console.ts";
import { fill } from "../world/rows.ts";
import { db, newTenant, savePolicy } from "../world/tenant.ts";

const browser = openWindows();
/** One more than a call discards. */
const MANY = 10_001;

/** A paused connection with so many held deliveries. */
async function arrange(events: number) {
  const api = await newTenant();
  const { Id } = await api.connect("https://localhost:9443/", { Name: "Directory", State: "Paused" });
  const filling = { tenantId: api.tenantId as TenantId, connectionIds: [Id], spanMs: 3_600_000 };
  await fill(db(), { ...filling, events, stateOf: () => "Held" });
  return { api, Id, path: `/settings/webhooks/${Id}/discard` };
}

const held = async (api: Api) => (await api.events("State=Held&Limit=1")).Items.length;

test("an administrator counts held deliveries, then discards those that were counted", async () => {
  const { api, Id, path } = await arrange(3);
  await using visitor = await enterSettings(browser, api.tenant);
  const { page, open } = visitor;
  await open(`/settings/webhooks/${Id}`);
  await page.getByRole("link", { name: "Discard held deliveries" }).click();
  await page.getByRole("heading", { name: "Discard", level: 1 }).waitFor();
  await inspect(page, "discard");
  await page.getByRole("button", { name: "Count them" }).click();
  await page.getByText("3 deliveries would be cancelled.").waitFor();
  await inspect(page, "discard-counted");
  await page.getByRole("button", { name: "Discard them" }).click();
  await page.getByText("3 held deliveries were discarded.").waitFor();
  expect(await held(api)).toBe(0);
  await open(path);
  await page.getByRole("button", { name: "Count them" }).click();
  await page.getByText("No event of a held delivery is before this time.").waitFor();
  await inspect(page, "discard-nothing");
  expect(visitor.complaints).toEqual([]);
});

test("a reader who may not see the number discards all of them, also more than one call discards", async () => {
  const { api, path } = await arrange(MANY);
  const { EventId } = (await api.events("Limit=1")).Items[0]!;
  await savePolicy(api, "One", `forbid (principal is User, action, resource == WebhookEvent::"${EventId}");`);
  await using visitor = await enterSettings(browser, api.tenant);
  const { page, open } = visitor;
  await open(path);
  await page.locator("[name=Before]").fill("2030-01-01T00:00");
  await until("the policy", async () => {
    await page.getByRole("button", { name: /^Count/ }).click();
    await page.getByRole("status").waitFor();
    return (await page.getByText("Only users who may read every event see the number.").count()) > 0;
  });
  await inspect(page, "discard-without-a-number");
  await page.getByRole("button", { name: "Discard them" }).click();
  await page.getByText("The held deliveries were discarded.").waitFor();
  expect(await held(api)).toBe(0);
});

test("a connection that one may not change is 403, and one of another tenant 404, whatever is typed", async () => {
  const [{ api, path }, other] = await Promise.all([arrange(1), newTenant()]);
  await savePolicy(api, "Kept", 'forbid (principal is User, action == Action::"Webhooks:Update", resource);');
  for (const [owner, status] of [
    [api, 403],
    [other, 404],
  ] as const) {
    await using visitor = await enterSettings(browser, owner.tenant, { javaScriptEnabled: false });
    const { page, open } = visitor;
    await until("the policy", async () => {
      await open(path);
      return (await page.getByRole("button", { name: "Count them" }).count()) === 0;
    });
    const cookies = await page.context().cookies();
    const headers = { cookie: cookies.map(({ name, value }) => `${name}=${value}`).join("; ") };
    const csrf = /name="csrf" value="([^"]+)"/.exec(await page.content())![1]!;
    for (const Before of ["", "soon", "2026-01-01T00:00"]) {
      const body = new URLSearchParams({ csrf, Before });
      const { url } = api;
      expect((await fetch(url + path, { method: "POST", body, headers, redirect: "manual" })).status).toBe(status);
    }
  }
});
