import type { Transaction } from "../db/connection.ts";
import { type Conditions, hasConditions, requireConditions } from "../http/conditions.ts";
import type { Caller } from "./bearer.ts";

/**
 * Before a change that the caller may make: whether the record stands as the caller has seen it.
 * @param resource what policies are asked for, where that is not what its entity tag is made of
 * @throws PreconditionFailed
 */
export async function requireSeen(
  tx: Transaction,
  { gate }: Pick<Caller, "gate">,
  type: string,
  conditions: Conditions,
  version: object,
  resource?: object,
): Promise<void> {
  if (!hasConditions(conditions)) return;
  requireConditions(conditions, await gate.versionIn(tx, type, version, resource));
}
