// A receiver check, in a worker. Its calls are no deliveries: the check's results are their log.

import { setTimeout as wait } from "node:timers/promises";
import type { CheckInput } from "../../../workflows/contract.ts";
import type { Sql } from "../../platform/db/sql.ts";
import { type EventId, newId, type TenantId } from "../../platform/ids.ts";
import type { Vault } from "../../platform/vault.ts";
import { outbox } from "../../records/index.ts";
import { type Connection, findConnection } from "../connections.store.ts";
import type { SendSigned } from "../deliveries/send-signed.ts";
import { createConnectionSeals } from "../secrets.ts";
import { generateSecret } from "../signature.ts";
import { type CheckAnswer, type CheckStep, STEPS, type StepOfCheck, type StepResult } from "./steps.ts";
import { endCheck, findCheck, findForm, type ReceiverCheck, recordStep } from "./store.ts";

export interface CheckDependencies {
  sql: Sql;
  vault: Vault;
  sendSigned: SendSigned;
}

/** While the tenant has no capacity for a post. */
const UNSENT_PAUSE_MS = 1_000;
const SKIPPED: StepResult = { Got: "", Verdict: "Skipped", Advice: "The connection has no Secret. Set one." };

/**
 * Takes the steps that have no result, unless the first cannot reach the receiver.
 * @throws Error if the process stops; the next try continues with the same step
 */
export async function runCheck(deps: CheckDependencies, input: CheckInput, signal: AbortSignal): Promise<void> {
  const { sql } = deps;
  const { tenantId, connectionId, checkId } = input;
  const check = await findCheck(sql, tenantId, connectionId);
  if (check?.id !== checkId || check.endedOn) return;
  const steps = (Object.keys(STEPS) as CheckStep[]).filter((step) => !check.results[step]);
  for (const step of steps) {
    const connection = await findConnection(sql, tenantId, connectionId);
    if (!connection) break;
    const isPossible = hasWhatItNeeds(STEPS[step], connection);
    const answers = isPossible && (await answersTo(deps, STEPS[step], tenantId, connection, check, signal));
    signal.throwIfAborted();
    const result = answers ? { Got: inWords(answers), ...STEPS[step].judge(answers) } : SKIPPED;
    await recordStep(sql, tenantId, checkId, step, result);
    if (step === "Right" && answers && answers[0]!.failure !== null) break;
  }
  await endCheck(sql, tenantId, checkId);
}

const hasWhatItNeeds = ({ needs }: StepOfCheck, { secret, signByKey }: Connection) =>
  needs === undefined || secret !== null || (needs === "signature" && signByKey);

async function answersTo(
  { sql, vault, sendSigned }: CheckDependencies,
  { calls, isBurst }: StepOfCheck,
  tenantId: TenantId,
  { name, ...connection }: Connection,
  { sample: { data, ...sample } }: ReceiverCheck,
  signal: AbortSignal,
): Promise<CheckAnswer[]> {
  const wrongSecret = createConnectionSeals(vault).secret.seal(generateSecret());
  const form = await findForm(sql, tenantId, connection.id);
  let eventId: EventId;
  const posts = calls.map(({ isSignedWrong = false, ageMs = 0, isRepeated = false, sequence = 1, records }) => {
    if (!isRepeated) eventId = newId();
    const change = { ...sample, data: records ? Array<typeof data>(records).fill(data) : data };
    return {
      ...connection,
      eventId,
      payload: outbox.payloadOf(tenantId, eventId, change, { Test: true }),
      sequences: records ? Array.from({ length: records }, (_, index) => index + 1) : [sequence],
      name: name ?? "",
      secret: isSignedWrong ? wrongSecret : connection.secret,
      // A JWT cannot be wrong or old, so these calls have none.
      signByKey: connection.signByKey && !isSignedWrong && ageMs === 0,
      ageMs,
      ...{ stagedSecret: null, formerSecret: null, previous: null, form, number: 1 },
    };
  });
  const send = async ({ ageMs, ...post }: (typeof posts)[number]): Promise<CheckAnswer> => {
    const result = await sendSigned(tenantId, { ...post, signedOn: new Date(Date.now() - ageMs) }, signal);
    if ("unsent" in result) {
      // The others of a burst have left, so only this one is sent again.
      await wait(UNSENT_PAUSE_MS, undefined, { signal });
      return send({ ageMs, ...post });
    }
    const { statusCode: status, failure, durationMs: ms } = result.attempt;
    return { status, failure, ms, hasRetryAfter: result.retryAfterMs !== undefined };
  };
  if (isBurst) return Promise.all(posts.map(send));
  const answers: CheckAnswer[] = [];
  for (const post of posts) answers.push(await send(post));
  return answers;
}

/** @example "200, 503; at most 340 ms" */
function inWords(answers: CheckAnswer[]): string {
  const words = Map.groupBy(answers, ({ status, failure }) => failure ?? String(status));
  const counted = [...words].map(([word, { length }]) => (length > 1 ? `${length} × ${word}` : word));
  const slowest = Math.max(...answers.map(({ ms }) => ms)).toLocaleString("en");
  return `${counted.join(", ")}; ${answers.length > 1 ? "at most " : ""}${slowest} ms`;
}
