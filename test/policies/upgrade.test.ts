// Databases from before policies, and from before the role ops, migrated.

import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createAccess } from "../../server/access/index.ts";
import { recordAudit } from "../../server/audit/index.ts";
import { PROJECT_ROOT } from "../../server/config.ts";
import { connect, type Sql } from "../../server/db/connection.ts";
import { migrate } from "../../server/db/migrate.ts";
import { createFindRecords, ENTITIES, resourceTypes } from "../../server/entities/index.ts";
import { createLog } from "../../server/log.ts";
import { importMasterKey } from "../../server/master-key.ts";
import { scopesNow } from "../../server/oauth/index.ts";
import type { TenantId } from "../../server/tenant-id.ts";
import { createTenant } from "../../server/tenants/index.ts";
import { db } from "../entities/client.ts";
import { shared } from "../support/tenant.ts";

const MIGRATIONS = join(PROJECT_ROOT, "server/db/migrations");

/** A database that stands as it did before the migration of this number; it is gone afterwards. */
async function before(number: string, story: (sql: Sql, migrateNow: () => Promise<string[]>) => Promise<void>) {
  const name = `upgrade_${Bun.randomUUIDv7().replaceAll("-", "")}`;
  await db()`create database ${db()(name)}`;
  const url = new URL(shared().databaseUrl);
  url.pathname = `/${name}`;
  const sql = connect(url.href, "gatehouse test", 2);
  try {
    await sql`create table migrations (name text primary key, applied_on timestamptz not null default now())`;
    for (const file of readdirSync(MIGRATIONS).sort()) {
      if (file >= number) break;
      await sql.unsafe(readFileSync(join(MIGRATIONS, file), "utf8"));
      await sql`insert into migrations (name) values (${file})`;
    }
    await story(sql, () => migrate(url.href));
  } finally {
    await sql.end();
    await db()`drop database ${db()(name)}`;
  }
}

test("clients and an admin may do what they could before policies", () =>
  before("006", async (sql, migrateNow) => {
    const tenantId = Bun.randomUUIDv7() as TenantId;
    await sql`insert into tenants (id, name) values (${tenantId}, 'old')`;
    const [admin] = await sql<{ id: number }[]>`
      insert into users (tenant_id, username, is_active) values (${tenantId}, 'admin', true) returning id`;
    const [user] = await sql<{ id: number }[]>`
      insert into users (tenant_id, username, is_active) values (${tenantId}, 'ada', true) returning id`;
    const [client] = await sql<{ id: number }[]>`
      insert into applications (tenant_id, name, is_active) values (${tenantId}, 'client', true) returning id`;
    await sql`insert into credentials (application_id) values (${client!.id})`;

    expect(await migrateNow()).toContain("006-policies.sql");
    const access = createAccess({
      sql,
      masterKey: importMasterKey(Buffer.alloc(32, 7).toString("base64")),
      log: createLog("silent", "test"),
      resourceTypes: resourceTypes(ENTITIES),
      findScopes: scopesNow,
      findRecords: createFindRecords(ENTITIES),
    });
    const mayUpdate = async (type: "User" | "Application", id: number) => {
      const call = { tenantId, clientId: "", scopes: new Set(""), requestKey: "", address: "::1", time: new Date() };
      const { permissions } = await access.admit({ ...call, actor: { type, id } });
      return permissions.allows("Settings:Update", "Policy", {});
    };
    expect(await mayUpdate("Application", client!.id)).toBe(true);
    expect(await mayUpdate("User", admin!.id)).toBe(true);
    expect(await mayUpdate("User", user!.id)).toBe(false);
  }));

test("tenants from before the role ops get it, and what somebody has deleted stays so", () =>
  before("020", async (sql, migrateNow) => {
    const tenant = async (name: string) => (await createTenant(sql, name)).tenantId;
    const [fresh, old, deleted] = [await tenant("fresh"), await tenant("old"), await tenant("deleted")];
    for (const tenantId of [old, deleted]) {
      await sql`delete from roles where tenant_id = ${tenantId} and name = 'ops'`;
      await sql`delete from policies where tenant_id = ${tenantId} and name = 'Operators'`;
    }
    const origin = { address: "", userAgent: "", requestKey: "" };
    await recordAudit(sql, deleted, origin, { kind: "Role.Deleted" });

    await migrateNow();
    const ops = (tenantId: TenantId) => sql`
      select r.description, r.scopes, p.description as about, p.policy from roles r
      join policies p on p.tenant_id = r.tenant_id and p.name = 'Operators'
      where r.tenant_id = ${tenantId} and r.name = 'ops'`;
    expect([...(await ops(old))]).toEqual([...(await ops(fresh))]);
    expect(await ops(old)).toHaveLength(1);
    expect(await ops(deleted)).toHaveLength(0);
  }));
