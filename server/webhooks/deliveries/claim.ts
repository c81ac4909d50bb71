// What of a connection's queue may go now: the oldest that are due, as many as there is room for, within its rate and
// its places; of a record one at a time where order is kept.

import type { Sql, Transaction } from "../../db/connection.ts";
import { lockRedelivery, type Redelivery } from "../redelivery/store.ts";
import { type Candidate, listQueued, listSelected } from "./candidates.store.ts";
import { type Begun, begin, holdDue, lockQueue, moveOn, type QueueRules, spend } from "./queue.store.ts";
import { SOON_MS } from "./wakes.ts";

/** Rows that are read, or held, at a time. */
const PAGE = 100;

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
    // Another worker is at it.
    if (rules === "locked") return { begun: [], left: true, againInMs: SOON_MS };
    if (!rules) return { begun: [], left: false };
    const { tenantId } = rules;
    const redelivery = await lockRunning(tx, rules);
    // What a connection has missed goes before what is in its queue, so that waits in the same order.
    const isHeldBack = !rules.isActive || rules.isDraining;
    if (isHeldBack && (await holdDue(tx, connectionId, redelivery?.id, PAGE)) === PAGE) {
      return { begun: [], tenantId, left: true, againInMs: 0 };
    }
    const choice = new Choice(room, rules);
    const queued = await choice.from(
      (busy) => listQueued(tx, connectionId, rules.isOrdered, isHeldBack, { busy, limit: PAGE }),
      {
        inOrder: rules.isOrdered,
      },
    );
    const begun = await begin(tx, tenantId, queued);
    const sent = redelivery ? await fromRedelivery(tx, rules, redelivery, choice) : [];
    const next = await spend(tx, connectionId, choice.posts, redelivery && { id: redelivery.id, posts: sent.length });
    // Nobody else tells when there is one more.
    if (rules.tokens && choice.posts >= rules.tokens) choice.again(next.postInMs);
    if (sent.length > 0 && sent.length >= rules.redeliveryTokens) choice.again(next.redeliveredInMs);
    return {
      begun: [...begun, ...sent],
      tenantId,
      left: next.left || redelivery !== undefined,
      ...(choice.againInMs === undefined ? {} : { againInMs: choice.againInMs }),
    };
  }) as Promise<Claim>;
}

async function lockRunning(tx: Transaction, rules: QueueRules): Promise<Redelivery | undefined> {
  if (!rules.isActive || !rules.redeliveryId) return undefined;
  const redelivery = await lockRedelivery(tx, rules.tenantId, rules.redeliveryId, "share");
  return redelivery?.state === "Running" ? redelivery : undefined;
}

/** In the order of records in any case. */
async function fromRedelivery(
  tx: Transaction,
  { tenantId, redeliveryTokens, redeliveryTokenInMs }: QueueRules,
  redelivery: Redelivery,
  choice: Choice,
): Promise<Begun[]> {
  choice.limit(redeliveryTokens, redeliveryTokenInMs);
  // A Replay remembers how far it has come, so it passes none over.
  const isReplay = redelivery.kind === "Replay";
  const chosen = await choice.from((busy) => listSelected(tx, tenantId, redelivery, { busy, limit: PAGE }), {
    inOrder: true,
    passesNone: isReplay,
  });
  const last = chosen.at(-1);
  if (isReplay && last) await moveOn(tx, redelivery, last.eventId);
  return begin(tx, tenantId, chosen, redelivery);
}

class Choice {
  againInMs: number | undefined;
  /** Those that begin at once. */
  posts = 0;
  #room: number;
  /** Of what was seen before: what comes after it has to wait. */
  #busy = new Set<string>();

  constructor(room: number, { tokens, tokenInMs, places }: QueueRules) {
    this.#room = room;
    if (tokens !== null) this.limit(tokens, tokenInMs);
    // Nobody here hears of the posts of other workers.
    if (places !== null) this.limit(places, SOON_MS);
  }

  limit(most: number, againInMs: number): void {
    if (most <= 0) this.again(againInMs);
    this.#room = Math.min(this.#room, most);
  }

  /** @param read the oldest, of no record that is busy if order is kept: a long queue of one record hides no other */
  async from(
    read: (busy: string[]) => Promise<Candidate[]>,
    { inOrder, passesNone = false }: { inOrder: boolean; passesNone?: boolean },
  ): Promise<Candidate[]> {
    const chosen: Candidate[] = [];
    for (;;) {
      const candidates = await read([...this.#busy]);
      for (const candidate of candidates) {
        const { records, isBusy, isRetry, dueInMs } = candidate;
        const isFree = !inOrder || (!isBusy && records.every((record) => !this.#busy.has(record)));
        for (const record of records) this.#busy.add(record);
        // A retry needs no place before it is due: its workflow waits for that.
        const goesNow = dueInMs === 0;
        if (isFree && !goesNow && !isRetry) this.again(dueInMs);
        else if (isFree && goesNow && this.#room <= 0) return chosen;
        else if (isFree) {
          chosen.push(candidate);
          if (goesNow) this.#take();
        } else if (passesNone) return chosen;
      }
      if (!inOrder || passesNone || candidates.length < PAGE) return chosen;
    }
  }

  #take(): void {
    this.#room--;
    this.posts++;
  }

  /** At the latest. */
  again(inMs: number): void {
    this.againInMs = Math.min(this.againInMs ?? inMs, inMs);
  }
}
