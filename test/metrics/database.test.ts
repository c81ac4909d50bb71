import { expect, test } from "bun:test";
import { Registry } from "prom-client";
import { measureBacklog } from "../../server/data/backlog.ts";
import { connect } from "../../server/platform/db/sql.ts";
import { createLog } from "../../server/platform/log.ts";
import { createWorkerMetrics, measureDatabase } from "../../server/platform/metrics/index.ts";
import { until } from "../world/api.ts";
import { notify, ping, sleep } from "../world/postgresql.ts";
import { shared } from "../world/tenant.ts";

const log = createLog("silent", "test");

test("waits for a connection of a full pool are counted, and its use is measured", async () => {
  const { sql, read } = measured({ wait_timeout: 0.2 });
  try {
    expect(await read()).toMatchObject({ max: 1, Active: 0, waiting: 0, waits: 0 });
    const running = sleep(sql, 1).execute();
    await until("the statement to run", async () => (await read()).Active === 1);
    const late = ping(sql).catch((error) => error.code);
    expect(await read()).toMatchObject({ Active: 1, Idle: 0, waiting: 1 });
    expect(await late).toBe("CONNECT_TIMEOUT");
    expect(await read()).toMatchObject({ waiting: 0, waits: 1 });
    await running;
    expect(await read()).toMatchObject({ Active: 0, Idle: 1, waits: 1 });
    expect((await read()).seconds).toBeWithin(0.19, 1);
  } finally {
    await sql.end({ timeout: 1 });
  }
});

test("notifications are counted by their channel", async () => {
  const { sql, registry } = measured({});
  const heard = Promise.withResolvers<string>();
  try {
    await sql.listen("test_notices", heard.resolve);
    await notify("others", "no", sql);
    await notify("test_notices", "hello", sql);
    expect(await heard.promise).toBe("hello");
    const metric = await registry.getSingleMetric("gatehouse_postgresql_notifications_total")!.get();
    expect(metric.values).toMatchObject([{ labels: { channel: "test_notices" }, value: 1 }]);
  } finally {
    await sql.end({ timeout: 1 });
  }
});

function measured(patience: { wait_timeout?: number }) {
  const registry = new Registry();
  const sql = connect(shared().databaseUrl, "gatehouse test", 1, patience);
  measureDatabase(registry, log)("one", sql);
  const valuesOf = async (name: string) =>
    (await registry.getSingleMetric(`gatehouse_postgresql_${name}`)!.get()).values as {
      value: number;
      labels: Record<string, string>;
      metricName?: string;
    }[];
  const read = async () => {
    const states = await valuesOf("connections");
    const waits = await valuesOf("wait_duration_seconds");
    const ofWaits = (suffix: string) => waits.find(({ metricName }) => metricName?.endsWith(suffix))!.value;
    const inState = (state: string) => states.find(({ labels }) => labels.state === state)!.value;
    return {
      Active: inState("Active"),
      Idle: inState("Idle"),
      max: (await valuesOf("connections_max"))[0]!.value,
      waiting: (await valuesOf("waiting"))[0]!.value,
      waits: ofWaits("_count"),
      seconds: ofWaits("_sum"),
    };
  };
  return { sql, registry, read };
}

test("a scrape that PostgreSQL does not answer is logged once", async () => {
  const lines: Record<string, unknown>[] = [];
  const told = createLog("info", "test", { write: (line: string) => void lines.push(JSON.parse(line)) });
  const sql = connect("postgres://127.0.0.1:1/none", "gatehouse test", 1, { connect_timeout: 1 });
  try {
    const { registry } = createWorkerMetrics();
    measureBacklog(sql, registry, { log: 1, payloads: 1, audit: 1 }, told);
    for (const _ of ["a scrape", "another one"]) {
      expect(await registry.metrics()).toContain("gatehouse_postgresql_up 0");
    }
    expect(lines.map(({ level, msg }) => [level, msg])).toEqual([[40, "the metrics of PostgreSQL could not be read"]]);
  } finally {
    await sql.end({ timeout: 1 });
  }
});
