import { expect, test } from "bun:test";
import { connect } from "../../server/platform/db/sql.ts";
import { runEntry } from "../support/entry.ts";
import { startRelay } from "../support/relay.ts";
import { startTransactionPooler } from "../support/transaction-pooler.ts";
import { setting, shared } from "../world/tenant.ts";

test.each(["server", "worker", "migrate", "tenant"] as const)(
  "`bun run %s` rejects a pooler that shares sessions between transactions",
  async (entry) => {
    await using pooler = await startTransactionPooler(shared().databaseUrl);
    const env = { DATABASE_URL: pooler.databaseUrl, MASTER_KEY: setting("GATEHOUSE_TEST_MASTER_KEY"), PORT: "0" };
    const { exitCode, output } = await runEntry(entry, env, entry === "tenant" ? ["create", "acme"] : []);
    expect(exitCode).toBe(1);
    expect(output.trim()).toMatch(
      /^PostgreSQL at \S+ cannot be used: a pooler shares its sessions .* use pool_mode=session, or PostgreSQL's own address\.$/,
    );
  },
);

test("such a pooler answers statements, so nothing else would detect it", async () => {
  await using pooler = await startTransactionPooler(shared().databaseUrl);
  const sql = connect(pooler.databaseUrl, "gatehouse test", 1);
  expect(await sql.unsafe("select 1 as one")).toMatchObject([{ one: 1 }]);
  await sql.end({ timeout: 1 });
});

test("a pooler with a session per client is accepted, at any latency", async () => {
  await using relay = await startRelay(shared().databaseUrl);
  const env = { DATABASE_URL: relay.databaseUrl, MASTER_KEY: setting("GATEHOUSE_TEST_MASTER_KEY") };
  const { exitCode, output } = await runEntry("migrate", env);
  expect([exitCode, output.trim()]).toEqual([0, "The database is up to date."]);
});
