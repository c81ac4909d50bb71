// Selects what a connection may send now: the oldest due deliveries, limited by room, rate and concurrency, and in
// ordered connections one for each record.

import type { Sql, Transaction } from "../../db/sql.ts";
import type { ConnectionId } from "../../ids.ts";
import { lockRedelivery, type Redelivery } from "../redelivery/store.ts";
import { type Candidate, type CandidatePlace, listBeyond, listQueued, listSelected, PAGE } from "./candidates.store.ts";
import { type Begun, begin, holdDue, lockQueue, moveOn, type QueueRules, spend } from "./queue.store.ts";

export interface Claim {
  begun: Begun[];
  /** Whether more is waiting. */
  left: boolean;
  /** Another worker has the queue locked or its posts in progress; this worker is not notified when that ends. */
  isBlocked?: boolean;
  /** Milliseconds after which more may be sent without further events. */
  againInMs?: number;
}

/** @param room for deliveries that are posted at once */
export function claim(sql: Sql, connectionId: ConnectionId, room: number): Promise<Claim> {
  return sql.begin(async (tx): Promise<Claim> => {
    const rules = await lockQueue(tx, connectionId);
    if (rules === "locked") return { begun: [], left: true, isBlocked: true };
    if (!rules) return { begun: [], left: false };
    const { tenantId } = rules;
    const redelivery = await lockRunning(tx, rules);
    // Missed deliveries precede the queue, so the queue is held to keep the order.
    const isHeldBack = !rules.isActive || rules.isDraining;
    if (isHeldBack && (await holdDue(tx, connectionId, PAGE)) === PAGE) {
      return { begun: [], left: true, againInMs: 0 };
    }
    const choice = new Choice(room, rules);
    const begun = await begin(tx, tenantId, await fromQueue(tx, connectionId, rules, isHeldBack, choice));
    const sent = redelivery ? await fromRedelivery(tx, rules, redelivery, choice) : [];
    const next = await spend(tx, connectionId, choice.posts, redelivery && { id: redelivery.id, posts: sent.length });
    // No notification arrives when the rate allows the next one, so a timer is needed.
    if (rules.tokens && choice.posts >= rules.tokens) choice.again(next.postInMs);
    if (sent.length > 0 && sent.length >= rules.redeliveryTokens) choice.again(next.redeliveredInMs);
    return {
      begun: [...begun, ...sent],
      left: next.left || redelivery !== undefined,
      isBlocked: rules.places !== null && rules.places <= 0,
      ...(choice.againInMs === undefined ? {} : { againInMs: choice.againInMs }),
    };
  }) as Promise<Claim>;
}

async function lockRunning(tx: Transaction, rules: QueueRules): Promise<Redelivery | undefined> {
  if (!rules.isActive || !rules.redeliveryId) return undefined;
  const redelivery = await lockRedelivery(tx, rules.tenantId, rules.redeliveryId, "share");
  return redelivery?.state === "Running" ? redelivery : undefined;
}

async function fromQueue(
  tx: Transaction,
  connectionId: ConnectionId,
  { isOrdered }: QueueRules,
  isHeldBack: boolean,
  choice: Choice,
): Promise<Candidate[]> {
  if (choice.isFull) return [];
  const oldest = await listQueued(tx, connectionId, isOrdered, isHeldBack);
  const chosen = choice.of(oldest, { inOrder: isOrdered });
  if (!isOrdered || isHeldBack) return chosen;
  return [...chosen, ...(await fromBeyond(tx, connectionId, "queue", oldest, choice))];
}

/** Always one at a time for each record. */
async function fromRedelivery(
  tx: Transaction,
  { tenantId, redeliveryTokens, redeliveryTokenInMs }: QueueRules,
  redelivery: Redelivery,
  choice: Choice,
): Promise<Begun[]> {
  choice.limit(redeliveryTokens, redeliveryTokenInMs);
  if (choice.isFull) return [];
  const oldest = await listSelected(tx, tenantId, redelivery);
  // A Replay stores its position, so it must not skip any delivery.
  const isReplay = redelivery.kind === "Replay";
  const chosen = choice.of(oldest, { inOrder: true, passesNone: isReplay });
  const last = chosen.at(-1);
  if (isReplay && last) await moveOn(tx, redelivery, last.position);
  if (!isReplay) chosen.push(...(await fromBeyond(tx, redelivery.connectionId, "Drain", oldest, choice)));
  return begin(tx, tenantId, chosen, redelivery);
}

async function fromBeyond(
  tx: Transaction,
  connectionId: ConnectionId,
  waiting: CandidatePlace,
  oldest: Candidate[],
  choice: Choice,
): Promise<Candidate[]> {
  const last = oldest.at(-1);
  if (choice.isFull || !last || oldest.length < PAGE) return [];
  const beyond = await listBeyond(tx, connectionId, waiting, { position: last.position, records: choice.records });
  return choice.of(beyond, { inOrder: true });
}

class Choice {
  againInMs: number | undefined;
  /** Deliveries that start at once. */
  posts = 0;
  #room: number;
  /** Records with an earlier candidate; later ones must wait. */
  #busy = new Set<string>();

  constructor(room: number, { tokens, tokenInMs, places }: QueueRules) {
    this.#room = room;
    if (tokens !== null) this.limit(tokens, tokenInMs);
    if (places !== null) this.#room = Math.min(this.#room, places);
  }

  limit(max: number, againInMs: number): void {
    if (max <= 0) this.again(againInMs);
    this.#room = Math.min(this.#room, max);
  }

  get isFull(): boolean {
    return this.#room <= 0;
  }

  get records(): string[] {
    return [...this.#busy];
  }

  of(
    candidates: Candidate[],
    { inOrder, passesNone = false }: { inOrder: boolean; passesNone?: boolean },
  ): Candidate[] {
    const chosen: Candidate[] = [];
    for (const candidate of candidates) {
      const { records, isBusy, isRetry, dueInMs } = candidate;
      const isFree = !inOrder || (!isBusy && records.every((record) => !this.#busy.has(record)));
      for (const record of records) this.#busy.add(record);
      // A retry needs no place yet, because its workflow waits for the time.
      const goesNow = dueInMs === 0;
      if (isFree && !goesNow && !isRetry) this.again(dueInMs);
      else if (isFree && goesNow && this.isFull) return chosen;
      else if (isFree) {
        chosen.push(candidate);
        if (goesNow) this.#take();
      } else if (passesNone) return chosen;
    }
    return chosen;
  }

  #take(): void {
    this.#room--;
    this.posts++;
  }

  /** Sets the latest time of the next look. */
  again(inMs: number): void {
    this.againInMs = Math.min(this.againInMs ?? inMs, inMs);
  }
}
