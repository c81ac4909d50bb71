// One line a request, and one observation. The line names the route and not the path, whose values may be personal.

import type { Logger } from "pino";
import { contextOf, type RequestContext, traceIdOf } from "./context.ts";
import { requestUrl } from "./request.ts";

export interface ObservedRequest extends Partial<NonNullable<RequestContext["client"]>> {
  method: string;
  /** As it is written in the code; undefined if none was met. */
  route: string | undefined;
  status: number | undefined;
  seconds: number;
}

/**
 * Writes the line: requestKey, traceId, method, route, status, durationMs, and tenantId and clientId where they are known.
 * @param route as it is written in the code, or undefined if no route was met
 * @param status of the route's own answer
 */
export type LogRequest = (request: Request, route: string | undefined, status: number | undefined) => void;

/** What machines ask all the time. */
export const PROBES = ["/healthz", "/readyz", "/metrics"];

export function isProbe(request: Request): boolean {
  return PROBES.includes(requestUrl(request).pathname);
}

/** @param observe told of every request, also of those whose line the log's level leaves out */
export function createRequestLog(
  log: Logger,
  observe: (request: Request, observed: ObservedRequest) => void,
): LogRequest {
  // Its fields are all named here: none can hold a secret, and looking for one costs as much as writing the line.
  const lines = log.child({}, { redact: [] });
  return (request, route, ownStatus) => {
    const { began, key, client, traceParent, isCutOff, status = ownStatus } = contextOf(request);
    const level = PROBES.includes(route ?? "") || isCutOff ? "debug" : "info";
    const { method } = request;
    const milliseconds = performance.now() - began;
    observe(request, { method, route, status, seconds: milliseconds / 1_000, ...client });
    if (!log.isLevelEnabled(level)) return;
    const line = {
      requestKey: key,
      traceId: traceParent && traceIdOf(traceParent),
      method,
      route,
      status,
      durationMs: Math.round(milliseconds * 10) / 10,
      ...client,
    };
    lines[level](line, "request");
  };
}
