// `bun run tenant recover NAME`: restores access for a tenant whose administrators are locked out.

import { expect, test } from "bun:test";
import { logOf } from "../audit/log.ts";
import { db } from "../entities/client.ts";
import { ok } from "../policies/people.ts";
import { runEntry } from "../start/entry.ts";
import type { Api } from "../support/api.ts";
import { clientOf, newTenant, setting } from "../support/tenant.ts";

const recover = (name: string) =>
  runEntry("tenant", { DATA_DIR: setting("GATEHOUSE_TEST_DATA_DIR") }, ["recover", name]);

const FORBID = "forbid (principal, action, resource);\n";

async function statusOf(caller: Api): Promise<number> {
  return (await caller.patch("/Policy", { Name: "Own", Policy: "permit (principal, action, resource);" })).status;
}

test("a locked-out administrator regains access by the command, which names the causes", async () => {
  const { tenant } = await newTenant();
  const caller = await clientOf(tenant);
  const { Items: roles } = await ok(caller.get("/Role?Name=admin"));
  // No request can do this, but a policy with an hour or a network can.
  await db()`
    update policies set policy = ${FORBID} where tenant_id = ${tenant.tenantId} and name = 'Auditors'`;
  await db()`delete from policies where tenant_id = ${tenant.tenantId} and name = 'Administrators'`;
  await db()`delete from roles where id = ${roles[0].Id}`;
  await db()`update applications set is_active = false where id = ${tenant.client.clientId}`;

  const { exitCode, printed } = await recover(tenant.tenantId);
  expect(exitCode).toBe(0);
  const { client, deletedPolicies, tenantId } = JSON.parse(printed);
  expect(tenantId).toBe(tenant.tenantId);
  expect(deletedPolicies).toMatchObject([{ Name: "Auditors", Policy: FORBID }]);

  const admin = await clientOf({ ...tenant, client });
  expect(await statusOf(admin)).toBe(200);
  await ok(admin.patch("/Application", { Id: tenant.client.clientId, Is_Active: true }));
  const { Items } = await ok(admin.get("/Policy?Limit=200"));
  expect(Items.map(({ Name }: { Name: string }) => Name).sort()).toEqual(
    ["Administrators", "Editors", "Operators", "Own", "Payloads", "System applications"].sort(),
  );
  expect(await logOf(admin, "Kind=Access.Recovered")).toMatchObject([
    { Actor: null, Subject: { Type: "Application", Id: client.clientId }, Details: { DeletedPolicies: ["Auditors"] } },
  ]);
  const events = await ok(admin.get("/WebhookEvent?EventRecord=Application&EventType=Created"));
  expect(events.Items).toHaveLength(1);
});

test("an unknown tenant is reported", async () => {
  const { exitCode, output } = await recover("Nobody");
  expect([exitCode, output.trim()]).toEqual([1, 'There is no tenant named "Nobody".']);
});
