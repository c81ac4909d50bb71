// Documentation of health endpoints and of this document.

import { READINESS } from "../http/health.ts";
import type { Area, Schema } from "./objects.ts";
import { json, operation } from "./operation.ts";
import { documentedSchema } from "./routes.ts";

const TAG = "Service";
const EXAMPLE = { status: "ready", postgresql: "up", temporal: "up", worker: "up", reasons: [] };

export function service(): Area {
  const named = new Map<string, Schema>();
  const readiness = documentedSchema(READINESS, named);
  return {
    tags: [{ name: TAG, description: "How the service stands." }],
    paths: {
      "/healthz": {
        get: operation({
          id: "getHealth",
          tag: TAG,
          summary: "Whether the process is alive",
          answers: {
            200: json("It is.", { type: "object", properties: { status: { const: "alive" } } }, { status: "alive" }),
          },
        }),
      },
      "/readyz": {
        get: operation({
          id: "getReadiness",
          tag: TAG,
          summary: "Which of PostgreSQL, Temporal and worker is there",
          description:
            "While deliveries cannot begin, changes are still taken, and delivered later: status is degraded, and " +
            "reasons has why, in words. A process that is starting or stopping is unavailable.",
          answers: {
            200: json("Requests are answered.", readiness, EXAMPLE),
            503: json("PostgreSQL is away or takes no changes, or the process is starting or stopping.", readiness, {
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
