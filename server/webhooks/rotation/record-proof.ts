import type { DeliveryState } from "../../../workflows/contract.ts";
import type { Sql } from "../../db/connection.ts";
import { type Attempt, type HoldRule, recordAttempt } from "../deliveries/store.ts";
import { takeStagedSecret } from "./store.ts";

/**
 * As recordAttempt, of a ping that was delivered: in the same transaction the secret that signed it comes into force.
 * The connection is first, the order of everybody.
 */
export async function recordProof(
  sql: Sql,
  tenantId: string,
  deliveryId: string,
  attempt: Attempt,
  state: DeliveryState,
  hold: HoldRule | undefined,
): Promise<DeliveryState | undefined> {
  return sql.begin(async (tx) => {
    await takeStagedSecret(tx, tenantId, deliveryId);
    return recordAttempt(tx, tenantId, deliveryId, attempt, state, hold);
  });
}
