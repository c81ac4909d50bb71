// Revocations by this process before their notification arrives.

import { expect, test } from "bun:test";
import { updateFamiliesRevoked } from "../../server/identity/oauth/tokens/families.store.ts";
import { insertRevokedToken } from "../../server/identity/oauth/tokens/revocations.store.ts";
import { createRevocations } from "../../server/identity/oauth/tokens/revoke.ts";
import { connect, type Transaction } from "../../server/platform/db/sql.ts";
import type { TenantId } from "../../server/platform/ids.ts";
import { newClient } from "../world/client.ts";
import { rowsOf } from "../world/rows.ts";
import { newTenant, shared } from "../world/tenant.ts";
import { Visitor } from "../world/visitor.ts";

/** A valid grant, and its revocation. */
interface Live {
  id: string;
  tenantId: TenantId;
  /** @returns whether it was valid */
  revoke(tx: Transaction): Promise<boolean>;
}

async function token(): Promise<Live> {
  const id = Bun.randomUUIDv7();
  const { tenantId } = (await newTenant()).tenant;
  return { id, tenantId, revoke: (tx) => insertRevokedToken(tx, tenantId, id) };
}

async function family(): Promise<Live> {
  const client = await newClient();
  const { tenantId } = client.tenant;
  expect((await client.token(await client.code(new Visitor()))).status).toBe(200);
  const [row] = await rowsOf<{ id: string }>("refresh_families", { tenant_id: tenantId });
  const { id } = row!;
  return { id, tenantId, revoke: async (tx) => (await updateFamiliesRevoked(tx, tenantId, { familyId: id })) === 1 };
}

test.each([
  ["a token", token],
  ["all tokens of a grant", family],
])("%s is rejected by it from the commit on, and not before", async (_, newLive) => {
  const { id, tenantId, revoke } = await newLive();
  const name = `deaf ${Bun.randomUUIDv7()}`;
  const sql = connect(shared().databaseUrl, name, 2);
  const { isRevoked } = createRevocations(sql);
  expect(await isRevoked(id)).toBe(false);
  const sessions = await rowsOf<{ pid: number; query: string }>("pg_stat_activity", { application_name: name }, sql);
  const listener = sessions.find(({ query }) => /^listen/i.test(query));
  process.kill(listener!.pid, "SIGSTOP");
  try {
    const undone = sql.beginFor(tenantId, async (tx) => {
      expect(await revoke(tx)).toBe(true);
      throw new Error("undone");
    });
    await expect(undone).rejects.toThrow("undone");
    expect(await isRevoked(id)).toBe(false);
    await sql.beginFor(tenantId, async (tx) => {
      expect(await revoke(tx)).toBe(true);
      expect(await isRevoked(id)).toBe(false);
    });
    expect(await isRevoked(id)).toBe(true);
  } finally {
    process.kill(listener!.pid, "SIGCONT");
    await sql.end();
  }
});
