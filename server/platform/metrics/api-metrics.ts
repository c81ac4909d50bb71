import { Counter, Histogram, type Registry } from "prom-client";
import type { ObservedRequest } from "../http/context.ts";
import { createRegistry } from "./serve.ts";

export interface ApiMetrics {
  registry: Registry;
  request(observed: ObservedRequest): void;
  /** Events recorded by a committed transaction. */
  accepted(events: { eventRecord: string; eventType: string }[]): void;
  device(step: DeviceStep): void;
  /** @param seconds of an evaluation by Cedar; undefined: a known decision was repeated */
  decided(allowed: boolean, seconds: number | undefined): void;
}

/** Callers may send any method, but labels must be bounded. */
const METHODS = ["GET", "HEAD", "POST", "PATCH", "PUT", "DELETE", "OPTIONS"];
const DEVICE_STEPS = ["Begun", "Refused", "WrongCode", "Allowed", "Denied"] as const;
export type DeviceStep = (typeof DEVICE_STEPS)[number];
/** The upper bounds of the histogram of response times, in seconds. */
const REQUEST_BUCKETS = [0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

const EVALUATION_BUCKETS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1];

/** Labels have few, fixed values: never a tenant, client, connection or path parameter. */
export function createApiMetrics(): ApiMetrics {
  const registry = createRegistry();
  const registers = [registry];
  const requests = new Histogram({
    name: "gatehouse_http_request_duration_seconds",
    help: "Response time by method, route and status.",
    labelNames: ["method", "route", "status"],
    buckets: REQUEST_BUCKETS,
    registers,
  });
  const accepted = new Counter({
    name: "gatehouse_webhook_events_accepted_total",
    help: "Events committed with their change, with or without receivers.",
    labelNames: ["event_record", "event_type"],
    registers,
  });
  const devices = new Counter({
    name: "gatehouse_device_sign_ins_total",
    help: "Device sign-ins by result; refused: too many pending; a wrong code was typed by a user.",
    labelNames: ["step"],
    registers,
  });
  const decisions = new Counter({
    name: "gatehouse_policy_decisions_total",
    help: "Decisions by policies, evaluated or repeated from memory.",
    labelNames: ["result"],
    registers,
  });
  const evaluations = new Histogram({
    name: "gatehouse_policy_evaluation_duration_seconds",
    help: "Duration of an evaluation of policies by Cedar.",
    buckets: EVALUATION_BUCKETS,
    registers,
  });
  // Starts at 0, because Prometheus computes no rate from a counter's first value.
  for (const step of DEVICE_STEPS) devices.inc({ step }, 0);
  for (const result of ["Allowed", "Denied"]) decisions.inc({ result }, 0);
  return {
    registry,
    request: ({ method, route = "none", status = 0, seconds }) =>
      requests.observe({ method: METHODS.includes(method) ? method : "other", route, status }, seconds),
    accepted(events) {
      for (const event of events) accepted.inc({ event_record: event.eventRecord, event_type: event.eventType });
    },
    device: (step) => devices.inc({ step }),
    decided(allowed, seconds) {
      decisions.inc({ result: allowed ? "Allowed" : "Denied" });
      if (seconds !== undefined) evaluations.observe(seconds);
    },
  };
}
