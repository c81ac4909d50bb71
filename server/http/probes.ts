// GET /healthz and /readyz of the API.

import { Elysia } from "elysia";
import type { Sql } from "../db/connection.ts";
import type { Lifecycle } from "./lifecycle.ts";
import { requireMethod } from "./method.ts";
import { look, readinessOf, readinessResponse } from "./readiness.ts";

export function probesController(sql: Sql, temporalAddress: string, lifecycle: Pick<Lifecycle, "phase">) {
  return new Elysia()
    .all("/healthz", ({ request }) => {
      requireMethod(request, "GET");
      return Response.json({ status: "alive" });
    })
    .all("/readyz", async ({ request }) => {
      requireMethod(request, "GET");
      return readinessResponse(readinessOf(lifecycle, await look(sql, temporalAddress)));
    });
}
