// Issued access tokens are counted by the hour, and no request waits for the count.

import { describe, expect, test } from "bun:test";
import { removeOldIssued } from "../../server/identity/oauth/tokens/issued.store.ts";
import { createIssuedTokens } from "../../server/identity/oauth/tokens/issued.ts";
import { createTenant } from "../../server/identity/tenants/index.ts";
import type { TenantId } from "../../server/platform/ids.ts";
import { createLog } from "../../server/platform/log.ts";
import { newKeyDatabase } from "../support/key-database.ts";
import { TOKEN_PATH, until } from "../world/api.ts";
import { RFC_TOKEN_PATH } from "../world/client.ts";
import { clientGrant, postAs, refresh } from "../world/grants.ts";
import { plantIssued } from "../world/planted.ts";
import { renameTable } from "../world/postgresql.ts";
import { countOf, rowsOf } from "../world/rows.ts";
import { db, newTenant } from "../world/tenant.ts";

type Counts = Record<string, number>;

async function counted(tenantId: string): Promise<Counts> {
  const counts: Counts = {};
  for (const { grant_type, count } of await rowsOf("issued_tokens", { tenant_id: tenantId })) {
    counts[grant_type] = (counts[grant_type] ?? 0) + count;
  }
  return counts;
}

test("each access token counts for its tenant and grant, at both doors; errors do not count", async () => {
  const client = await newTenant();
  // One was issued to the test's own client.
  const { refresh: token } = await clientGrant(client);
  const again = await refresh(client, TOKEN_PATH, token);
  expect((await refresh(client, RFC_TOKEN_PATH, again.body.refresh_token)).status).toBe(200);
  expect((await postAs(client, RFC_TOKEN_PATH, { grant_type: "client_credentials" })).status).toBe(200);
  for (const grant_type of ["client_credentials", "refresh_token", "magic"]) {
    expect((await postAs(client, RFC_TOKEN_PATH, { grant_type, scope: "nobody:has" })).status).toBe(400);
  }
  const expected = { client_credentials: 3, refresh_token: 2 };
  const found = await until("all of them to be written", async () => {
    const counts = await counted(client.tenantId);
    return Bun.deepEquals(counts, expected) && counts;
  });
  expect(found).toEqual(expected);
});

describe("several processes", () => {
  const log = createLog("silent", "api");

  test("count together, write the rest when they stop, and a deleted tenant does not affect others' counts", async () => {
    const { tenantId } = await newTenant();
    const own = tenantId as TenantId;
    const processes = [1, 2, 3, 4].map(() => createIssuedTokens(db(), log));
    for (const one of processes) {
      for (let tokens = 0; tokens < 250; tokens++) one.count(own, "device_code");
      one.count(Bun.randomUUIDv7() as TenantId, "device_code");
    }
    await Promise.all(processes.map((one) => one.stop()));
    expect((await counted(tenantId)).device_code).toBe(1_000);
  });

  test("lose nothing while PostgreSQL is unavailable, and write later", async () => {
    const { tenantId } = await newTenant();
    await using database = await newKeyDatabase();
    const away = await createTenant(database.sql, "away");
    const process = createIssuedTokens(database.sql, log);
    await renameTable("issued_tokens", "taken_away", database.sql);
    process.count(away.tenantId, "client_credentials");
    await process.stop();
    process.count(away.tenantId, "client_credentials");
    await renameTable("taken_away", "issued_tokens", database.sql);
    await process.stop();
    const rows = await rowsOf("issued_tokens", { tenant_id: away.tenantId }, database.sql);
    expect(rows).toMatchObject([{ count: 2 }]);
    expect((await counted(tenantId)).device_code).toBeUndefined();
  });

  test("rows older than seven days are deleted", async () => {
    await using database = await newKeyDatabase();
    const { sql } = database;
    const { tenantId } = await createTenant(sql, "old");
    const issued = [0, 167, 169, 500].map((hoursAgo) => ({ hoursAgo, grant: "refresh_token", count: 1 }));
    await plantIssued({ tenantId }, issued, sql);
    expect(await removeOldIssued(sql)).toBe(2);
    expect(await countOf("issued_tokens", {}, sql)).toBe(2);
  });
});
