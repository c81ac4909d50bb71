// Sends a bulk redelivery: one delivery after the other, in the order of their events and no faster than its rate.

import type { RedeliveryProgress } from "../../../../workflows/contract.ts";
import type { Sql, Transaction } from "../../../db/connection.ts";
import { reasonToWait } from "../reason.ts";
import { findRedelivery, lockRedelivery } from "../store.ts";
import {
  completeRedelivery,
  countEnded,
  countOpen,
  countTotal,
  endDraining,
  isAnyLeft,
  readSentAhead,
  releaseNext,
} from "./store.ts";

/** One call's share of the work. */
const STEP_MS = 5_000;
const COUNT_INTERVAL_MS = 1_000;
/**
 * The next one begins when the one before has got its answer; or when that has been asked for so long, for a slow
 * receiver must not take hours for what it could take side by side.
 */
const ANSWER_PATIENCE_MS = 250;
/** Attempts that are out at a time. */
const MOST_POSTING = 8;
/**
 * What is not even begun by then waits for another receiver of the same event, and others must not wait for that. It is
 * more than the outbox lets a run wait for the event's run before, if that is about to close.
 */
const BEGIN_PATIENCE_MS = 2_500;
const FIRST_LOOK_MS = 5;
const LONGEST_LOOK_MS = 100;

/** "waiting": it is paused, has ended, or may not send what is left; "sent": all is, some of it with retries. */
type Turn = "released" | "changed" | "waiting" | "sent";

/**
 * Sends what is next, for STEP_MS. May be called at any time, also again after a crash: what is sent is marked in the
 * statement that sends it.
 * @param goOn asked often; false: somebody else goes on
 */
export async function sendRedelivery(
  sql: Sql,
  tenantId: string,
  id: string,
  goOn: () => boolean,
): Promise<RedeliveryProgress> {
  const end = performance.now() + STEP_MS;
  const isOver = () => !goOn() || performance.now() > end;
  const redelivery = await findRedelivery(sql, tenantId, id);
  if (redelivery) await countTotal(sql, tenantId, redelivery);
  let turn: Turn | undefined;
  let counted = performance.now();
  while (await untilNextMayGo(sql, tenantId, id, isOver)) {
    const began = performance.now();
    const [next, rate] = await takeTurn(sql, tenantId, id);
    turn = next;
    if (turn === "waiting" || turn === "sent") break;
    if (began - counted > COUNT_INTERVAL_MS) {
      await countEnded(sql, tenantId, id);
      counted = began;
    }
    if (turn === "released") await pause(1_000 / rate - (performance.now() - began));
  }
  return progressOf(sql, tenantId, id, turn === "sent");
}

/** @returns false if it is over before */
async function untilNextMayGo(sql: Sql, tenantId: string, id: string, isOver: () => boolean): Promise<boolean> {
  for (let look = FIRST_LOOK_MS; !isOver(); look = Math.min(2 * look, LONGEST_LOOK_MS)) {
    const ahead = await readSentAhead(sql, tenantId, id, BEGIN_PATIENCE_MS, ANSWER_PATIENCE_MS);
    if (!ahead.recent && ahead.posting < MOST_POSTING) return true;
    await pause(look);
  }
  return false;
}

async function takeTurn(sql: Sql, tenantId: string, id: string): Promise<[Turn, number]> {
  const turn = await sql.begin((tx) => release(tx, tenantId, id, "share"));
  // Only who keeps everybody else from its connection knows that there is nothing more.
  return turn[0] === "sent" ? sql.begin((tx) => release(tx, tenantId, id, "update")) : turn;
}

async function release(
  tx: Transaction,
  tenantId: string,
  id: string,
  lock: "share" | "update",
): Promise<[Turn, number]> {
  const redelivery = await lockRedelivery(tx, tenantId, id, lock);
  if (redelivery?.state !== "Running") return ["waiting", 0];
  const { kind, rate, connectionId } = redelivery;
  const waits = reasonToWait(redelivery) !== undefined;
  // What has nothing left to send waits for nobody.
  if (waits && (await isAnyLeft(tx, tenantId, redelivery))) return ["waiting", 0];
  const released = waits ? "none" : await releaseNext(tx, tenantId, redelivery);
  if (released !== "none") return [released, rate];
  if (lock === "update") {
    if (kind === "Drain") await endDraining(tx, tenantId, connectionId);
    await countEnded(tx, tenantId, id);
    if ((await countOpen(tx, tenantId, id)) === 0) await completeRedelivery(tx, tenantId, id);
  }
  return ["sent", rate];
}

async function progressOf(sql: Sql, tenantId: string, id: string, isSent: boolean): Promise<RedeliveryProgress> {
  await countEnded(sql, tenantId, id);
  const redelivery = await findRedelivery(sql, tenantId, id);
  if (!redelivery) return { state: "Cancelled", total: 0, done: 0, delivered: 0, exhausted: 0 };
  const { state, total, done, delivered, exhausted } = redelivery;
  const progress: RedeliveryProgress = { state, total, done, delivered, exhausted };
  if (state === "Paused") return { ...progress, waitsFor: "somebody to set it Running" };
  if (state !== "Running") return progress;
  const waitsFor = isSent ? undefined : reasonToWait(redelivery);
  return waitsFor ? { ...progress, waitsFor } : { ...progress, retrying: isSent };
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, Math.max(0, milliseconds)));
