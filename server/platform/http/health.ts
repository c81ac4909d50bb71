// /healthz and /readyz of the API and the workers.

import { connect } from "node:net";
import { type Static, Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { urlOf } from "../address.ts";
import { clockProblem } from "../db/clock.ts";
import { outageOf } from "../db/failures.ts";
import { type PartsSeen, readParts } from "../db/installation-parts.ts";
import type { Sql } from "../db/sql.ts";
import { CannotStart, NotFound } from "../errors.ts";
import { errorResponse } from "./error-record.ts";
import { word } from "./fields.ts";
import { requestUrl, requireMethod } from "./request.ts";

export function healthController(sql: Sql, temporalAddress: string, lifecycle: Pick<Lifecycle, "phase">) {
  return new Elysia()
    .all("/healthz", ({ request }) => {
      requireMethod(request, "GET");
      return Response.json({ status: "alive" });
    })
    .all("/readyz", async ({ request }) => {
      requireMethod(request, "GET");
      return readinessResponse(await readReadiness(sql, temporalAddress, lifecycle));
    });
}

export async function readReadiness(
  sql: Sql,
  temporalAddress: string,
  lifecycle: Pick<Lifecycle, "phase">,
): Promise<Readiness> {
  return readinessOf(lifecycle, await look(sql, temporalAddress));
}

const PROBE_TIMEOUT_MS = 1_000;
/** Deliveries that wait this long are delayed by more than a burst. */
const MAX_WAIT_SECONDS = 60;

export const READINESS = Type.Object(
  {
    /** "degraded": changes are accepted and delivered later. */
    status: word(["ready", "degraded", "unavailable"]),
    postgresql: word(["up", "read-only", "disk-full", "down"]),
    temporal: word(["up", "down"]),
    worker: word(["up", "down"]),
    reasons: Type.Array(Type.String(), {
      description: "Reasons why the status is not ready, as text; empty if it is.",
    }),
  },
  { $id: "Readiness" },
);
export type Readiness = Static<typeof READINESS>;

/** 503 only if requests cannot be answered; without Temporal or a worker, changes are accepted and delivered later. */
function readinessResponse(readiness: Pick<Readiness, "status">): Response {
  const status = readiness.status === "unavailable" ? 503 : 200;
  return Response.json(readiness, { status, headers: { "cache-control": "no-store" } });
}

/** Why /readyz answers 503 until the process answers requests. */
export const STARTING = "The process is starting.";

interface Seen {
  /** Undefined: PostgreSQL did not answer. */
  parts: PartsSeen | undefined;
  /** PostgreSQL's disk was full when it last answered. */
  lacksDisk: boolean;
  temporal: boolean;
  /** The clock differs too much from PostgreSQL's. */
  clock: string | undefined;
}

async function look(sql: Sql, temporalAddress: string): Promise<Seen> {
  const late = new Promise<undefined>((resolve) => setTimeout(resolve, PROBE_TIMEOUT_MS, undefined));
  const [parts, temporal] = await Promise.all([
    Promise.race([readParts(sql).catch(withoutSchema), late]),
    canConnect(temporalAddress),
  ]);
  return { parts, lacksDisk: sql.lacksDisk, temporal, clock: clockProblem(sql) };
}

/** PostgreSQL is running, but our tables are missing. */
function withoutSchema(error: unknown): PartsSeen | undefined {
  if (outageOf(error)) return undefined;
  return { worker: false, readOnly: false, diskFull: false, oldestDispatch: null, troubles: [] };
}

function readinessOf({ phase }: Pick<Lifecycle, "phase">, { parts, lacksDisk, temporal, clock }: Seen): Readiness {
  const reasons = [...phaseReasons(phase), ...databaseReasons(parts, lacksDisk)];
  const isAvailable = reasons.length === 0;
  if (parts && !parts.worker) reasons.push("No worker reports: deliveries wait.");
  if (!temporal) reasons.push("Temporal does not answer: deliveries wait.");
  reasons.push(...deliveryReasons(parts), ...(clock ? [clock] : []));
  return {
    status: isAvailable ? (reasons.length === 0 ? "ready" : "degraded") : "unavailable",
    postgresql: stateOf(parts),
    temporal: temporal ? "up" : "down",
    worker: parts?.worker ? "up" : "down",
    reasons,
  };
}

/** A worker's readiness does not depend on other workers. */
function workerReadinessOf({ phase }: Pick<Lifecycle, "phase">, seen: Seen): Omit<Readiness, "worker"> {
  const { worker: _, ...readiness } = readinessOf(
    { phase },
    { ...seen, parts: seen.parts && { ...seen.parts, worker: true } },
  );
  return readiness;
}

function phaseReasons(phase: Lifecycle["phase"]): string[] {
  if (phase === "starting") return [STARTING];
  return phase === "stopping" ? ["The process is stopping."] : [];
}

function stateOf(parts: PartsSeen | undefined): Readiness["postgresql"] {
  if (!parts) return "down";
  if (parts.readOnly) return "read-only";
  return parts.diskFull ? "disk-full" : "up";
}

function databaseReasons(parts: PartsSeen | undefined, lacksDisk: boolean): string[] {
  if (!parts) return [`PostgreSQL does not answer${lacksDisk ? "; its disk was full before" : ""}.`];
  if (parts.diskFull) return ["PostgreSQL cannot save changes: its disk is full."];
  return parts.readOnly ? ["PostgreSQL cannot save changes: it is read-only."] : [];
}

function deliveryReasons(parts: PartsSeen | undefined): string[] {
  if (!parts) return [];
  const waited = parts.oldestDispatch ?? 0;
  const wait =
    waited > MAX_WAIT_SECONDS ? [`The oldest delivery has waited ${Math.round(waited)} s for its workflow.`] : [];
  return [...parts.troubles, ...wait];
}

function canConnect(address: string): Promise<boolean> {
  const { hostname, port } = urlOf(`tcp://${address}`);
  return new Promise((resolve) => {
    // An IPv6 address has brackets.
    const socket = connect({ host: hostname.replace(/^\[(.*)\]$/, "$1"), port: Number(port) });
    const answer = (reached: boolean) => {
      socket.destroy();
      resolve(reached);
    };
    socket.setTimeout(PROBE_TIMEOUT_MS, () => answer(false));
    socket.once("connect", () => answer(true));
    socket.once("error", () => answer(false));
  });
}

export interface WorkerProbesConfig {
  /** Undefined: disabled. */
  port: number | undefined;
  host: string;
}

/** Listens on WORKER_PORT, if it is set. @throws CannotStart if the port is in use or not permitted */
export function serveWorkerProbes(
  { port, host }: WorkerProbesConfig,
  sql: Sql,
  temporalAddress: string,
  lifecycle: Pick<Lifecycle, "phase">,
): { stop(): Promise<void> } {
  if (port === undefined) return { stop: () => Promise.resolve() };
  const answer = async (request: Request): Promise<Response> => {
    const { pathname } = requestUrl(request);
    if (pathname !== "/healthz" && pathname !== "/readyz") {
      throw new NotFound("A worker serves only /healthz and /readyz.");
    }
    requireMethod(request, "GET");
    if (pathname === "/healthz") return Response.json({ status: "alive" });
    return readinessResponse(workerReadinessOf(lifecycle, await look(sql, temporalAddress)));
  };
  const fetch = (request: Request) => answer(request).catch((error) => errorResponse(error, request));
  try {
    return Bun.serve({ port, hostname: host, development: false, fetch });
  } catch (error) {
    throw new CannotStart(`WORKER_PORT is ${port}, which cannot be opened on ${host}: ${(error as Error).message}`);
  }
}

/** "starting": it listens, and waits for its database. "stopping": it still answers, but should get no new requests. */
export type Phase = "starting" | "serving" | "stopping";

export interface Lifecycle {
  readonly phase: Phase;
  /** Aborted when "stopping", for work that would continue otherwise. */
  readonly stopping: AbortSignal;
  begin(request: Request): void;
  end(request: Request): void;
  serve(): void;
  /** @returns a function that tells whether the requests in progress have been answered */
  stop(): () => boolean;
}

export function createLifecycle(): Lifecycle {
  let phase: Phase = "starting";
  const underWay = new Set<Request>();
  const stop = new AbortController();
  return {
    get phase() {
      return phase;
    },
    stopping: stop.signal,
    begin: (request) => void underWay.add(request),
    end: (request) => void underWay.delete(request),
    serve() {
      if (phase === "starting") phase = "serving";
    },
    stop() {
      phase = "stopping";
      stop.abort();
      const begun = [...underWay];
      return () => begun.every((request) => !underWay.has(request));
    },
  };
}

/** For an app with a running database. */
export function servingLifecycle(): Lifecycle {
  const lifecycle = createLifecycle();
  lifecycle.serve();
  return lifecycle;
}

interface Listening {
  readonly pendingRequests: number;
  stop(closeConnections?: boolean): Promise<void>;
}

const POLL_MS = 10;

/**
 * Stops an API without losing requests. /readyz returns 503, and connections are closed after their next response.
 * After `delay`, and after the requests in progress, the port is closed; later requests are still answered. After
 * `grace` milliseconds, remaining connections are closed.
 */
export async function shutDown(
  server: Listening,
  lifecycle: Lifecycle,
  { delay, grace }: { delay: number; grace: number },
): Promise<void> {
  const isAnswered = lifecycle.stop();
  await Bun.sleep(delay);
  const end = performance.now() + grace;
  while (!isAnswered() && server.pendingRequests > 0 && performance.now() < end) await Bun.sleep(POLL_MS);
  await Promise.race([server.stop(), Bun.sleep(Math.max(0, end - performance.now()))]);
  await server.stop(true);
}
