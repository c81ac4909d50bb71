// Comparing a policy's effect on calls: limits and results, over the same database, without pages.

import { afterAll, expect, test } from "bun:test";
import { scopesNow } from "../../server/identity/oauth/tokens/live-scopes.ts";
import { SETTINGS } from "../../server/identity/settings.ts";
import { policyTypes } from "../../server/kinds.ts";
import { connect } from "../../server/platform/db/sql.ts";
import { Conflict } from "../../server/platform/errors.ts";
import type { TenantId } from "../../server/platform/ids.ts";
import { createLog } from "../../server/platform/log.ts";
import { createVault } from "../../server/platform/vault.ts";
import { createAccess } from "../../server/records/access/access.ts";
import type { Caller, Permitted } from "../../server/records/access/bearer.ts";
import type { Case } from "../../server/records/access/policies/evaluate.ts";
import { createRenameRole } from "../../server/records/access/policies/rename.ts";
import { POLICIES } from "../../server/records/access/policies/routes.ts";
import { SCOPES } from "../../server/records/access/scopes.ts";
import { recordAudit } from "../../server/records/audit/write.ts";
import { createFindRecords } from "../../server/records/entities/record.ts";
import { ENTITIES } from "../../server/records/entities/registry.ts";
import { type Api, ok, unique } from "../world/api.ts";
import { newMember, newTenant, roleOf, savePolicy, shared } from "../world/tenant.ts";

const sql = connect(shared().databaseUrl, "gatehouse test", 4);
afterAll(() => sql.end());

const access = createAccess({
  sql,
  vault: createVault(Buffer.alloc(32, 7).toString("base64")),
  log: createLog("silent", "test"),
  resourceTypes: policyTypes(ENTITIES, SETTINGS),
  recordTypes: ENTITIES.map(({ name }) => name),
  findScopes: scopesNow,
});
for (const { name } of ENTITIES) access.addRecords(name, createFindRecords(ENTITIES));
const { service: policies } = POLICIES.create({
  ...{ sql, access, recordChange: recordAudit },
  renameRole: createRenameRole({ access, recordChange: recordAudit }),
});

const NO_CLIENTS = { Name: "No clients", Policy: "forbid (principal is Client, action, resource);" };

async function callerOf(admin: Api, clientId = admin.clientId) {
  const call = {
    tenantId: admin.tenantId as TenantId,
    clientId,
    actor: { type: "Application" as const, id: Number(clientId) },
    scopes: new Set(SCOPES),
    requestKey: "test",
    address: "127.0.0.1",
    time: new Date(),
  };
  const caller: Caller = {
    ...call,
    ...(await access.admit(call)),
    userAgent: "",
    traceParent: undefined,
    again: async () => caller,
  };
  return caller as Permitted<"Settings:Read" | "AccessManager:Read">;
}

/** Cases of the administrator on its own record. */
function casesOf({ clientId }: Api): Case[] {
  const principal = { type: "Application" as const, id: Number(clientId) };
  return [{ principal, action: "AccessManager:Read", type: "Application", id: clientId }];
}

test.concurrent("a comparison runs in the tenant's queue, like its lists", async () => {
  const [admin, other] = await Promise.all([newTenant(), newTenant()]);
  const list = Promise.withResolvers<void>();
  const listed = access.inTurn(admin.tenantId as TenantId, () => list.promise);
  const compare = async (by: Api) => policies.compare(await callerOf(by), NO_CLIENTS, casesOf(by));
  let isCompared = false;
  const compared = compare(admin).finally(() => {
    isCompared = true;
  });
  // Other comparisons take no longer.
  for (let count = 0; count < 5; count++) expect(await compare(other)).toMatchObject({ checked: 1 });
  expect(isCompared).toBe(false);
  list.resolve();
  expect(await compared).toMatchObject({ checked: 1, changes: [{ after: { DecidedBy: ["No clients"] } }] });
  await listed;
});

test.concurrent("a caller who may not read all Credentials learns nothing of clients' scopes", async () => {
  const admin = await newTenant();
  const { clientId } = await newMember(admin, "admin");
  const compare = async () => policies.compare(await callerOf(admin, clientId), NO_CLIENTS, casesOf(admin));
  expect(await compare()).toMatchObject({ checked: 1, changes: [{}] });
  const credentials = (condition: string) =>
    `forbid (principal == Client::"${clientId}", action, resource is Credentials) when { ${condition} };`;
  for (const condition of ['resource.Id == "1"', "true"]) {
    await savePolicy(admin, "Hidden", credentials(condition));
    access.forget(admin.tenantId as TenantId);
    expect(await compare()).toEqual({ checked: 0, changes: [] });
  }
});

test.concurrent("a text that exceeds the limit with the other policies is not compared", async () => {
  const admin = await newTenant();
  const pattern = (length: number) =>
    `permit (principal == Client::"0", action, resource is Application)
     when { resource.Description like "Sales *${"x".repeat(length)}" };`;
  await savePolicy(admin, "half", pattern(300));
  const tried = { Name: "other half", Policy: pattern(400) };
  const compared = policies.compare(await callerOf(admin), tried, casesOf(admin));
  await expect(compared).rejects.toThrow(Conflict);
});

test.concurrent("a deactivated user's calls are not compared, because its tokens are invalid", async () => {
  const admin = await newTenant();
  const [active, inactive] = await Promise.all(
    [true, false].map((Is_Active) => admin.made("User", { Username: unique("user"), Is_Active })),
  );
  const { Members } = await roleOf(admin, "editor");
  const users = [active, inactive].map(({ Id }) => ({ Type: "User", Id }));
  await ok(admin.patch("/Role", { Name: "editor", Members: [...Members, ...users] }));
  const forbid = { Name: "No users", Policy: "forbid (principal is User, action, resource);" };
  const cases = [active, inactive].map(({ Id }): Case => {
    const principal = { type: "User" as const, id: Number(Id) };
    return { principal, action: "AccessManager:Read", type: "Application", id: admin.clientId };
  });
  const compared = await policies.compare(await callerOf(admin), forbid, cases);
  expect(compared).toMatchObject({ checked: 1, changes: [{ principal: { id: Number(active.Id) } }] });
});
