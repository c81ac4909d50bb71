// From a request to the attempts of its webhooks: one trace, at a real collector on loopback.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { type Stack, startStack } from "../support/stack.ts";
import { temporal } from "../support/temporal.ts";
import { type Api, until } from "../world/api.ts";
import { startReceiver } from "../world/receiver.ts";
import { newTenant } from "../world/tenant.ts";
import { type CollectedSpan, startCollector } from "./collector.ts";

const CALLERS_SPAN = "b7ad6b7169203331";
const SERVER = 2;
const CLIENT = 3;
const ERROR = 2;
const collector = startCollector();

let stack: Stack;
const receiverOf = (reply: Parameters<typeof startReceiver>[0]) =>
  startReceiver(reply, { dataDir: process.env.GATEHOUSE_TEST_DATA_DIR ?? stack.dataDir });

beforeAll(async () => {
  stack = await startStack({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url } });
});
afterAll(async () => {
  await stack?.stop();
  collector[Symbol.dispose]();
});

test("a caller's trace continues in every attempt, the log, the workflow's memo and the receiver's call", async () => {
  const api = await newTenant(stack);
  await using receiver = receiverOf([500, 200]);
  await api.connect(receiver.url);
  const traceId = newTraceId();
  await change(api, "Gate", `00-${traceId}-${CALLERS_SPAN}-01`);
  const { EventId, WorkflowId, Deliveries } = await api.settledEvent();
  const spans = await spansOf(traceId, 3);

  const [request, ...attempts] = spans;
  expect(request).toMatchObject({
    service: "gatehouse-api",
    name: "PATCH /Endpoint/rest/api/v1/Application",
    kind: SERVER,
    parentSpanId: CALLERS_SPAN,
    attributes: {
      "http.request.method": "PATCH",
      "http.route": "/Endpoint/rest/api/v1/Application",
      "http.response.status_code": 200,
      "gatehouse.tenant_id": api.tenant.tenantId,
    },
  });
  const attempt = { "gatehouse.event_id": EventId, "gatehouse.delivery_id": Deliveries[0]!.Id };
  const common = { service: "gatehouse-worker", name: "webhook attempt", kind: CLIENT, parentSpanId: request!.spanId };
  expect(attempts).toMatchObject([
    {
      ...common,
      attributes: { ...attempt, "gatehouse.attempt": 1, "http.response.status_code": 500 },
      status: { code: ERROR, message: "localhost answered 500" },
    },
    { ...common, attributes: { ...attempt, "gatehouse.attempt": 2, "http.response.status_code": 200 } },
  ]);
  expect(receiver.calls.map(({ headers }) => headers.get("traceparent"))).toEqual(
    attempts.map(({ spanId }) => `00-${traceId}-${spanId}-01`),
  );
  expect(logLines(traceId).map(({ msg }) => msg)).toEqual(["request", "webhook attempt", "webhook attempt"]);
  expect(await memoOf(WorkflowId)).toEqual({ TraceId: traceId });
});

test("an unsampled request stays unsampled, and receivers get no traceparent", async () => {
  const api = await newTenant(stack);
  await using receiver = receiverOf(200);
  await api.connect(receiver.url);
  const [unwanted, wanted] = [newTraceId(), newTraceId()];
  await change(api, "Gate", `00-${unwanted}-${CALLERS_SPAN}-00`);
  const { EventId, WorkflowId } = await api.settledEvent();
  await change(api, "Gate 2", `00-${wanted}-${CALLERS_SPAN}-01`);
  await spansOf(wanted, 2);
  expect(collector.spans.filter(({ traceId }) => traceId === unwanted)).toEqual([]);
  expect(receiver.callsFor(EventId)[0]!.headers.get("traceparent")).toBeNull();
  expect(logLines(unwanted)).toHaveLength(2);
  expect(await memoOf(WorkflowId)).toEqual({ TraceId: unwanted });
});

test.each([null, "garbage", `00-${"0".repeat(32)}-${CALLERS_SPAN}-01`])(
  "with %s as traceparent the request begins its own trace",
  async (traceparent) => {
    const api = await newTenant(stack);
    await using receiver = receiverOf(200);
    await api.connect(receiver.url);
    await change(api, "Gate", traceparent);
    const { WorkflowId } = await api.settledEvent();
    const { TraceId } = await memoOf(WorkflowId);
    const [request] = await spansOf(TraceId, 2);
    expect(request!.parentSpanId).toBeFalsy();
  },
);

test("a ping belongs to its requester's trace", async () => {
  const api = await newTenant(stack);
  await using receiver = receiverOf(200);
  const { Id } = await api.connect(receiver.url);
  const traceId = newTraceId();
  await send(api, "POST", `/WebhookConnection/${Id}/Ping`, `00-${traceId}-${CALLERS_SPAN}-01`);
  const [, attempt] = await spansOf(traceId, 2);
  expect(attempt).toMatchObject({ name: "webhook attempt", kind: CLIENT });
});

test("the collector gets no personal data, secrets or probes", async () => {
  const api = await newTenant(stack);
  await using receiver = receiverOf(new Response("the receiver's own words", { status: 500 }));
  await api.connect(`${receiver.url}/private-path?token=in-the-url`, { Secret: "the-signing-secret" });
  const traceId = newTraceId();
  await fetch(`${stack.url}/readyz`);
  await change(api, "Ada Lovelace", `00-${traceId}-${CALLERS_SPAN}-01`);
  await spansOf(traceId, 4);
  const sent = collector.texts.join();
  expect(sent).toContain(traceId);
  const { client, admin } = api.tenant;
  const secrets = ["Ada", "private-path", "in-the-url", "the-signing-secret", "own words", "/readyz", "Bearer"];
  for (const word of [...secrets, client.clientSecret, admin.password]) expect(sent).not.toContain(word);
});

function newTraceId(): string {
  return crypto.randomUUID().replaceAll("-", "");
}

function change(api: Api, name: string, traceparent: string | null): Promise<void> {
  return send(api, "PATCH", "/Application", traceparent, { Name: name });
}

async function send(api: Api, method: string, path: string, traceparent: string | null, body?: object): Promise<void> {
  const response = await fetch(`${api.url}/Endpoint/rest/api/v1${path}`, {
    method,
    headers: {
      authorization: api.authorization,
      "content-type": "application/json",
      ...(traceparent === null ? {} : { traceparent }),
    },
    body: body && JSON.stringify(body),
  });
  expect(response.status).toBe(200);
}

/** The spans of a trace after this number has arrived: the request's first, then the attempts' in order. */
async function spansOf(traceId: string, count: number): Promise<CollectedSpan[]> {
  const ofTrace = () => collector.spans.filter((span) => span.traceId === traceId);
  await until(`${count} spans`, () => ofTrace().length >= count);
  const order = (span: CollectedSpan) => Number(span.attributes["gatehouse.attempt"] ?? 0);
  const spans = ofTrace().sort((one, other) => order(one) - order(other));
  expect(spans).toHaveLength(count);
  return spans;
}

function logLines(traceId: string): Record<string, unknown>[] {
  const lines = readFileSync(stack.logFile, "utf8").split("\n");
  return lines.filter((line) => line.includes(`"traceId":"${traceId}"`)).map((line) => JSON.parse(line));
}

async function memoOf(workflowId: string): Promise<{ TraceId: string }> {
  const client = await temporal(stack.temporalAddress);
  const { memo } = await client.workflow.getHandle(workflowId).describe();
  return memo as { TraceId: string };
}
