// What an API process measures: its requests, the changes it has committed, and the backlog that all share.

import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { Sql } from "../db/sql.ts";
import type { ObservedRequest } from "../http/context.ts";
import { createRegistry } from "./serve.ts";
import { type Backlog, readBacklog } from "./store.ts";

export interface ApiMetrics {
  registry: Registry;
  request(observed: ObservedRequest): void;
  /** Events that a committed transaction has recorded. */
  accepted(events: { eventRecord: string; eventType: string }[]): void;
  /** A device's sign-in has come so far. */
  device(step: DeviceStep): void;
}

/** A caller may make up any word for a method; a label may not have any. */
const METHODS = ["GET", "HEAD", "POST", "PATCH", "PUT", "DELETE", "OPTIONS"];
const DEVICE_STEPS = ["Begun", "Refused", "WrongCode", "Allowed", "Denied"] as const;
/** What becomes of a device's sign-in. */
export type DeviceStep = (typeof DEVICE_STEPS)[number];
/** Seconds. */
const REQUEST_BUCKETS = [0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Labels have few values, known beforehand: never a tenant, a client, a connection or a path's own values. */
export function createApiMetrics(sql: Sql): ApiMetrics {
  const registry = createRegistry();
  const registers = [registry];
  const requests = new Histogram({
    name: "gatehouse_http_request_duration_seconds",
    help: "Time from a request to its answer, by method, route and status.",
    labelNames: ["method", "route", "status"],
    buckets: REQUEST_BUCKETS,
    registers,
  });
  const accepted = new Counter({
    name: "gatehouse_webhook_events_accepted_total",
    help: "Events committed with their change, whether or not anybody listens to them.",
    labelNames: ["event_record", "event_type"],
    registers,
  });
  const devices = new Counter({
    name: "gatehouse_device_sign_ins_total",
    help: "Sign-ins of devices by what becomes of them; refused: too many wait; a wrong code is a person's.",
    labelNames: ["step"],
    registers,
  });
  // A rate needs the zero before the first one.
  for (const step of DEVICE_STEPS) devices.inc({ step }, 0);
  measureBacklog(sql, registry);
  return {
    registry,
    request: ({ method, route = "none", status = 0, seconds }) =>
      requests.observe({ method: METHODS.includes(method) ? method : "other", route, status }, seconds),
    accepted(events) {
      for (const event of events) accepted.inc({ event_record: event.eventRecord, event_type: event.eventType });
    },
    device: (step) => devices.inc({ step }),
  };
}

// Gauges that are read from PostgreSQL when somebody asks. Every API process tells the same values.

/** Asked more often, the last answer is given again. */
const FRESH_MS = 5_000;
const PATIENCE_MS = 2_000;

/** Without PostgreSQL the gauges have no value, and `gatehouse_postgresql_up` is 0. */
function measureBacklog(sql: Sql, registry: Registry): void {
  const read = onceWithin(FRESH_MS, () => answerWithin(PATIENCE_MS, readBacklog(sql)));

  gauge("gatehouse_postgresql_up", "Whether PostgreSQL answers this process.", undefined, (backlog) => [
    [undefined, backlog ? 1 : 0],
  ]);
  gauge("gatehouse_webhook_backlog", "Deliveries that have not come to an end, up to 100000.", "state", (backlog) => [
    ["Pending", backlog?.pending],
    ["Retrying", backlog?.retrying],
    ["Held", backlog?.held],
  ]);
  gauge(
    "gatehouse_webhook_oldest_undelivered_seconds",
    "Age of the oldest event with such a delivery; 0 if there is none.",
    "state",
    (backlog) => [
      ["Pending", backlog && (backlog.oldestPending ?? 0)],
      ["Retrying", backlog && (backlog.oldestRetrying ?? 0)],
    ],
  );
  gauge(
    "gatehouse_webhook_dispatches_waiting",
    "Workflows still to be started, up to 100000.",
    undefined,
    (backlog) => [[undefined, backlog?.dispatches]],
  );
  gauge("gatehouse_logout_backlog", "Logouts that have not come to an end, up to 100000.", "state", (backlog) => [
    ["Pending", backlog?.pendingLogouts],
    ["Retrying", backlog?.retryingLogouts],
  ]);
  gauge(
    "gatehouse_logout_oldest_undelivered_seconds",
    "Age of the oldest logout that has not come to an end; 0 if there is none.",
    undefined,
    (backlog) => [[undefined, backlog && (backlog.oldestLogout ?? 0)]],
  );
  gauge("gatehouse_devices_waiting", "Devices that wait for their users, up to 100000.", undefined, (backlog) => [
    [undefined, backlog?.waitingDevices],
  ]);
  gauge("gatehouse_webhook_connections", "Connections that take no posts.", "state", (backlog) => [
    ["Held", backlog?.heldConnections],
    ["Paused", backlog?.pausedConnections],
  ]);

  function gauge(
    name: string,
    help: string,
    label: string | undefined,
    values: (backlog: Backlog | undefined) => [value: string | undefined, measured: number | undefined][],
  ): void {
    new Gauge({
      name,
      help,
      labelNames: label ? [label] : [],
      registers: [registry],
      async collect() {
        const backlog = await read();
        this.reset();
        for (const [value, measured] of values(backlog)) {
          const labels: Record<string, string> = label && value ? { [label]: value } : {};
          if (measured === undefined) this.remove(labels);
          else this.set(labels, measured);
        }
      },
    });
  }
}

/** Gives the answer of the last call unless that is older. */
function onceWithin<T>(milliseconds: number, ask: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | undefined;
  let askedAt = 0;
  return () => {
    if (!answer || performance.now() - askedAt >= milliseconds) {
      askedAt = performance.now();
      answer = ask();
    }
    return answer;
  };
}

/** Undefined: it failed, or took too long. */
function answerWithin<T>(milliseconds: number, answer: Promise<T>): Promise<T | undefined> {
  const late = new Promise<undefined>((resolve) => setTimeout(resolve, milliseconds, undefined));
  return Promise.race([answer.catch(() => undefined), late]);
}
