// One line a request, and one observation. The line names the route and not the path, whose values may be personal.

import type { Logger } from "pino";
import { isCutOff } from "./body.ts";
import { requestKey } from "./request-key.ts";
import { requestUrl } from "./request-url.ts";
import { traceIdOf, traceParentOf } from "./trace-parent.ts";

interface Client {
  tenantId: string;
  clientId: string;
}

export interface ObservedRequest extends Partial<Client> {
  method: string;
  /** As it is written in the code; undefined if none was met. */
  route: string | undefined;
  status: number | undefined;
  seconds: number;
}

export interface RequestLog {
  begin(request: Request): void;
  /** Who asks, once that is known. */
  noteClient(request: Request, client: Client): void;
  /** The status of an answer that the route did not give itself. */
  noteStatus(request: Request, status: number): void;
  /**
   * Writes the line: requestKey, traceId, method, route, status, durationMs, and tenantId and clientId where they are known.
   * @param route as it is written in the code, or undefined if no route was met
   * @param status of the route's own answer
   */
  end(request: Request, route: string | undefined, status: number | undefined): void;
}

/** What machines ask all the time. */
export const PROBES = ["/healthz", "/readyz", "/metrics"];

export function isProbe(request: Request): boolean {
  return PROBES.includes(requestUrl(request).pathname);
}

/** @param observe told of every request, also of those whose line the log's level leaves out */
export function createRequestLog(
  log: Logger,
  observe: (request: Request, observed: ObservedRequest) => void,
): RequestLog {
  const requests = new WeakMap<Request, { began: number; status?: number; client?: Client }>();
  return {
    begin: (request) => void requests.set(request, { began: performance.now() }),
    noteClient(request, { tenantId, clientId }) {
      const noted = requests.get(request);
      if (noted) noted.client = { tenantId, clientId };
    },
    noteStatus(request, status) {
      const noted = requests.get(request);
      if (noted) noted.status = status;
    },
    end(request, route, status) {
      const level = PROBES.includes(route ?? "") || isCutOff(request) ? "debug" : "info";
      const noted = requests.get(request);
      if (!noted) return;
      const { method } = request;
      const milliseconds = performance.now() - noted.began;
      observe(request, {
        method,
        route,
        status: noted.status ?? status,
        seconds: milliseconds / 1_000,
        ...noted.client,
      });
      const traceParent = traceParentOf(request);
      if (!log.isLevelEnabled(level)) return;
      const line = {
        requestKey: requestKey(request),
        traceId: traceParent && traceIdOf(traceParent),
        method,
        route,
        status: noted.status ?? status,
        durationMs: Math.round(milliseconds * 10) / 10,
        ...noted.client,
      };
      log[level](line, "request");
    },
  };
}
