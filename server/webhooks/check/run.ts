// One step of a receiver check, in a worker. Its posts are no deliveries: the check's result is their log.

import type { CheckStep } from "../../../workflows/contract.ts";
import type { Sql } from "../../platform/db/sql.ts";
import type { CheckId, ConnectionId, TenantId } from "../../platform/ids.ts";
import type { Vault } from "../../platform/vault.ts";
import { type Connection, findConnection } from "../connections.store.ts";
import type { SendSigned } from "../deliveries/send-signed.ts";
import { createConnectionSeals } from "../secrets.ts";
import { generateSecret } from "../signature.ts";
import { type CheckAnswer, type CheckCall, callsOf, resultOf, SKIPPED, STEPS } from "./steps.ts";
import { endCheck, findCheck, recordStep } from "./store.ts";

export interface CheckDependencies {
  sql: Sql;
  vault: Vault;
  sendSigned: SendSigned;
}

/** @returns false if nothing is left to do, or the receiver cannot be reached @throws Error if the tenant has no capacity now, so the step is repeated */
export async function runStep(
  { sql, vault, sendSigned }: CheckDependencies,
  tenantId: TenantId,
  connectionId: ConnectionId,
  id: CheckId,
  step: CheckStep | "End",
  signal: AbortSignal,
): Promise<boolean> {
  const [connection, check] = await Promise.all([
    findConnection(sql, tenantId, connectionId),
    findCheck(sql, tenantId, connectionId),
  ]);
  if (check?.id !== id || check.endedOn) return false;
  if (step === "End" || !connection) {
    await endCheck(sql, tenantId, id);
    return false;
  }
  const { needs, isBurst } = STEPS[step];
  const hasSignature = connection.secret !== null || (needs === "signature" && connection.signByKey);
  if (needs && !hasSignature) return recordStep(sql, tenantId, id, step, SKIPPED);
  const wrongSecret = createConnectionSeals(vault).secret.seal(generateSecret());
  const calls = callsOf(step, tenantId, check.sample);
  const send = (call: CheckCall) => answerOf(call, connection);
  const answers: CheckAnswer[] = isBurst ? await Promise.all(calls.map(send)) : [];
  if (!isBurst) for (const call of calls) answers.push(await send(call));
  const isLeft = await recordStep(sql, tenantId, id, step, resultOf(step, answers));
  return isLeft && (step !== "Right" || answers[0]!.failure === null);

  async function answerOf(call: CheckCall, { secret, name, ...rest }: Connection): Promise<CheckAnswer> {
    const { isSignedWrong, ageMs = 0, ...sent } = call;
    const post = {
      ...rest,
      ...sent,
      name: name ?? "",
      secret: isSignedWrong ? wrongSecret : secret,
      // A JWT cannot be wrong or old, so these calls have none.
      signByKey: rest.signByKey && !isSignedWrong && ageMs === 0,
      signedOn: new Date(Date.now() - ageMs),
      ...{ stagedSecret: null, formerSecret: null, previous: null, form: null, number: 1 },
    };
    const result = await sendSigned(tenantId, post, signal);
    if ("unsent" in result) throw new Error(result.unsent);
    const { statusCode: status, failure, durationMs: ms } = result.attempt;
    return { status, failure, ms, hasRetryAfter: result.retryAfterMs !== undefined };
  }
}
