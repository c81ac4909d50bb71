// Hidden parts of events are omitted in the console, with a note.

import { expect, test } from "bun:test";
import { openWindows } from "../support/browser.ts";
import { inspect } from "../support/inspect.ts";
import type { Api } from "../world/api.ts";
import { enterSettings, newColleague } from "../world/console.ts";
import { startReceiver } from "../world/receiver.ts";
import { newTenant } from "../world/tenant.ts";

const browser = openWindows();

test("a reader without access to an event's records sees it without Data or other traces of them", async () => {
  const api = await newTenant();
  // It returns the received bytes.
  await using receiver = startReceiver(({ bytes }) => new Response(new Uint8Array(bytes), { status: 400 }));
  await api.connect(receiver.url, { Entities: ["Department"] });
  const secret = `secret ${Bun.randomUUIDv7()}`;
  await api.call("PATCH", "/Department", { Name: secret });
  const { EventId } = await api.settledEvent();
  await using visitor = await enterSettings(browser, api.tenant, await newColleague(api, "ops"));
  const { page, open, complaints } = visitor;
  const path = `/settings/activity/${EventId}`;
  const file = () => page.evaluate(async (address) => (await fetch(address)).text(), `${path}/payload.json`);

  await open(path);
  await page.getByRole("button", { name: "Copy as curl" }).waitFor();
  expect(await page.content()).toContain(secret);
  expect(await file()).toBe(receiver.callsFor(EventId)[0]!.bytes.toString("utf8"));

  await deletePolicy(api, "Payloads");
  await open(path);
  await page.getByText("Data is omitted: your policies do not let you read every record in it.").waitFor();
  await page.getByText("Hidden: it may repeat the request, which you may not see.").last().waitFor();
  expect(await page.getByRole("button", { name: "Copy as curl" }).count()).toBe(0);
  expect(await page.getByRole("button", { name: "Copy as sent" }).count()).toBe(0);
  expect(await page.content()).not.toContain(secret);
  expect(JSON.parse(await file())).not.toHaveProperty("Data");
  await inspect(page, "event-withheld");
  expect(complaints).toEqual([]);
});

test("figures are hidden from readers who may not read every event", async () => {
  const api = await newTenant();
  await using receiver = startReceiver();
  const { Id } = await api.connect(receiver.url, { Name: "Directory" });
  const { EventId } = await api.settledChange({ Name: "Front door" });
  const text = `forbid (principal is User, action, resource == WebhookEvent::"${EventId}");`;
  await api.call("PATCH", "/Policy", { Name: "One event", Policy: text });
  await using visitor = await enterSettings(browser, api.tenant);
  const { page, open, complaints } = visitor;
  await page.getByText("No figures to see").waitFor();
  await inspect(page, "overview-without-figures");
  await open("/settings/webhooks");
  expect(await page.getByText("hidden", { exact: true }).count()).toBe(3);
  await inspect(page, "webhooks-without-figures");
  await open(`/settings/webhooks/${Id}`);
  expect(await page.getByText("hidden", { exact: true }).count()).toBe(2);
  expect(await page.getByRole("heading", { name: "Deliveries and answer times" }).count()).toBe(0);
  expect(await page.locator(`a[href*="${EventId}"]`).count()).toBe(0);
  expect(complaints).toEqual([]);
});

async function deletePolicy(api: Api, name: string): Promise<void> {
  const { body } = await api.call<{ Items: { Id: string }[] }>("GET", `/Policy?Name=${name}`);
  expect((await api.call("DELETE", `/Policy/${body.Items[0]!.Id}`)).status).toBe(200);
}
