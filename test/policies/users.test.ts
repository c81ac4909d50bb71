// Users as principals, and new kinds of records; over the same database, without tokens.

import { afterAll, expect, test } from "bun:test";
import { scopesNow } from "../../server/identity/oauth/tokens/live-scopes.ts";
import { connect } from "../../server/platform/db/sql.ts";
import type { TenantId } from "../../server/platform/ids.ts";
import { createLog } from "../../server/platform/log.ts";
import { createVault } from "../../server/platform/vault.ts";
import { createAccess } from "../../server/records/access/access.ts";
import { createFindRecords, resourceTypes } from "../../server/records/entities/record.ts";
import { createRegistry, ENTITIES } from "../../server/records/entities/registry.ts";
import { id, reference, whole } from "../../server/records/fields.ts";
import { record } from "../../server/records/index.ts";
import { ok, unique } from "../world/api.ts";
import { newTenant, savePolicy, shared } from "../world/tenant.ts";

const sql = connect(shared().databaseUrl, "gatehouse test", 2);
afterAll(() => sql.end());

function access(entities = ENTITIES) {
  const made = createAccess({
    sql,
    vault: createVault(Buffer.alloc(32, 7).toString("base64")),
    log: createLog("silent", "test"),
    resourceTypes: resourceTypes(entities),
    recordTypes: [],
    findScopes: scopesNow,
  });
  for (const { name } of entities) made.addRecords(name, createFindRecords(entities));
  return made;
}

test.concurrent("a user may read itself and the members of its department", async () => {
  const admin = await newTenant();
  const sales = await ok(admin.patch("/Department", { Name: "Sales" }));
  const user = (Department: unknown) =>
    ok(admin.patch("/User", { Username: unique("user"), Is_Active: true, Department }));
  const [self, colleague, stranger] = [await user({ Id: sales.Id }), await user({ Id: sales.Id }), await user(null)];
  await savePolicy(
    admin,
    "Colleagues",
    `permit (principal is User, action == Action::"AccessManager:Read", resource is User)
     when { principal has Department && resource has Department && principal.Department.Id == resource.Department.Id };
     permit (principal is User, action == Action::"AccessManager:Read", resource is User)
     when { principal == resource };`,
  );
  const readers = access();
  const readable = async (reader: { Id: number }, record: Record<string, unknown>) => {
    const { permissions } = await readers.admit({
      tenantId: admin.tenantId as TenantId,
      clientId: admin.clientId,
      actor: { type: "User", id: reader.Id },
      scopes: new Set(["AccessManager:Read"]),
      requestKey: "test",
      address: "127.0.0.1",
      time: new Date(),
    });
    return permissions.allows("AccessManager:Read", "User", record);
  };
  expect(await readable(self, self)).toBe(true);
  expect(await readable(self, colleague)).toBe(true);
  expect(await readable(self, stranger)).toBe(false);
  expect(await readable(stranger, stranger)).toBe(true);
  expect(await readable(stranger, self)).toBe(false);
});

test.concurrent("policies need only an entity's definition", async () => {
  const project = record("Project", {
    description: "Work with an end.",
    table: "projects",
    fields: {
      Id: id("int64", { description: "Its identifier." }),
      Budget: whole("int64", { description: "In euros." }),
      Owner: reference("User", { description: "Who answers for it." }),
    },
    identifiers: [],
  });
  const policy = `permit (principal is User, action == Action::"AccessManager:Update", resource is Project)
    when { resource.after.Budget < 1000 && resource has Owner && resource.Owner.Id == principal.Id };`;
  const tenantId = Bun.randomUUIDv7() as TenantId;
  expect(await access(createRegistry([...ENTITIES, project])).checkPolicy(tenantId, policy)).toEqual([]);
  expect(await access().checkPolicy(tenantId, policy)).toContainEqual(
    expect.objectContaining({ message: expect.stringContaining("unrecognized entity type `Project`") }),
  );
});
