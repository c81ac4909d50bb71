// How the service stands: what /readyz of the API and of the workers tells.

import { connect } from "node:net";
import { type Static, Type } from "@sinclair/typebox";
import type { Sql } from "../db/connection.ts";
import { outageOf } from "../db/outage.ts";
import { type PartsSeen, readParts } from "../db/store.ts";
import { word } from "./fields.ts";
import type { Lifecycle } from "./lifecycle.ts";

const PROBE_TIMEOUT_MS = 1_000;
/** Deliveries that have waited for so long to begin are kept by more than a burst. */
const LONGEST_WAIT_SECONDS = 60;

export const READINESS = Type.Object(
  {
    /** "degraded": changes are taken, and delivered later. */
    status: word(["ready", "degraded", "unavailable"]),
    postgresql: word(["up", "read-only", "down"]),
    temporal: word(["up", "down"]),
    worker: word(["up", "down"]),
    reasons: Type.Array(Type.String(), { description: "Why the status is not ready, in words; none if it is." }),
  },
  { $id: "Readiness" },
);
export type Readiness = Static<typeof READINESS>;

/** 503 where requests are not answered; without Temporal or a worker, changes are still taken and delivered later. */
export function readinessResponse(readiness: Pick<Readiness, "status">): Response {
  const status = readiness.status === "unavailable" ? 503 : 200;
  return Response.json(readiness, { status, headers: { "cache-control": "no-store" } });
}

/** Among its reasons until the process answers requests. */
export const STARTING = "The process is starting.";

/** What a process sees of the parts it stands on. */
interface Seen {
  /** Undefined: PostgreSQL did not answer. */
  parts: PartsSeen | undefined;
  temporal: boolean;
}

export async function look(sql: Sql, temporalAddress: string): Promise<Seen> {
  const late = new Promise<undefined>((resolve) => setTimeout(resolve, PROBE_TIMEOUT_MS, undefined));
  const [parts, temporal] = await Promise.all([
    Promise.race([readParts(sql).catch(withoutSchema), late]),
    canConnect(temporalAddress),
  ]);
  return { parts, temporal };
}

/** PostgreSQL is there, if not yet with our tables. */
function withoutSchema(error: unknown): PartsSeen | undefined {
  if (outageOf(error)) return undefined;
  return { worker: false, readOnly: false, oldestDispatch: null, troubles: [] };
}

/** Of an API. */
export function readinessOf({ phase }: Pick<Lifecycle, "phase">, { parts, temporal }: Seen): Readiness {
  const reasons = [...phaseReasons(phase), ...databaseReasons(parts)];
  const isAvailable = reasons.length === 0;
  if (parts && !parts.worker) reasons.push("No worker gives a sign of life: deliveries wait.");
  if (!temporal) reasons.push("Temporal does not answer: deliveries wait.");
  reasons.push(...deliveryReasons(parts));
  return {
    status: isAvailable ? (reasons.length === 0 ? "ready" : "degraded") : "unavailable",
    postgresql: parts ? (parts.readOnly ? "read-only" : "up") : "down",
    temporal: temporal ? "up" : "down",
    worker: parts?.worker ? "up" : "down",
    reasons,
  };
}

/** Of a worker: whether there are others is not its concern. */
export function workerReadinessOf(
  { phase }: Pick<Lifecycle, "phase">,
  { parts, temporal }: Seen,
): Omit<Readiness, "worker"> {
  const { worker: _, ...readiness } = readinessOf({ phase }, { parts: parts && { ...parts, worker: true }, temporal });
  return readiness;
}

function phaseReasons(phase: Lifecycle["phase"]): string[] {
  if (phase === "starting") return [STARTING];
  return phase === "stopping" ? ["The process is stopping."] : [];
}

function databaseReasons(parts: PartsSeen | undefined): string[] {
  if (!parts) return ["PostgreSQL does not answer."];
  return parts.readOnly ? ["PostgreSQL takes no changes: it is read-only."] : [];
}

/** Why deliveries cannot begin. */
function deliveryReasons(parts: PartsSeen | undefined): string[] {
  if (!parts) return [];
  const waited = parts.oldestDispatch ?? 0;
  const wait =
    waited > LONGEST_WAIT_SECONDS ? [`The oldest delivery has waited ${Math.round(waited)} s for its workflow.`] : [];
  return [...parts.troubles, ...wait];
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
