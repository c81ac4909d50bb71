// Opens and records attempts in batched statements. Skipped or failed items are retried alone, so none affects another.

import type { Logger } from "pino";
import type { Sql, Transaction } from "../../db/sql.ts";
import { createOutageLog } from "../../log.ts";
import { createBatches } from "./batches.ts";
import {
  type ClosedDelivery,
  type DueAttempt,
  findClosed,
  lockPosts,
  type OpenDelivery,
  openAttempts,
} from "./opening.store.ts";
import { type DeliveredAttempt, recordAttempt, recordDelivered } from "./store.ts";

export interface AttemptLog {
  /** Marks a delivery as being attempted and reads its post. Undefined: unknown. "full": MaxInFlight is reached. */
  open(due: DueAttempt): Promise<OpenDelivery | ClosedDelivery | undefined | "full">;
  /** Like recordAttempt; a successful attempt is written together with others. */
  record: OmitFirst<typeof recordAttempt>;
}

type OmitFirst<F> = F extends (first: never, ...rest: infer Rest) => infer Result ? (...rest: Rest) => Result : never;

export function createAttemptLog(sql: Sql, log: Logger): AttemptLog {
  const failed = createOutageLog(log);
  /** Failed batches are only logged, because each item is then retried separately. */
  const note = (error: unknown) => failed({ err: error }, "attempts could not be stored in a batch");
  const openTogether = createBatches<DueAttempt, OpenDelivery | undefined>(async (due) => {
    const opened = new Map((await openAttempts(sql, due, "skip")).map((delivery) => [delivery.id, delivery]));
    return due.map(({ deliveryId }) => opened.get(deliveryId));
  });
  const recordTogether = createBatches<DeliveredAttempt, boolean>(async (delivered) => {
    const recorded = await recordDelivered(sql, delivered);
    return delivered.map(({ deliveryId }) => recorded.has(deliveryId));
  });

  return {
    async open(due) {
      const delivery = await openTogether(due).catch(note);
      return delivery ?? sql.begin((tx) => openAlone(tx, due));
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

async function openAlone(
  tx: Transaction,
  due: DueAttempt,
): Promise<OpenDelivery | ClosedDelivery | undefined | "full"> {
  if (!(await lockPosts(tx, due.tenantId, due.deliveryId))) return "full";
  const [opened] = await openAttempts(tx, [due], "wait");
  return opened ?? findClosed(tx, due);
}
