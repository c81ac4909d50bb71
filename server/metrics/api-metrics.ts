// What an API process measures: its requests, the changes it has committed, and the backlog that all share.

import { Counter, Histogram, type Registry } from "prom-client";
import type { Sql } from "../db/connection.ts";
import type { ObservedRequest } from "../http/request-log.ts";
import { measureBacklog } from "./backlog.ts";
import { createRegistry } from "./process-metrics.ts";

export interface ApiMetrics {
  registry: Registry;
  request(observed: ObservedRequest): void;
  /** Events that a committed transaction has recorded. */
  accepted(events: { eventRecord: string; eventType: string }[]): void;
}

/** A caller may make up any word for a method; a label may not have any. */
const METHODS = ["GET", "HEAD", "POST", "PATCH", "PUT", "DELETE", "OPTIONS"];
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
  measureBacklog(sql, registry);
  return {
    registry,
    request: ({ method, route = "none", status = 0, seconds }) =>
      requests.observe({ method: METHODS.includes(method) ? method : "other", route, status }, seconds),
    accepted(events) {
      for (const event of events) accepted.inc({ event_record: event.eventRecord, event_type: event.eventType });
    },
  };
}
