import type { DeliveryState } from "../../../workflows/contract.ts";
import { insertConsequence } from "../../audit/index.ts";
import type { Sql, Transaction } from "../../db/connection.ts";
import { type Attempt, type HoldRule, recordAttempt } from "../deliveries/store.ts";
import { type ProvedSecret, takeStagedSecret } from "./store.ts";

/**
 * As recordAttempt, of a ping that was delivered: in the same transaction the secret that signed it comes into force,
 * and the audit log says that it does. The connection is first, the order of everybody.
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
    const proved = await takeStagedSecret(tx, tenantId, deliveryId);
    if (proved) await recordChange(tx, tenantId, proved);
    return recordAttempt(tx, tenantId, deliveryId, attempt, state, hold);
  });
}

/** By whoever had it proved. */
function recordChange(tx: Transaction, tenantId: string, { connectionId, eventId }: ProvedSecret): Promise<void> {
  const subject = { type: "WebhookConnection", id: connectionId };
  const details = { EventId: eventId, Proves: "Secret" };
  const cause = { kind: "WebhookConnection.Pinged", subject, details } as const;
  return insertConsequence(tx, tenantId, cause, "WebhookConnection.SecretChanged");
}
