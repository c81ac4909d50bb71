// What of a connection's queue may go now: the oldest that are due, as many as there is room for, within its rate and
// its places; of a record one at a time where order is kept.

import type { Sql, Transaction } from "../../db/connection.ts";
import { lockRedelivery, type Redelivery } from "../redelivery/store.ts";
import {
  type Begun,
  begin,
  type Candidate,
  holdWaiting,
  listQueued,
  listSelected,
  lockQueue,
  moveOn,
  type QueueRules,
  spend,
} from "./queue.store.ts";

/** Read at a time, and at most so many pages, for one that waits for its record lets others pass. */
const PAGE = 100;
const MOST_PAGES = 10;
/** Until a queue is looked at again that another worker is at, or that has all its posts out from several. */
const SOON_MS = 100;

export interface Claim {
  begun: Begun[];
  tenantId?: string;
  /** Whether something is left. */
  left: boolean;
  /** Milliseconds after which more may go, though nothing has happened here. */
  againInMs?: number;
}

/** @param room for deliveries whose post begins at once */
export function claim(sql: Sql, connectionId: string, room: number): Promise<Claim> {
  return sql.begin(async (tx): Promise<Claim> => {
    const rules = await lockQueue(tx, connectionId);
    if (rules === "locked") return { begun: [], left: true, againInMs: SOON_MS };
    if (!rules) return { begun: [], left: false };
    const redelivery = await lockRunning(tx, rules);
    if (!rules.isActive && (await holdWaiting(tx, connectionId, PAGE)) === PAGE) {
      return { begun: [], left: true, againInMs: 0 };
    }
    const choice = new Choice(rules, room, redelivery !== undefined);
    await choice.fromPages((after) => listQueued(tx, connectionId, choice.inOrder, after, PAGE));
    const begun = await begin(tx, rules.tenantId, choice.take());
    const queued = choice.begun;
    const sent = redelivery ? await fromRedelivery(tx, rules, redelivery, choice) : [];
    const redelivered = choice.begun - queued;
    const next = await spend(tx, connectionId, choice.begun, redelivery && { id: redelivery.id, posts: redelivered });
    // Nobody else tells when there is one more.
    if (rules.tokens && choice.begun >= rules.tokens) choice.again(next.postInMs);
    if (redelivered > 0 && redelivered >= rules.redeliveryTokens) choice.again(next.redeliveredInMs);
    return {
      begun: [...begun, ...sent],
      tenantId: rules.tenantId,
      left: choice.left || sent.length > 0,
      ...(choice.againInMs === undefined ? {} : { againInMs: choice.againInMs }),
    };
  }) as Promise<Claim>;
}

async function lockRunning(tx: Transaction, rules: QueueRules): Promise<Redelivery | undefined> {
  if (!rules.isActive || !rules.redeliveryId) return undefined;
  const redelivery = await lockRedelivery(tx, rules.tenantId, rules.redeliveryId, "share");
  return redelivery?.state === "Running" ? redelivery : undefined;
}

async function fromRedelivery(
  tx: Transaction,
  rules: QueueRules,
  redelivery: Redelivery,
  choice: Choice,
): Promise<Begun[]> {
  choice.limit(rules.redeliveryTokens, rules.redeliveryTokenInMs);
  const isReplay = redelivery.kind === "Replay";
  // What the queue has chosen is none of its own.
  choice.lastEventId = undefined;
  // A Replay remembers how far it has come, so it passes none over.
  if (isReplay) choice.passNone();
  await choice.fromPages(
    (after) => listSelected(tx, rules.tenantId, redelivery, after, PAGE),
    isReplay ? 1 : MOST_PAGES,
  );
  const last = choice.lastEventId;
  const sent = await begin(tx, rules.tenantId, choice.take(), redelivery);
  if (isReplay && last) await moveOn(tx, redelivery, last);
  return sent;
}

class Choice {
  readonly inOrder: boolean;
  left = false;
  againInMs: number | undefined;
  lastEventId: string | undefined;
  /** Those whose post begins at once. */
  begun = 0;
  #room: number;
  #isActive: boolean;
  #passesOver = true;
  #busy = new Set<string>();
  #chosen: string[] = [];

  constructor(rules: QueueRules, room: number, isRedelivering: boolean) {
    this.inOrder = rules.isOrdered || isRedelivering;
    this.#isActive = rules.isActive;
    this.#room = room;
    if (rules.tokens !== null) this.limit(rules.tokens, rules.tokenInMs);
    if (rules.places !== null) this.limit(rules.places, SOON_MS);
  }

  limit(most: number, againInMs: number): void {
    if (most <= 0) this.again(againInMs);
    this.#room = Math.min(this.#room, most);
  }

  passNone(): void {
    this.#passesOver = false;
  }

  /** @returns what was chosen since the last time */
  take(): string[] {
    return this.#chosen.splice(0);
  }

  async fromPages(read: (after: number) => Promise<Candidate[]>, most = MOST_PAGES): Promise<void> {
    let after = -1;
    for (let page = 0; page < most; page++) {
      const candidates = await read(after);
      for (const candidate of candidates) if (!this.#consider(candidate)) return;
      if (candidates.length < PAGE) return;
      after = candidates.at(-1)!.position;
    }
    this.left = true;
  }

  /** @returns whether to go on */
  #consider(candidate: Candidate): boolean {
    const { isBegun, isPing, isRetry, dueInMs } = candidate;
    const records = this.inOrder && !isPing ? candidate.recordIds.map((id) => `${candidate.record} ${id}`) : [];
    const isBlocked = records.some((record) => this.#busy.has(record));
    for (const record of records) this.#busy.add(record);
    if (isBegun) return true;
    this.left = true;
    if (isBlocked) return this.#passesOver;
    if (!this.#isActive && !isPing) return true;
    // It needs no place before it is due: its workflow waits for that.
    if (dueInMs > 0 && isRetry) this.#chosen.push(candidate.id);
    else if (dueInMs > 0) this.again(dueInMs);
    else if (this.#room > 0) {
      this.#room--;
      this.begun++;
      this.#chosen.push(candidate.id);
      this.lastEventId = candidate.eventId;
    } else return false;
    return true;
  }

  /** At the latest. */
  again(inMs: number): void {
    this.againInMs = Math.min(this.againInMs ?? inMs, inMs);
  }
}
