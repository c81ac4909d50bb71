// `bun run tenant recover NAME`: restores access for a tenant whose administrators are locked out.

import { expect, test } from "bun:test";
import { runEntry } from "../support/entry.ts";
import { type Api, ok } from "../world/api.ts";
import { logOf } from "../world/audit.ts";
import { removeRows, setRows } from "../world/rows.ts";
import { clientOf, newTenant, setting } from "../world/tenant.ts";

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
  await setRows("policies", { tenant_id: tenant.tenantId, name: "Auditors" }, { policy: FORBID });
  await removeRows("policies", { tenant_id: tenant.tenantId, name: "Administrators" });
  await removeRows("roles", { id: roles[0].Id });
  await setRows("applications", { id: tenant.client.clientId }, { is_active: false });

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

test("an edited policy Administrators is replaced, and reported with its text", async () => {
  const { tenant } = await newTenant();
  const edited = 'permit (principal in Role::"nobody", action, resource);\n';
  await setRows("policies", { tenant_id: tenant.tenantId, name: "Administrators" }, { policy: edited });
  const { exitCode, printed } = await recover(tenant.tenantId);
  expect(exitCode).toBe(0);
  const { client, deletedPolicies } = JSON.parse(printed);
  expect(deletedPolicies).toMatchObject([{ Name: "Administrators", Policy: edited }]);
  const admin = await clientOf({ ...tenant, client });
  expect(await statusOf(admin)).toBe(200);
  // A second one finds nothing to replace.
  expect(JSON.parse((await recover(tenant.tenantId)).printed).deletedPolicies).toEqual([]);
});

test("the role admin is then one of its listed members only", async () => {
  const { tenant } = await newTenant();
  const caller = await clientOf(tenant);
  await ok(caller.patch("/Role", { Name: "admin", Scopes: [], AllUsers: true }));
  const { exitCode, printed } = await recover(tenant.tenantId);
  expect(exitCode).toBe(0);
  const admin = await clientOf({ ...tenant, client: JSON.parse(printed).client });
  const [role] = (await ok(admin.get("/Role?Name=admin"))).Items;
  expect([role.AllUsers, role.Members.length]).toEqual([false, 3]);
});

test("an unknown tenant is reported", async () => {
  const { exitCode, output } = await recover("Nobody");
  expect([exitCode, output.trim()]).toEqual([
    1,
    'There is no tenant with the name or Id "Nobody". Names are case-sensitive.',
  ]);
});
