// Documentation of health endpoints and of this document.

import { READINESS } from "../platform/http/health.ts";
import type { Area, Schema } from "./objects.ts";
import { json, operation } from "./operation.ts";
import { documentedSchema } from "./routes.ts";

const TAG = "Service";
const EXAMPLE = { status: "ready", postgresql: "up", temporal: "up", worker: "up", reasons: [] };

export function service(): Area {
  const named = new Map<string, Schema>();
  const readiness = documentedSchema(READINESS, named);
  return {
    tags: [{ name: TAG, description: "Status of the service." }],
    paths: {
      "/healthz": {
        get: operation({
          id: "getHealth",
          tag: TAG,
          summary: "Whether the process is alive",
          answers: {
            200: json(
              "The process is alive.",
              { type: "object", properties: { status: { const: "alive" } } },
              { status: "alive" },
            ),
          },
        }),
      },
      "/readyz": {
        get: operation({
          id: "getReadiness",
          tag: TAG,
          summary: "Status of PostgreSQL, Temporal and the worker",
          description:
            "If deliveries cannot start, changes are still accepted and delivered later: status is degraded, and " +
            "reasons explains why. A starting or stopping process is unavailable.",
          answers: {
            200: json("Requests are answered.", readiness, EXAMPLE),
            503: json("PostgreSQL is unavailable or read-only, or the process is starting or stopping.", readiness, {
              ...EXAMPLE,
              status: "unavailable",
              postgresql: "down",
              reasons: ["PostgreSQL does not answer."],
            }),
          },
        }),
      },
      "/openapi.json": {
        get: operation({
          id: "getOpenApi",
          tag: TAG,
          summary: "This document",
          answers: { 200: json("OpenAPI 3.1.", { type: "object" }, undefined, ["ETag"]) },
        }),
      },
    },
    schemas: Object.fromEntries(named),
  };
}
