import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import pino from "pino";
import { createTracing } from "../../server/platform/tracing/index.ts";
import { printedBy } from "../support/packages.ts";
import { ROOT } from "../support/pages.ts";
import { withoutSettings } from "../support/stack.ts";
import { temporal } from "../support/temporal.ts";
import { until } from "../world/api.ts";
import { connected } from "../world/receiver.ts";
import { newTenant, setting } from "../world/tenant.ts";
import { startCollector } from "./collector.ts";

const JSON_TO = (url: string) => ({ endpoint: `${url}/v1/traces`, protocol: "http/json" }) as const;
const CALLERS = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

test("without a collector a request still has a trace id, and its receiver gets no traceparent", async () => {
  const api = await newTenant();
  await using receiver = await connected(api, 200);
  const { WorkflowId } = await api.settledChange({ Name: "Gate" });
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
  const tracing = await createTracing({ ...JSON_TO(away.url), sampler: "always_on", ratio: 1 }, "api", log);
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
  const config = { ...JSON_TO(collector.url), sampler, ratio: 0 };
  const tracing = await createTracing(config, "api", pino({ level: "silent" }));
  const span = tracing.begin("request", "server", parent);
  expect(span.sampled).toBe(sampled);
  span.end({ attributes: {}, problem: undefined });
  await tracing.stop();
  expect(collector.spans).toHaveLength(sampled ? 1 : 0);
});

describe("OpenTelemetry's variables", () => {
  /** One span of a process with these settings. @returns the collector's requests */
  async function requestsOf(settings: (url: string) => Record<string, string>) {
    const got: { path: string; type: string | null; key: string | null }[] = [];
    using collector = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch({ url, headers }) {
        got.push({ path: new URL(url).pathname, type: headers.get("content-type"), key: headers.get("api-key") });
        return Response.json({});
      },
    });
    const script = `
      const { readConfig } = await import("./server/platform/config/config.ts");
      const { createTracing } = await import("./server/platform/tracing/index.ts");
      const { createLog } = await import("./server/platform/log.ts");
      const tracing = await createTracing(readConfig(process.env).tracing, "api", createLog("info", "api"));
      tracing.begin("request", "server", null).end({ attributes: {}, problem: undefined });
      await tracing.stop();`;
    const env = { ...withoutSettings(process.env), ...settings(collector.url.origin) };
    expect(await printedBy([process.execPath, "--eval", script], ROOT, { env: env as Record<string, string> })).toBe(
      "",
    );
    return got;
  }

  const JSON_TYPE = "application/json";
  const PROTOBUF = "application/x-protobuf";
  const ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT";
  const TRACES = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT";
  test.concurrent.each<[string, (url: string) => Record<string, string>, string | undefined, string?, string?]>([
    ["an address for all signals", (url) => ({ [ENDPOINT]: `${url}/otlp` }), "/otlp/v1/traces"],
    ["an address for traces", (url) => ({ [TRACES]: `${url}/own` }), "/own"],
    ["both addresses", (url) => ({ [ENDPOINT]: "http://127.0.0.1:1", [TRACES]: `${url}/own/` }), "/own/"],
    ["the exporter otlp", (url) => ({ [ENDPOINT]: url, OTEL_TRACES_EXPORTER: "otlp" }), "/v1/traces"],
    ["no exporter", (url) => ({ [ENDPOINT]: url, OTEL_TRACES_EXPORTER: "none" }), undefined],
    ["a disabled SDK", (url) => ({ [TRACES]: url, OTEL_SDK_DISABLED: "True" }), undefined],
    ["an SDK that is not disabled", (url) => ({ [TRACES]: url, OTEL_SDK_DISABLED: "false" }), "/"],
    [
      "protobuf",
      (url) => ({ [ENDPOINT]: url, OTEL_EXPORTER_OTLP_PROTOCOL: "http/protobuf" }),
      ...["/v1/traces", PROTOBUF],
    ],
    [
      "JSON for traces alone",
      (url) => ({
        ...{ [ENDPOINT]: url, OTEL_EXPORTER_OTLP_PROTOCOL: "http/protobuf" },
        OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: "http/json",
      }),
      "/v1/traces",
    ],
    [
      "headers for traces alone",
      (url) => ({
        ...{ [ENDPOINT]: url, OTEL_EXPORTER_OTLP_HEADERS: "api-key=all" },
        OTEL_EXPORTER_OTLP_TRACES_HEADERS: "api-key=traces",
      }),
      ...["/v1/traces", JSON_TYPE, "traces"],
    ],
  ] as const)("%s", async (_, settings, path, type = JSON_TYPE, key) => {
    expect(await requestsOf(settings)).toEqual(path === undefined ? [] : [{ path, type, key: key ?? null }]);
  });
});
