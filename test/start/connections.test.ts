import { expect, test } from "bun:test";
import { connectionsOfApi, connectionsOfWorker, workerPools } from "../../server/platform/db/capacity.ts";
import { connect } from "../../server/platform/db/sql.ts";
import { besides, startProcess } from "../support/process.ts";
import { startStack } from "../support/stack.ts";
import { until } from "../world/api.ts";
import { connected } from "../world/receiver.ts";
import { rowsOf } from "../world/rows.ts";
import { newTenant } from "../world/tenant.ts";

const API = ["gatehouse api"];
const WORKER = ["gatehouse worker", "gatehouse outbox", "gatehouse maintenance", "gatehouse worker ready"];

test("an API and a worker under load use the documented connections", async () => {
  await using stack = await startStack({ env: { DATABASE_POOL_API: "6", DATABASE_POOL_WORKER: "8" } });
  const sql = connect(stack.databaseUrl, "gatehouse test", 1);
  await using _ = { [Symbol.asyncDispose]: () => sql.end() };
  const api = await newTenant(stack);
  await using receiver = await connected(api, 200);
  const max: Record<string, number> = {};
  const sum = (names: string[]) => names.reduce((whole, name) => whole + (max[name] ?? 0), 0);
  let sent = 0;
  await until("an API that uses its whole pool", async () => {
    const changes = Array.from({ length: 20 }, () => api.change({ Name: `Gate ${++sent}` }));
    const sessions = await rowsOf("pg_stat_activity", { datname: sql`current_database()` }, sql);
    for (const [name, all] of Map.groupBy(sessions, (session) => session.application_name as string)) {
      max[name] = Math.max(max[name] ?? 0, all.length);
    }
    await Promise.all(changes);
    return sent >= 160 && sum(API) >= 6;
  });
  await until("all to arrive", () => receiver.calls.length >= sent);
  expect(sum(API)).toBeLessThanOrEqual(connectionsOfApi(6));
  expect(max["gatehouse outbox"]).toBeLessThanOrEqual(workerPools(8).outbox + 1);
  expect(sum(WORKER)).toBeLessThanOrEqual(connectionsOfWorker(8));
});

test("a process that may need more connections than PostgreSQL has free says so at its start", async () => {
  await using stack = await startStack();
  const pools = { DATABASE_POOL_API: "500", DATABASE_POOL_WORKER: "600" };
  for (const [entry, variable, needed] of [
    ["server/serve.ts", "DATABASE_POOL_API", 501],
    ["activities/worker.ts", "DATABASE_POOL_WORKER", 604],
  ] as const) {
    await using process = startProcess(entry, { ...besides(stack), ...pools, PORT: "0" });
    const line = await process.said((message) => message.includes(`may need ${needed} connections`));
    expect(line).toMatchObject({ level: 40, needed, max: expect.any(Number), free: expect.any(Number) });
    expect(line.msg).toEndWith(`raise its max_connections, or lower ${variable}`);
    await process.said((message) => message.endsWith(" ready"));
  }
  expect(await Bun.file(stack.logFile).text()).not.toContain("may need");
});
