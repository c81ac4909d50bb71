// GET /healthz and /readyz.

import { connect } from "node:net";
import { Elysia } from "elysia";
import type { Sql } from "../db/connection.ts";
import { isWorkerAlive } from "../db/store.ts";
import { requireMethod } from "./method.ts";

const PROBE_TIMEOUT_MS = 1_000;

/** 503 only without PostgreSQL: without Temporal or a worker, changes are still taken and delivered later. */
export function readinessController(sql: Sql, temporalAddress: string) {
  return new Elysia()
    .all("/healthz", ({ request }) => {
      requireMethod(request, "GET");
      return Response.json({ status: "alive" });
    })
    .all("/readyz", async ({ request }) => {
      requireMethod(request, "GET");
      const [worker, temporal] = await Promise.all([workerState(sql), canConnect(temporalAddress)]);
      const postgresql = worker !== undefined;
      const status = !postgresql ? "unavailable" : worker && temporal ? "ready" : "degraded";
      const word = (up: boolean) => (up ? "up" : "down");
      return Response.json(
        { status, postgresql: word(postgresql), temporal: word(temporal), worker: word(worker === true) },
        { status: postgresql ? 200 : 503, headers: { "cache-control": "no-store" } },
      );
    });
}

/** Undefined: PostgreSQL itself did not answer. */
async function workerState(sql: Sql): Promise<boolean | undefined> {
  const timeout = new Promise<undefined>((resolve) => setTimeout(resolve, PROBE_TIMEOUT_MS, undefined));
  return Promise.race([isWorkerAlive(sql).catch(() => undefined), timeout]);
}

function canConnect(address: string): Promise<boolean> {
  const colon = address.lastIndexOf(":");
  return new Promise((resolve) => {
    const socket = connect({ host: address.slice(0, colon), port: Number(address.slice(colon + 1)) });
    const answer = (reached: boolean) => {
      socket.destroy();
      resolve(reached);
    };
    socket.setTimeout(PROBE_TIMEOUT_MS, () => answer(false));
    socket.once("connect", () => answer(true));
    socket.once("error", () => answer(false));
  });
}
