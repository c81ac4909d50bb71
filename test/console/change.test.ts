// The page of an event: its changes, and local times in its payload.

import { expect, test } from "bun:test";
import { openWindows } from "../support/browser.ts";
import { inspect } from "../support/inspect.ts";
import { enterSettings } from "../world/console.ts";
import { newTenant } from "../world/tenant.ts";

const browser = openWindows();

test("an event shows its changed fields and a link to the previous change of the record", async () => {
  const api = await newTenant();
  const { Id } = await api.change({ Name: "Front door", Description: "It squeaks", ExternalId: "door" });
  const made = await api.newestEvent();
  const { Id: other } = await api.change({ Name: "Back door" });
  // The previous change may contain several records.
  await api.patch("/Application", [
    { Id, Description: "<b>Oiled</b>" },
    { Id: other, Description: "Oiled" },
  ]);
  await api.change({ Id, Description: `long ${"x".repeat(2_000)}`, Is_Active: true });
  const changed = await api.newestEvent();
  await api.remove(`/Application/${Id}`);
  const gone = await api.newestEvent();
  expect([made.BeforeEventId, (await api.event(changed.BeforeEventId!)).RecordCount]).toEqual([null, 2]);
  expect(gone.BeforeEventId).toBe(changed.EventId);

  await using visitor = await enterSettings(browser, api.tenant, { timezoneId: "Asia/Tokyo", locale: "en-GB" });
  const { page, open, complaints } = visitor;
  const change = page.locator("#change");
  await open(`/settings/activity/${made.EventId}`);
  await change.getByText("The record was created: there is no earlier state.").waitFor();
  await open(`/settings/activity/${changed.EventId}`);
  const row = (field: string) => change.getByRole("row").filter({ has: page.getByRole("rowheader", { name: field }) });
  expect(await row("Description").getByRole("cell").first().textContent()).toBe("<b>Oiled</b>");
  expect(await row("Description").getByRole("cell").last().textContent()).toStartWith("long xxx");
  expect(await row("Is_Active").getByRole("cell").allTextContents()).toEqual(["false", "true"]);
  expect(await row("Name").count()).toBe(0);
  await inspect(page, "event-change");

  const time = page.getByRole("group", { name: "Payload" }).locator("time").first();
  expect(await time.textContent()).toBe(changed.Timestamp);
  const clock = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium", timeZone: "Asia/Tokyo" });
  expect(await time.getAttribute("title")).toBe(clock.format(new Date(changed.Timestamp)));

  await change.getByRole("link", { name: "Previous change" }).click();
  const ofRecord = (name: string) => change.getByRole("table", { name: `Fields of ${name} that changed` });
  const descriptions = async (name: string) =>
    ofRecord(name).getByRole("row").filter({ hasText: "Description" }).getByRole("cell").allTextContents();
  await ofRecord("Front door").waitFor();
  expect(await descriptions("Front door")).toEqual(["It squeaks", "<b>Oiled</b>"]);
  expect(await descriptions("Back door")).toEqual(["none", "Oiled"]);
  await inspect(page, "event-change-several");
  await change.getByRole("link", { name: "Previous change" }).first().click();
  await change.getByText("The record was created: there is no earlier state.").waitFor();
  await open(`/settings/activity/${gone.EventId}`);
  await change.getByText("The record was deleted; this is its last state.").waitFor();
  expect(complaints).toEqual([]);
});

test("an event of many records compares ten, each with its previous change if readable", async () => {
  const api = await newTenant();
  const names = Array.from({ length: 12 }, (_, index) => `Door ${index + 1}`);
  const { body: doors } = await api.call<{ Id: string }[]>(
    "PATCH",
    "/Application",
    names.map((Name) => ({ Name })),
  );
  const made = await api.newestEvent();
  const [first, second] = doors;
  await api.change({ Id: first!.Id, Description: "It squeaks" });
  const before = await api.newestEvent();
  await api.change({ Id: second!.Id, Description: "It creaks" });
  await api.patch(
    "/Application",
    doors.map(({ Id }) => ({ Id, Description: "Oiled" })),
  );
  const { EventId } = await api.newestEvent();
  const Policy = `forbid (principal is User, action, resource == WebhookEvent::"${before.EventId}");`;
  expect((await api.patch("/Policy", { Name: "One event", Policy })).status).toBe(200);

  await using visitor = await enterSettings(browser, api.tenant);
  const { page, open, complaints } = visitor;
  const change = page.locator("#change");
  await open(`/settings/activity/${made.EventId}`);
  await change.getByText("The records were created: there is no earlier state.").waitFor();
  await open(`/settings/activity/${EventId}`);
  expect(await change.getByRole("heading", { level: 3 }).allTextContents()).toEqual(names.slice(0, 10));
  await change.getByText("And 2 more. Each record's own page has its events.").waitFor();
  const told = change.getByText("Not shown: you may not read the event of the previous change.");
  expect(await told.count()).toBe(1);
  expect(await change.getByText("It squeaks").count()).toBe(0);
  const ofSecond = change.getByRole("table", { name: "Fields of Door 2 that changed" });
  await ofSecond.getByText("It creaks").waitFor();
  const links = await change
    .getByRole("link", { name: "Previous change" })
    .evaluateAll((all) => all.map((one) => one.getAttribute("href")));
  expect(links).toHaveLength(9);
  expect(new Set(links).size).toBe(2);
  expect(complaints).toEqual([]);

  // Visitors who may not read one of them see no changes.
  const one = `forbid (principal is User, action, resource == Application::"${second!.Id}");`;
  expect((await api.patch("/Policy", { Name: "One door", Policy: one })).status).toBe(200);
  await open(`/settings/activity/${EventId}`);
  await change.getByText("Hidden: your policies do not let you read every record.").waitFor();
  expect(await page.content()).not.toContain("It creaks");
});

test("a time in a payload is shown in UTC without script", async () => {
  const api = await newTenant();
  await api.change({ Name: "Front door" });
  const { EventId, Timestamp } = await api.newestEvent();
  await using visitor = await enterSettings(browser, api.tenant, { javaScriptEnabled: false });
  await visitor.open(`/settings/activity/${EventId}`);
  const time = visitor.page.getByRole("group", { name: "Payload" }).locator("time").first();
  expect([await time.textContent(), (await time.getAttribute("title"))!.endsWith("UTC")]).toEqual([Timestamp, true]);
});

test("a reader who may not see the previous change gets a note without its contents", async () => {
  const api = await newTenant();
  const { Id } = await api.change({ Name: "Front door", Description: "It squeaks" });
  const before = await api.newestEvent();
  await api.change({ Id, Description: "Oiled" });
  const { EventId } = await api.newestEvent();
  const Policy = `forbid (principal is User, action, resource == WebhookEvent::"${before.EventId}");`;
  expect((await api.patch("/Policy", { Name: "One event", Policy })).status).toBe(200);
  await using visitor = await enterSettings(browser, api.tenant);
  const { page, open } = visitor;
  await open(`/settings/activity/${EventId}`);
  await page.getByText("Not shown: you may not read the event of the previous change.").waitFor();
  expect(await page.content()).not.toContain("It squeaks");
});
