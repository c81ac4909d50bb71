// GET /healthz and /readyz of a worker, on WORKER_PORT.

import type { WorkerProbesConfig } from "../config.ts";
import type { Sql } from "../db/connection.ts";
import { NotFound } from "../errors.ts";
import { CannotStart } from "../process.ts";
import { errorResponse } from "./error-record.ts";
import type { Lifecycle } from "./lifecycle.ts";
import { requireMethod } from "./method.ts";
import { look, readinessResponse, workerReadinessOf } from "./readiness.ts";

/**
 * Listens on WORKER_PORT, if that is set.
 * @throws CannotStart if the port is taken, or not ours to take
 */
export function serveWorkerProbes(
  { port, host }: WorkerProbesConfig,
  sql: Sql,
  temporalAddress: string,
  lifecycle: Pick<Lifecycle, "phase">,
): { stop(): Promise<void> } {
  if (port === undefined) return { stop: () => Promise.resolve() };
  const answer = async (request: Request): Promise<Response> => {
    const { pathname } = new URL(request.url);
    if (pathname !== "/healthz" && pathname !== "/readyz") {
      throw new NotFound("A worker answers /healthz and /readyz alone.");
    }
    requireMethod(request, "GET");
    if (pathname === "/healthz") return Response.json({ status: "alive" });
    return readinessResponse(workerReadinessOf(lifecycle, await look(sql, temporalAddress)));
  };
  const fetch = (request: Request) => answer(request).catch((error) => errorResponse(error, request));
  try {
    return Bun.serve({ port, hostname: host, development: false, fetch });
  } catch (error) {
    throw new CannotStart(`WORKER_PORT is ${port}, where ${host} cannot be listened at: ${(error as Error).message}`);
  }
}
