import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import pino from "pino";
import { createTracing } from "../../server/tracing/index.ts";
import { until } from "../support/api.ts";
import { startReceiver } from "../support/receiver.ts";
import { newTenant, setting } from "../support/tenant.ts";
import { temporal } from "../webhooks/temporal.ts";
import { startCollector } from "./collector.ts";

const CALLERS = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

test("without a collector a request still has a trace id, and its receiver gets no traceparent", async () => {
  const api = await newTenant();
  await using receiver = startReceiver(200);
  await api.connect(receiver.url);
  await api.change({ Name: "Gate" });
  const { WorkflowId } = await api.settledEvent();
  const { memo } = await (await temporal()).workflow.getHandle(WorkflowId).describe();
  expect(memo).toEqual({ TraceId: expect.stringMatching(/^[0-9a-f]{32}$/) });
  expect(receiver.calls[0]!.headers.get("traceparent")).toBeNull();
  const log = () => readFileSync(join(setting("GATEHOUSE_TEST_DATA_DIR"), "logs", "gatehouse.log"), "utf8");
  await until("both lines", () => log().split(`"traceId":"${memo!.TraceId}"`).length - 1 === 2);
});

test("an unreachable collector is reported once and delays nothing", async () => {
  const away = startCollector();
  away[Symbol.dispose]();
  const lines: Record<string, unknown>[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const tracing = await createTracing({ endpoint: away.url, sampler: "always_on", ratio: 1 }, "api", log);
  for (let number = 1; number <= 3; number++) {
    tracing.begin("request", "server", null).end({ attributes: {}, problem: undefined });
    await until("the failure", () => lines.length >= 1, 20_000);
  }
  const began = performance.now();
  await tracing.stop();
  expect(performance.now() - began).toBeLessThan(3_000);
  expect(lines).toMatchObject([{ level: 40, msg: "the collector does not accept spans; they are dropped" }]);
});

test.each([
  ["always_on", undefined, true],
  ["always_off", CALLERS, false],
  ["traceidratio", CALLERS, false],
  ["parentbased_always_off", undefined, false],
  ["parentbased_always_off", CALLERS, true],
  ["parentbased_traceidratio", undefined, false],
  ["parentbased_always_on", CALLERS.replace(/1$/, "0"), false],
] as const)("%s samples a request with the parent %s: %p", async (sampler, parent, sampled) => {
  using collector = startCollector();
  const tracing = await createTracing({ endpoint: collector.url, sampler, ratio: 0 }, "api", pino({ level: "silent" }));
  const span = tracing.begin("request", "server", parent);
  expect(span.sampled).toBe(sampled);
  span.end({ attributes: {}, problem: undefined });
  await tracing.stop();
  expect(collector.spans).toHaveLength(sampled ? 1 : 0);
});
