// What a process has revoked itself, while the notice of it is late.

import { beforeAll, expect, test } from "bun:test";
import { connect } from "../../server/db/connection.ts";
import { createRevocations } from "../../server/oauth/index.ts";
import { insertRevokedToken } from "../../server/oauth/tokens/revocations.store.ts";
import type { TenantId } from "../../server/tenant-id.ts";
import { newTenant, shared } from "../support/tenant.ts";

let tenantId: TenantId;
beforeAll(async () => {
  tenantId = (await newTenant()).tenantId as TenantId;
});

test("is refused by it from the commit on, and not before", async () => {
  const name = `deaf ${Bun.randomUUIDv7()}`;
  const sql = connect(shared().databaseUrl, name, 2);
  const { isRevoked } = createRevocations(sql);
  const [kept, gone] = [Bun.randomUUIDv7(), Bun.randomUUIDv7()];
  expect(await isRevoked(gone)).toBe(false);
  const [listener] = await sql<{ pid: number }[]>`
    select pid from pg_stat_activity where application_name = ${name} and query ilike 'listen%'`;
  process.kill(listener!.pid, "SIGSTOP");
  try {
    const undone = sql.beginFor(tenantId, async (tx) => {
      await insertRevokedToken(tx, tenantId, kept);
      throw new Error("undone");
    });
    await expect(undone).rejects.toThrow("undone");
    expect(await isRevoked(kept)).toBe(false);
    await sql.beginFor(tenantId, async (tx) => {
      expect(await insertRevokedToken(tx, tenantId, gone)).toBe(true);
      expect(await isRevoked(gone)).toBe(false);
    });
    expect(await isRevoked(gone)).toBe(true);
  } finally {
    process.kill(listener!.pid, "SIGCONT");
    await sql.end();
  }
});
