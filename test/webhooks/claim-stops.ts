// A connection's deliveries in a database of their own, without workers, and a claim that a lock stops at one of its looks
// at them.

import { expect } from "bun:test";
import { connect, type Sql, type Transaction } from "../../server/platform/db/sql.ts";
import { type ConnectionId, type DeliveryId, type EventId, newId, type TenantId } from "../../server/platform/ids.ts";
import { insertEvent } from "../../server/records/events/store.ts";
import { lockConnection } from "../../server/webhooks/connections.store.ts";
import { PAGE } from "../../server/webhooks/deliveries/candidates.store.ts";
import { claim } from "../../server/webhooks/deliveries/claim.ts";
import { isUnderWay, startAttempts } from "../../server/webhooks/deliveries/start-attempt.store.ts";
import { type AttemptOutcome, recordAttempt } from "../../server/webhooks/deliveries/store.ts";
import { endHold, setActive } from "../../server/webhooks/holding.store.ts";
import { countAllEnded } from "../../server/webhooks/redelivery/follow.store.ts";
import { followRedelivery } from "../../server/webhooks/redelivery/follow.ts";
import {
  insertRedelivery,
  positionsOf,
  type Selection,
  startDrain,
  timePastEvents,
} from "../../server/webhooks/redelivery/store.ts";
import { type EmptyDatabase, newMigratedDatabase } from "../support/empty-database.ts";
import { until } from "../world/api.ts";
import { holdNumber, waitingFor, waits } from "../world/locks.ts";
import { addRows, countOf, pileUp, rowsOf, setRows } from "../world/rows.ts";

const PLACES = 64;
const MAX_ATTEMPTS = 3;
/** Before the numbers of the locks at which a claim stops. */
const LOOK = 4_711_000_000;
const lookOf = (look: number) => LOOK + look;

export interface Sessions {
  /** For the state before and after, and the locks. */
  sql: Sql;
  /** For the moves. */
  movers: Sql;
  /** Stops at each look. */
  claimers: Sql;
}

/** @returns sessions of a new database, until it is disposed of */
export async function openSessions(): Promise<Sessions & AsyncDisposable> {
  const database: EmptyDatabase = await newMigratedDatabase();
  const sql = connect(database.url, "order", 3);
  const movers = connect(database.url, "order moves", 3);
  const url = new URL(await database.asReader());
  // Row security adds the stop to each statement. It does not apply to the owner.
  await sql.unsafe(`
    create sequence looks;
    create function look() returns boolean language plpgsql as $$
    begin
      perform pg_advisory_xact_lock_shared(${LOOK} + nextval('looks'));
      return true;
    end $$;
    alter table deliveries enable row level security;
    create policy looks on deliveries to ${url.username} using ((select look()))`);
  const claimers = connect(url.href, "order claim", 1);
  return {
    ...{ sql, movers, claimers },
    async [Symbol.asyncDispose]() {
      await Promise.all([sql, movers, claimers].map((each) => each.end()));
      await database[Symbol.asyncDispose]();
    },
  };
}

export interface Delivery {
  id: DeliveryId;
  eventId: EventId;
}

/** A connection of a tenant of its own. */
export class World {
  readonly tenantId = newId<TenantId>();
  readonly id = newId<ConnectionId>();
  /** By event, such as "a2" for the second change of record a. */
  readonly names = new Map<string, string>();
  #changes = 0;

  constructor(private readonly sessions: Sessions) {}

  private get sql(): Sql {
    return this.sessions.sql;
  }

  async make(order: "None" | "Record"): Promise<this> {
    await addRows("tenants", { id: this.tenantId, name: this.tenantId }, this.sql);
    const sends = { entities: ["Application"], events: ["Updated"], order_by: order, state: "Active" };
    const receiver = { url: "https://receiver.example/", api_key: new Uint8Array() };
    await addRows("webhook_connections", { id: this.id, tenant_id: this.tenantId, ...receiver, ...sends }, this.sql);
    return this;
  }

  /** @param records of the changed ones, such as "a" or "ab" */
  async change(records: string, by: Sql = this.sql): Promise<Delivery> {
    const eventId = newId<EventId>();
    this.names.set(eventId, `${records}${++this.#changes}`);
    const change = { eventType: "Updated", eventRecord: "Application", recordIds: [...records], sequences: null };
    const event = { eventId, ...change, payload: "{}", recordName: null, occurredOn: new Date() };
    await insertEvent(by, this.tenantId, { ...event, traceParent: undefined });
    const [delivery] = await rowsOf<{ id: DeliveryId }>("deliveries", { event_id: eventId }, this.sql);
    return { id: delivery!.id, eventId };
  }

  /** Changes that fill the first page of a claim, all of one record. */
  async changeMany(record: string): Promise<void> {
    const { eventId } = await this.change(record);
    await setRows("events", { id: eventId }, { sequences: [1] }, this.sql);
    await pileUp(this.sql, eventId, PAGE);
  }

  claim(by: Sql = this.sql) {
    return claim(by, this.id, PLACES);
  }

  async open({ id: deliveryId, eventId }: Delivery) {
    const due = { tenantId: this.tenantId, eventId, deliveryId, maximumAttempts: MAX_ATTEMPTS };
    const [started] = await startAttempts(this.sql, [{ ...due, startedBy: Bun.randomUUIDv7() }], "wait");
    return started!;
  }

  record({ id, eventId }: Delivery, number: number, status: number, outcome: AttemptOutcome, by: Sql = this.sql) {
    const attempt = { number, startedOn: new Date(), durationMs: 1, statusCode: status, failure: null };
    const response = { responseHeaders: null, responseBody: null };
    return recordAttempt(by, this.tenantId, eventId, id, { ...attempt, ...response }, outcome);
  }

  async post(delivery: Delivery, status: 200 | 500, reached: AttemptOutcome["reached"]): Promise<void> {
    const { attempted, number } = await this.open(delivery);
    expect(attempted).toBe(true);
    const nextInMs = reached === "Retrying" ? 0 : undefined;
    await this.record(delivery, number, status, { reached, hold: undefined, nextInMs });
  }

  /** A claimed change that waits for its retry. */
  async retrying(records: string): Promise<Delivery> {
    const delivery = await this.change(records);
    await this.claim();
    await this.post(delivery, 500, "Retrying");
    return delivery;
  }

  locked(work: (tx: Transaction) => Promise<unknown>): Promise<unknown> {
    return this.sessions.movers.begin(async (tx) => {
      await lockConnection(tx, this.tenantId, { id: this.id });
      await work(tx);
    });
  }

  pause() {
    return this.locked((tx) => setRows("webhook_connections", { id: this.id }, { state: "Paused" }, tx));
  }

  resume() {
    return this.locked(async (tx) => {
      await setActive(tx, this.tenantId, this.id);
      await endHold(tx, this.tenantId, this.id);
      await countAllEnded(tx, this.tenantId, this.id);
      await startDrain(tx, this.tenantId, this.id, true);
    });
  }

  setOrder(order: "None" | "Record") {
    return this.locked((tx) => setRows("webhook_connections", { id: this.id }, { order_by: order }, tx));
  }

  async replay(): Promise<void> {
    const selection: Selection = {
      ...{ kind: "Replay", connectionId: this.id, states: ["Delivered"], from: new Date(0) },
      ...{ to: null, lastPosition: 0, endPosition: 0, asOf: new Date(Date.now() + 60_000) },
    };
    await this.locked(async (tx) => {
      const to = await timePastEvents(tx, this.tenantId);
      const positions = await positionsOf(tx, this.tenantId, selection.from!, to);
      const counts = { id: newId<never>(), rate: 1_000, total: 1, skipped: 0 };
      await insertRedelivery(tx, this.tenantId, { ...selection, to, ...positions, ...counts });
    });
  }

  /** Begun deliveries whose record has a second one, or an older open one, as text. */
  async problems(isOlderAllowed: boolean): Promise<string[]> {
    const open = await this.sql<{ eventId: EventId; records: string[]; position: number; isOut: boolean }[]>`
      select d.event_id as "eventId", string_to_array(e.record_id, ',') as records, d.position, ${isUnderWay(this.sql)} as "isOut"
      from deliveries d join events e on e.id = d.event_id
      where d.connection_id = ${this.id} and d.state in ('Pending', 'Retrying', 'Held') order by d.position`;
    return open.flatMap((out, index) => {
      if (!out.isOut) return [];
      const others = open.filter(
        (other, at) =>
          other !== out &&
          other.records.some((record) => out.records.includes(record)) &&
          (other.isOut || (at < index && !isOlderAllowed)),
      );
      return others.map((other) => `${this.#named(out)} is out beside ${this.#named(other)}`);
    });
  }

  /** Delivers all but the page of one record. @returns their names in the order of their calls */
  async delivered(): Promise<string[]> {
    const calls: string[] = [];
    const [connection] = await rowsOf("webhook_connections", { id: this.id }, this.sql);
    if (connection.state !== "Active") await this.resume();
    await until("all to be delivered", async () => {
      await this.claim();
      const out = await this.sql<Delivery[]>`
        select d.id, d.event_id as "eventId" from deliveries d where d.connection_id = ${this.id} and ${isUnderWay(this.sql)}
        order by d.position`;
      for (const delivery of out) {
        await this.post(delivery, 200, "Delivered");
        if (this.names.has(delivery.eventId)) calls.push(this.#named(delivery));
      }
      const running = await rowsOf("redeliveries", { connection_id: this.id, state: "Running" }, this.sql);
      for (const { id } of running) await followRedelivery(this.sql, this.tenantId, id, () => false);
      const open = { event_id: [...this.names.keys()], state: ["Pending", "Retrying", "Held"] };
      const left = await countOf("deliveries", { connection_id: this.id, ...open }, this.sql);
      return left === 0 && running.length === 0;
    });
    return calls;
  }

  #named({ eventId }: Pick<Delivery, "eventId">): string {
    return this.names.get(eventId) ?? "another";
  }
}

/** Whether a move waits for a session of this name. */
export const waitsFor = (all: Awaited<ReturnType<typeof waits>>, name: string) =>
  all.some((one) => one.application_name === "order moves" && one.holder.name === name);

/** Makes the move at this look of the claim. @returns whether the claim has looked so often */
export async function stoppedAt(
  { sql }: Sessions,
  look: number,
  claimed: () => Promise<unknown>,
  move: () => Promise<unknown>,
): Promise<boolean> {
  await sql`select setval('looks', 1, false)`;
  await using stop = await holdNumber(lookOf(look), sql);
  let isClaimed = false;
  const claiming = claimed().finally(() => {
    isClaimed = true;
  });
  const isStopped = async () => (await waitingFor(stop, sql)).length > 0;
  await until("the claim to stop or end", async () => isClaimed || (await isStopped()));
  const wasStopped = !isClaimed;
  let isMoved = false;
  const moving = move().finally(() => {
    isMoved = true;
  });
  const isBlocked = async () => waitsFor(await waits(sql), "order claim");
  await until("the move to be made, or to wait for the claim", async () => isMoved || (await isBlocked()));
  await stop.release();
  await Promise.all([claiming, moving]);
  return wasStopped;
}
