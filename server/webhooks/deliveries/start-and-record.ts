// Starts and records attempts in batched statements. Skipped or failed items are retried alone, so none affects another.

import type { Logger } from "pino";
import type { Sql, Transaction } from "../../platform/db/sql.ts";
import { createOutageLog } from "../../platform/log.ts";
import { createBatches } from "./batches.ts";
import {
  type ClosedDelivery,
  type DueAttempt,
  findClosed,
  lockPosts,
  type OpenDelivery,
  startAttempts,
} from "./start-attempt.store.ts";
import { type DeliveredAttempt, recordAttempt, recordDelivered } from "./store.ts";

export interface AttemptWriter {
  /** Starts an attempt and reads its post. Undefined: unknown delivery. "full": MaxInFlight is reached. */
  start(due: DueAttempt): Promise<OpenDelivery | ClosedDelivery | undefined | "full">;
  /** Like recordAttempt; a successful attempt is written together with others. */
  record: OmitFirst<typeof recordAttempt>;
}

type OmitFirst<F> = F extends (first: never, ...rest: infer Rest) => infer Result ? (...rest: Rest) => Result : never;

export function createAttemptWriter(sql: Sql, log: Logger): AttemptWriter {
  const failed = createOutageLog(log);
  /** Failed batches are only logged, because each item is then retried separately. */
  const note = (error: unknown) => failed({ err: error }, "attempts could not be stored in a batch");
  const startTogether = createBatches<DueAttempt, OpenDelivery | undefined>(async (due) => {
    const started = new Map((await startAttempts(sql, due, "skip")).map((delivery) => [delivery.id, delivery]));
    return due.map(({ deliveryId }) => started.get(deliveryId));
  });
  const recordTogether = createBatches<DeliveredAttempt, boolean>(async (delivered) => {
    const recorded = await recordDelivered(sql, delivered);
    return delivered.map(({ deliveryId }) => recorded.has(deliveryId));
  });

  return {
    async start(due) {
      const delivery = await startTogether(due).catch(note);
      return delivery ?? sql.begin((tx) => startAlone(tx, due));
    },
    async record(tenantId, eventId, deliveryId, attempt, outcome) {
      if (outcome.reached === "Delivered") {
        const recorded = await recordTogether({ tenantId, deliveryId, attempt }).catch(note);
        if (recorded) return outcome.reached;
      }
      return recordAttempt(sql, tenantId, eventId, deliveryId, attempt, outcome);
    },
  };
}

async function startAlone(
  tx: Transaction,
  due: DueAttempt,
): Promise<OpenDelivery | ClosedDelivery | undefined | "full"> {
  if (!(await lockPosts(tx, due.tenantId, due.deliveryId))) return "full";
  const [started] = await startAttempts(tx, [due], "wait");
  return started ?? findClosed(tx, due);
}
