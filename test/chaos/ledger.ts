// The report at the end: compares changes answered 200 with the activity log and with the receivers' calls.

import type { DeliveryState } from "../../workflows/contract.ts";
import type { Api, LoggedEvent } from "../world/api.ts";
import type { Receiver } from "../world/receiver.ts";
import type { ChangeKey, Sent } from "./load.ts";

/** A tenant with its connections, their receivers, and the sent changes. */
export interface Account {
  api: Api;
  receivers: Map<string, Receiver>;
  /** Ids of the ordered connections. */
  ordered: Set<string>;
  sent: Sent;
}

export interface Ledger {
  sent: number;
  committed: number;
  /** In the log, but not answered 200. */
  committedUnanswered: number;
  owed: number;
  states: Record<DeliveryState, number>;
  /** Calls that a receiver answered 2xx, and the number of repeated events among them. */
  taken: number;
  takenAgain: number;
  /** The problem of each missing event, as text. */
  lost: string[];
  /** Deliveries that are still open, with the reason in the log. */
  late: string[];
  /** Calls of an ordered connection that arrived after a later change of their record, as text. */
  outOfOrder: string[];
}

const OPEN: DeliveryState[] = ["Pending", "Retrying"];
const PAGE = 200;
const LOOK_MS = 1_000;

/**
 * Waits until no delivery is open, and makes the report.
 * @param openNow the number of open deliveries, undefined if currently unknown
 * @param patienceMs maximum time without a finished delivery; deliveries open after it are late
 */
export async function settle(
  accounts: Account[],
  openNow: () => Promise<number | undefined>,
  patienceMs: number,
  say: (line: string) => void = () => {},
): Promise<Ledger> {
  await waitWhileItGoesOn(openNow, patienceMs, say);
  const states = { Pending: 0, Retrying: 0, Delivered: 0, Exhausted: 0, Held: 0, Cancelled: 0 };
  const ledger: Ledger = {
    ...{ sent: 0, committed: 0, committedUnanswered: 0, owed: 0, states, taken: 0, takenAgain: 0 },
    ...{ lost: [], late: [], outOfOrder: [] },
  };
  for (const account of accounts) await addTo(ledger, account, await readLog(account.api));
  return ledger;
}

async function waitWhileItGoesOn(
  openNow: () => Promise<number | undefined>,
  patienceMs: number,
  say: (line: string) => void,
): Promise<void> {
  let fewest = Number.POSITIVE_INFINITY;
  let since = performance.now();
  while (fewest > 0 && performance.now() - since < patienceMs) {
    const open = await openNow();
    if (open !== undefined && open < fewest) {
      fewest = open;
      since = performance.now();
      say(`${open} deliveries are open`);
    }
    await Bun.sleep(LOOK_MS);
  }
}

async function addTo(ledger: Ledger, { api, receivers, ordered, sent }: Account, events: LoggedEvent[]): Promise<void> {
  const known = new Map(events.map((event) => [`${event.RecordId} ${event.EventType}` as ChangeKey, event]));
  const took = new Map([...receivers].map(([id, receiver]) => [id, eventsTaken(receiver)]));
  ledger.sent += sent.changes;
  ledger.committed += sent.committed.size;
  ledger.committedUnanswered += known.size - [...sent.committed].filter((key) => known.has(key)).length;
  for (const taken of took.values()) {
    const posts = [...taken.values()].reduce((sum, count) => sum + count, 0);
    ledger.taken += posts;
    ledger.takenAgain += posts - taken.size;
  }
  for (const id of ordered) ledger.outOfOrder.push(...outOfOrder(receivers.get(id)!));
  for (const key of sent.committed) if (!known.has(key)) ledger.lost.push(`${key}: no event`);
  for (const event of events) {
    for (const id of receivers.keys()) {
      const state = event.Deliveries.find(({ ConnectionId }) => ConnectionId === id)?.State;
      ledger.owed++;
      if (state) ledger.states[state]++;
      const name = `event ${event.EventId} to connection ${id}`;
      const problem = problemOf(state, took.get(id)!.has(event.EventId));
      if (problem) ledger.lost.push(`${name}: ${problem}`);
      if (state && OPEN.includes(state)) ledger.late.push(`${name}: ${await reasonOf(api, event.EventId, id)}`);
    }
  }
}

function problemOf(state: DeliveryState | undefined, taken: boolean): string | undefined {
  if (!state) return "no delivery";
  if (state === "Delivered" && !taken) return "Delivered, but the receiver never took it";
  return undefined;
}

/** The reason for an open delivery, from the log. */
async function reasonOf(api: Api, eventId: string, connectionId: string): Promise<string | undefined> {
  const { Items } = await api.why(eventId, `ConnectionId=${connectionId}`);
  return Items[0]?.Reason;
}

/** The number of accepted calls of each event. */
function eventsTaken({ calls }: Receiver): Map<string, number> {
  const taken = new Map<string, number>();
  for (const { status, payload } of calls) {
    if (status === 200) taken.set(payload.EventId, (taken.get(payload.EventId) ?? 0) + 1);
  }
  return taken;
}

/** A repeated call precedes the next one, because the next is sent only after it was recorded. */
function outOfOrder({ calls, url }: Receiver): string[] {
  const newest = new Map<string, number>();
  return calls.flatMap(({ status, payload, headers }) => {
    if (status !== 200) return [];
    const record = String(payload.Data.Id);
    const sequence = Number(headers.get("webhook-sequence"));
    const before = newest.get(record) ?? 0;
    newest.set(record, Math.max(before, sequence));
    return sequence >= before ? [] : [`${url}, record ${record}: ${sequence} after ${before}`];
  });
}

async function readLog(api: Api): Promise<LoggedEvent[]> {
  const events: LoggedEvent[] = [];
  let cursor: string | null = "";
  do {
    const from = cursor && `&Cursor=${cursor}`;
    const page: { Items: LoggedEvent[]; Next: string | null } = await api.events(
      `EventRecord=Application&Limit=${PAGE}${from}`,
    );
    events.push(...page.Items);
    cursor = page.Next;
  } while (cursor);
  return events;
}
