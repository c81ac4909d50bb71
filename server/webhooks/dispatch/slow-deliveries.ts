// What goes to slow receivers leaves the way of the rest: it waits in PostgreSQL for its receiver's turn, so that a
// receiver that hangs costs no more than its turns do, however much there is for it.

import type { DeliveryToMake } from "../../../workflows/contract.ts";
import type { Queries } from "../../db/connection.ts";
import { parkDispatches, splitOff } from "../lanes/store.ts";
import type { Dispatch } from "./store.ts";

const isSlow = ({ lane }: DeliveryToMake) => lane === "slow";

/**
 * Sets the deliveries to slow receivers aside, each to wait by itself.
 *
 * @param wake called if any was
 * @returns what is left to start now
 */
export async function setSlowAside(sql: Queries, batch: Dispatch[], wake: () => void): Promise<Dispatch[]> {
  // Of a new run for several deliveries the slow ones stay: what has been sent once keeps its workflow's id.
  const mixed = batch.filter(({ deliveries, again }) => deliveries.some(isSlow) && (!again || deliveries.length === 1));
  if (mixed.length === 0) return batch;
  const split = new Set(await splitOff(sql, mixed.flatMap(toSplit)));
  const left = batch.map((dispatch) => {
    const deliveries = dispatch.deliveries.filter(({ deliveryId }) => !split.has(deliveryId));
    return { ...dispatch, deliveries };
  });
  const parked = left.filter(({ deliveries }) => deliveries.length === 1 && deliveries.every(isSlow));
  await parkDispatches(
    sql,
    parked.map(({ id, deliveries }) => ({ id, connectionId: deliveries[0]!.connectionId })),
  );
  wake();
  return left.filter((dispatch) => !parked.includes(dispatch));
}

/**
 * All slow ones, but for the first if there is nothing else in the run: that one may have it for itself. What is held
 * will need the run's id before a slow receiver's turn comes.
 */
function toSplit({ deliveries, held, again }: Dispatch): string[] {
  const slow = deliveries.filter(isSlow).map(({ deliveryId }) => deliveryId);
  const alone = slow.length === deliveries.length && (held === 0 || again);
  return alone ? slow.slice(1) : slow;
}
