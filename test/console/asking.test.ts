// Forms of Settings that ask for confirmation: they do exactly what they showed, or ask again.

import { expect, test } from "bun:test";
import { openWindows } from "../support/browser.ts";
import { inspect } from "../support/inspect.ts";
import { until } from "../world/api.ts";
import { enterSettings } from "../world/console.ts";
import { startReceiver } from "../world/receiver.ts";
import { newTenant } from "../world/tenant.ts";
import { exhausted, isGone, made, redeliveriesOf } from "./asking.ts";
import { enter, sent, shownBy } from "./asking-forms.ts";

const browser = openWindows();

test("events that arrive after the count are not resent", async () => {
  const { api, Id, change, receiver } = await exhausted(2);
  const visitor = await enter(api);
  const page = `/settings/webhooks/${Id}/redeliver`;
  const action = `${page}/send`;
  const form = await shownBy(visitor, {
    ...{ api, page, action, first: { From: "2026-01-01T00:00", States: "Exhausted" } },
    isDone: async () => false,
  });
  await change(3);
  const before = receiver.calls.length;
  expect((await sent(visitor, form)).status).toBe(200);
  const [redelivery] = await redeliveriesOf(api);
  expect(await api.endedRedelivery(redelivery.Id)).toMatchObject({ Total: 2, Done: 2 });
  const names = receiver.calls.slice(before).map(({ payload }) => (payload.Data as { Name: string }).Name);
  expect([...new Set(names)].toSorted()).toEqual(["Gate 1", "Gate 2"]);
});

test("a redelivery goes where it was confirmed to go, or asks again", async () => {
  const { api, Id } = await exhausted(1);
  await using other = startReceiver();
  const visitor = await enter(api);
  const page = `/settings/webhooks/${Id}/redeliver`;
  const action = `${page}/send`;
  const first = { From: "2026-01-01T00:00", States: "Exhausted" };
  const { fields } = await shownBy(visitor, { api, page, action, first, isDone: async () => false });
  await made(api, "WebhookConnection", { Id, URL: other.url, ApiKey: "another-key" });
  const tried: Record<string, string>[] = [{}, { Rate: "100" }, { From: "2026-01-01T00:01" }, { shown: "" }];
  for (const changed of tried) {
    const again = await sent(visitor, { action, fields: { ...fields, ...changed } });
    expect({ status: again.status, html: again.html }).toMatchObject({ status: 409 });
    expect(again.html).toContain(`They go to ${other.url}`);
    expect(await redeliveriesOf(api)).toEqual([]);
  }
  const again = await sent(visitor, { action, fields });
  const asked = again.forms.find((one) => one.action === action)!;
  expect((await sent(visitor, asked)).html).toContain("The redelivery has started.");
  expect(await redeliveriesOf(api)).toHaveLength(1);
  await until("it has come to the other one", async () => other.calls.length === 1);
});

test("a constantly changing number does not make a form ask again", async () => {
  const api = await newTenant();
  const { Id } = await api.connect("https://localhost:9443/", { State: "Paused" });
  await api.settledChange({ Name: "Gate 1" });
  const visitor = await enter(api);
  const page = `/settings/webhooks/${Id}/delete`;
  const view = await visitor.open(page);
  expect(view.html).toContain("All its waiting deliveries will be Cancelled: 1 now.");
  await api.settledChange({ Name: "Gate 2" });
  const done = await sent(visitor, view.forms.find(({ action }) => action === page)!);
  expect({ status: done.status, isGone: await isGone(api, `/WebhookConnection/${Id}`) }).toEqual({
    ...{ status: 200, isGone: true },
  });
});

test.each([true, false])(
  "with script %p, a browser is asked again in a dialog and on a page",
  async (javaScriptEnabled) => {
    const api = await newTenant();
    const { Id } = await api.change({ Name: "Payroll", Is_Active: true });
    await using visitor = await enterSettings(browser, api.tenant, { javaScriptEnabled });
    const { page, open } = visitor;
    await open(`/settings/applications/${Id}`);
    await page.getByRole("button", { name: "Deactivate", exact: true }).click();
    await api.change({ Id, Name: "Ledger" });
    await page.getByRole("button", { name: "Deactivate application" }).click();
    await page.getByRole("heading", { name: "Deactivate Ledger?" }).waitFor();
    await page.getByRole("alert").getByText("This has changed since the page was shown").waitFor();
    if (javaScriptEnabled) await inspect(page, "asked-again");
    await page.getByRole("button", { name: "Deactivate application" }).click();
    await page.getByRole("status").getByText("is inactive").waitFor();

    await open(`/settings/applications/${Id}/delete`);
    await api.change({ Id, Name: "Journal" });
    await page.getByRole("button", { name: "Delete application" }).click();
    await page.getByText("Journal is deleted").waitFor();
    await page.getByRole("button", { name: "Delete application" }).click();
    await page.getByRole("status").getByText("Journal is deleted.").waitFor();
  },
);
