// Policies that look into events whose payload is gone.

import { expect, test } from "bun:test";
import { type Api, ok, unique } from "../world/api.ts";
import { removeRows } from "../world/rows.ts";
import { newMember, newTenant, savePolicy } from "../world/tenant.ts";

/** A tenant with events of a User, whose payloads are gone. */
async function withoutPayloads() {
  const admin = await newTenant();
  const user = await ok(admin.patch("/User", { Username: unique("gone"), Name: "one" }));
  await ok(admin.patch("/User", { Id: user.Id, Name: "two" }));
  const ids = await idsOf(admin);
  expect(ids.length).toBeGreaterThan(1);
  for (const id of ids) await removeRows("payloads", { event_id: id });
  return { admin, ids };
}

async function idsOf(api: Api): Promise<string[]> {
  const { Items } = await ok(api.get("/WebhookEvent?EventRecord=User&Limit=200"));
  return Items.map(({ EventId }: { EventId: string }) => EventId);
}

async function seenBy(api: Api, ids: string[]) {
  const [listed, one] = [await idsOf(api), await api.get(`/WebhookEvent/${ids[0]}`)];
  return { listed, status: one.status };
}

const ZZZ = 'resource has User && resource.User.Name == "zzz"';
const FORBID = "forbid (principal, action, resource is WebhookEvent)";

test("a forbid that cannot apply, whatever the payload was, hides no event", async () => {
  const { admin, ids } = await withoutPayloads();
  for (const rest of [
    'when { resource.EventRecord == "Department" && resource has User }',
    `when { (context.hour < 0 || context.hour >= 24) && ${ZZZ} }`,
    `when { context.payload && ${ZZZ} }`,
    'when { resource.EventType == "Deleted" && resource.EventRecord == "Application" && resource has User }',
    "when { resource has User && context.hour < 0 }",
    `when { if context.hour < 0 then ${ZZZ} else false }`,
    'when { resource has User } unless { resource.EventRecord == "User" }',
    'when { resource has Department && resource.Department.Name == "zzz" }',
  ]) {
    await savePolicy(admin, "Forbids", `${FORBID} ${rest};`);
    expect({ rest, ...(await seenBy(admin, ids)) }).toEqual({ rest, listed: ids, status: 200 });
  }
});

test("a forbid that depends on the missing record, or cannot be evaluated, hides the event", async () => {
  const { admin, ids } = await withoutPayloads();
  for (const rest of [
    `when { ${ZZZ} }`,
    `when { context.hour >= 0 && ${ZZZ} }`,
    `when { resource.EventRecord == "Department" || (${ZZZ}) }`,
    `when { resource.EventRecord == "User" } unless { resource has User && resource.User.Name == "two" }`,
    `when { if context.hour >= 0 then ${ZZZ} else false }`,
    `when { !(${ZZZ}) }`,
    `when { resource has User && resource.after has User && resource.after.User.Name == "zzz" }`,
    // The name is read first, and reading it could fail.
    `when { ${ZZZ} && context.hour < 0 }`,
    "when { resource has User }",
  ]) {
    await savePolicy(admin, "Forbids", `${FORBID} ${rest};`);
    expect({ rest, ...(await seenBy(admin, ids)) }).toEqual({ rest, listed: [], status: 404 });
  }
});

test("a permit that applies, whatever the payload was, shows the event; others do not", async () => {
  const { admin, ids } = await withoutPayloads();
  const reader = await newMember(admin);
  const permit = `permit (principal == Client::"${reader.clientId}", action, resource is WebhookEvent)`;
  await savePolicy(admin, "Permits", `${permit} when { resource.EventRecord == "User" || (${ZZZ}) };`);
  expect(await seenBy(reader, ids)).toEqual({ listed: ids, status: 200 });
  await savePolicy(admin, "Permits", `${permit} when { resource.EventRecord == "Department" || (${ZZZ}) };`);
  expect(await seenBy(reader, ids)).toMatchObject({ listed: [] });
});
