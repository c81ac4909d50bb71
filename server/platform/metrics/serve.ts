// GET /metrics in the Prometheus text format: on a separate port, or on the API's for callers with the token.

import { createHash, timingSafeEqual } from "node:crypto";
import { Elysia } from "elysia";
import { collectDefaultMetrics, Gauge, Registry } from "prom-client";
import { version } from "../../../package.json" with { type: "json" };
import type { MetricsConfig } from "../config/config.ts";
import { migrationNames } from "../db/migrate.ts";
import { CannotStart, Unauthorized } from "../errors.ts";
import { errorResponse } from "../http/error-record.ts";
import { requestUrl, requireMethod } from "../http/request.ts";

const PATH = "/metrics";

/** The API's port may be public, so the path exists only with METRICS_TOKEN. */
export function metricsController(registry: Registry, token: string | undefined) {
  const controller = new Elysia();
  if (token === undefined) return controller;
  return controller.all(PATH, ({ request }) => answer(registry, token, request), { parse: "none" });
}

/** Listens on METRICS_PORT, if it is set. @throws CannotStart if the port is in use or not permitted */
export function serveMetrics({ port, host, token }: MetricsConfig, registry: Registry): { stop(): Promise<void> } {
  if (port === undefined) return { stop: () => Promise.resolve() };
  const fetch = async (request: Request) => {
    if (requestUrl(request).pathname !== PATH) return new Response("Metrics are at /metrics.\n", { status: 404 });
    return answer(registry, token, request).catch((error) => errorResponse(error, request));
  };
  try {
    return Bun.serve({ port, hostname: host, development: false, fetch });
  } catch (error) {
    throw new CannotStart(`METRICS_PORT is ${port}, which cannot be opened on ${host}: ${(error as Error).message}`);
  }
}

async function answer(registry: Registry, token: string | undefined, request: Request): Promise<Response> {
  if (token !== undefined) requireToken(request, token);
  requireMethod(request, "GET");
  const headers = { "content-type": registry.contentType, "cache-control": "no-store" };
  return new Response(await registry.metrics(), { headers });
}

/** @throws Unauthorized */
function requireToken(request: Request, token: string): void {
  const given = /^bearer +(\S+)$/i.exec(request.headers.get("authorization") ?? "")?.[1] ?? "";
  if (timingSafeEqual(digest(given), digest(token))) return;
  throw new Unauthorized("Send METRICS_TOKEN as Authorization: Bearer <METRICS_TOKEN>.", "Bearer");
}

const digest = (text: string) => createHash("sha256").update(text).digest();

/** prom-client's metrics that are constant under Bun. */
const UNMEASURED = /^nodejs_(active_|heap_space_|version_info)/;

/** A registry with the build, and with process metrics: CPU, memory, open files, event loop lag. */
export function createRegistry(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const { name } of registry.getMetricsAsArray()) if (UNMEASURED.test(name)) registry.removeSingleMetric(name);
  const schema = migrationNames().then((names) => names.at(-1)!.replace(/\.sql$/, ""));
  new Gauge({
    name: "gatehouse_build_info",
    help: "1. The version of the code, and the newest migration that it needs.",
    labelNames: ["version", "schema"],
    registers: [registry],
    async collect() {
      this.set({ version, schema: await schema }, 1);
    },
  });
  return registry;
}
