// Claims what a connection may send now: the oldest due deliveries, limited by free places, rate and MaxInFlight, and in
// ordered connections one for each record.

import type { Sql, Transaction } from "../../platform/db/sql.ts";
import type { ConnectionId, TenantId } from "../../platform/ids.ts";
import { lockRedelivery, type Redelivery } from "../redelivery/store.ts";
import {
  type Candidate,
  type CandidateSource,
  listBeyond,
  listHeld,
  listQueued,
  listSelected,
  PAGE,
} from "./candidates.store.ts";
import {
  assignToWorkflows,
  type ClaimedDelivery,
  countInRates,
  holdDue,
  lockQueue,
  type QueueRules,
  storePosition,
} from "./queue.store.ts";

export interface Claim {
  claimed: ClaimedDelivery[];
  /** Whether more is waiting. */
  left: boolean;
  /** Another worker has the queue locked or its posts in progress; this worker is not notified when that ends. */
  isBlocked?: boolean;
  /** Milliseconds after which more may be sent without further events. */
  againInMs?: number;
}

/** @param places for deliveries that are posted at once */
export function claim(sql: Sql, connectionId: ConnectionId, places: number): Promise<Claim> {
  return sql.begin(async (tx): Promise<Claim> => {
    const rules = await lockQueue(tx, connectionId);
    if (rules === "locked") return { claimed: [], left: true, isBlocked: true };
    if (!rules) return { claimed: [], left: false };
    const { tenantId } = rules;
    const redelivery = await lockRunning(tx, rules);
    // Held deliveries are sent before queued ones, so the queue becomes Held too.
    const holdsQueue = !rules.isActive || rules.isDraining;
    if (holdsQueue && (await holdDue(tx, connectionId, PAGE)) === PAGE) {
      return { claimed: [], left: true, againInMs: 0 };
    }
    const choice = new Choice(places, rules);
    const claimed = await assignToWorkflows(tx, tenantId, await fromQueue(tx, connectionId, rules, holdsQueue, choice));
    const sent = redelivery ? await fromRedelivery(tx, rules, redelivery, choice) : [];
    const next = await countInRates(
      tx,
      connectionId,
      choice.posts,
      redelivery && { id: redelivery.id, posts: sent.length },
    );
    // No notification arrives when the rate allows the next one, so a timer is needed.
    if (rules.tokens && choice.posts >= rules.tokens) choice.again(next.postInMs);
    if (sent.length > 0 && sent.length >= rules.redeliveryTokens) choice.again(next.redeliveredInMs);
    return {
      claimed: [...claimed, ...sent],
      left: next.left || redelivery !== undefined,
      isBlocked: rules.postsLeft !== null && rules.postsLeft <= 0,
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
  holdsQueue: boolean,
  choice: Choice,
): Promise<Candidate[]> {
  if (choice.isFull) return [];
  const oldest = await listQueued(tx, connectionId, isOrdered, holdsQueue);
  const chosen = choice.of(oldest, { inOrder: isOrdered });
  if (!isOrdered || holdsQueue) return chosen;
  return [...chosen, ...(await fromBeyond(tx, connectionId, "queue", oldest, choice))];
}

/** Claims at most one delivery of each record at a time, also without Order Record. */
async function fromRedelivery(
  tx: Transaction,
  { tenantId, redeliveryTokens, redeliveryTokenInMs }: QueueRules,
  redelivery: Redelivery,
  choice: Choice,
): Promise<ClaimedDelivery[]> {
  choice.limit(redeliveryTokens, redeliveryTokenInMs);
  if (choice.isFull) return [];
  const oldest = await listSelected(tx, tenantId, redelivery);
  // A Replay stores its position, so it must not skip any delivery.
  const isReplay = redelivery.kind === "Replay";
  const chosen = choice.of(oldest, { inOrder: true, stopsAtBusy: isReplay });
  const last = chosen.at(-1);
  if (isReplay && last) await storePosition(tx, redelivery, last.position);
  if (!isReplay) chosen.push(...(await fromBeyond(tx, redelivery.connectionId, "Drain", oldest, choice)));
  return assignToWorkflows(tx, tenantId, chosen, redelivery);
}

/** The Held delivery that a drain would send first. @param tx has locked the connection */
export async function firstHeld(
  tx: Transaction,
  tenantId: TenantId,
  connectionId: ConnectionId,
): Promise<Candidate | undefined> {
  const choice = new Choice(1, { tokens: null, tokenInMs: 0, postsLeft: null });
  const oldest = await listHeld(tx, tenantId, connectionId);
  const [first] = choice.of(oldest, { inOrder: true });
  return first ?? (await fromBeyond(tx, connectionId, "Drain", oldest, choice))[0];
}

async function fromBeyond(
  tx: Transaction,
  connectionId: ConnectionId,
  waiting: CandidateSource,
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
  /** The number of chosen deliveries that are posted at once. */
  posts = 0;
  #left: number;
  /** Records with an earlier candidate. Later candidates of these records must wait. */
  #busy = new Set<string>();

  constructor(
    places: number,
    { tokens, tokenInMs, postsLeft }: Pick<QueueRules, "tokens" | "tokenInMs" | "postsLeft">,
  ) {
    this.#left = places;
    if (tokens !== null) this.limit(tokens, tokenInMs);
    if (postsLeft !== null) this.#left = Math.min(this.#left, postsLeft);
  }

  limit(max: number, againInMs: number): void {
    if (max <= 0) this.again(againInMs);
    this.#left = Math.min(this.#left, max);
  }

  get isFull(): boolean {
    return this.#left <= 0;
  }

  get records(): string[] {
    return [...this.#busy];
  }

  of(
    candidates: Candidate[],
    { inOrder, stopsAtBusy = false }: { inOrder: boolean; stopsAtBusy?: boolean },
  ): Candidate[] {
    const chosen: Candidate[] = [];
    for (const candidate of candidates) {
      const { records, isBusy, isRetry, dueInMs } = candidate;
      const isFree = !inOrder || (!isBusy && records.every((record) => !this.#busy.has(record)));
      for (const record of records) this.#busy.add(record);
      // A retry needs no place yet, because its workflow waits for the time.
      const isDue = dueInMs === 0;
      if (isFree && !isDue && !isRetry) this.again(dueInMs);
      else if (isFree && isDue && this.isFull) return chosen;
      else if (isFree) {
        chosen.push(candidate);
        if (isDue) this.#take();
      } else if (stopsAtBusy) return chosen;
    }
    return chosen;
  }

  #take(): void {
    this.#left--;
    this.posts++;
  }

  /** Sets the latest time of the next claim. */
  again(inMs: number): void {
    this.againInMs = Math.min(this.againInMs ?? inMs, inMs);
  }
}
