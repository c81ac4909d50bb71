// A database from before policies, migrated.

import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createAccess } from "../../server/access/index.ts";
import { PROJECT_ROOT } from "../../server/config.ts";
import { connect } from "../../server/db/connection.ts";
import { migrate } from "../../server/db/migrate.ts";
import { createFindRecord, ENTITIES, resourceTypes } from "../../server/entities/index.ts";
import { createLog } from "../../server/log.ts";
import type { TenantId } from "../../server/tenants/index.ts";
import { db } from "../entities/client.ts";
import { shared } from "../support/tenant.ts";

const MIGRATIONS = join(PROJECT_ROOT, "server/db/migrations");

test("its clients and its admin may do what they could before", async () => {
  const name = `upgrade_${Bun.randomUUIDv7().replaceAll("-", "")}`;
  await db()`create database ${db()(name)}`;
  const url = new URL(shared().databaseUrl);
  url.pathname = `/${name}`;
  const sql = connect(url.href, "gatehouse test", 2);
  try {
    await sql`create table migrations (name text primary key, applied_on timestamptz not null default now())`;
    for (const file of readdirSync(MIGRATIONS).sort()) {
      if (file >= "006") break;
      await sql.unsafe(readFileSync(join(MIGRATIONS, file), "utf8"));
      await sql`insert into migrations (name) values (${file})`;
    }
    const tenantId = Bun.randomUUIDv7() as TenantId;
    await sql`insert into tenants (id, name) values (${tenantId}, 'old')`;
    const [admin] = await sql<{ id: number }[]>`
      insert into users (tenant_id, username, is_active) values (${tenantId}, 'admin', true) returning id`;
    const [user] = await sql<{ id: number }[]>`
      insert into users (tenant_id, username, is_active) values (${tenantId}, 'ada', true) returning id`;
    const [client] = await sql<{ id: number }[]>`
      insert into applications (tenant_id, name, is_active) values (${tenantId}, 'client', true) returning id`;
    await sql`insert into credentials (application_id) values (${client!.id})`;

    expect(await migrate(url.href)).toContain("006-policies.sql");
    const access = createAccess({
      sql,
      log: createLog("silent", "test"),
      resourceTypes: resourceTypes(ENTITIES),
      findRecord: createFindRecord(ENTITIES),
    });
    const mayUpdate = async (type: "User" | "Application", id: number) => {
      const call = { tenantId, clientId: "", scopes: new Set(""), requestKey: "", address: "::1", time: new Date() };
      const permissions = await access.permissionsOf({ ...call, actor: { type, id } });
      return permissions.allows("Settings:Update", "Policy", {});
    };
    expect(await mayUpdate("Application", client!.id)).toBe(true);
    expect(await mayUpdate("User", admin!.id)).toBe(true);
    expect(await mayUpdate("User", user!.id)).toBe(false);
  } finally {
    await sql.end();
    await db()`drop database ${db()(name)}`;
  }
});
