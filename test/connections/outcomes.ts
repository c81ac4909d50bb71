// A tenant with outcomes of many days, and every figure of the pages compared to the deliveries themselves.

import { expect } from "bun:test";
import type { Queries, Sql } from "../../server/platform/db/sql.ts";
import { type ConnectionId, type DeliveryId, type EventId, newId, type TenantId } from "../../server/platform/ids.ts";
import { recordAttempt } from "../../server/webhooks/deliveries/store.ts";
import { listHealth } from "../../server/webhooks/figures/connection-health.store.ts";
import { firstOfDay } from "../../server/webhooks/figures/hours.store.ts";
import { countOutcomes, outcomes } from "../../server/webhooks/figures/outcomes.store.ts";
import { countBySlice } from "../../server/webhooks/figures/statistics.store.ts";
import type { DeliveryState } from "../../workflows/contract.ts";
import { addRows, fill, setRows } from "../world/rows.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const SLICE_MS = 6 * HOUR_MS;
const WEEK_MS = 7 * DAY_MS;
const RETENTION_MS = 30 * DAY_MS;
const STATES = ["Delivered", "Delivered", "Exhausted", "Cancelled", "Held"] as const;

interface Delivery {
  id: DeliveryId;
  eventId: EventId;
}

interface Counted {
  connectionId: ConnectionId;
  state: DeliveryState;
  from: number;
  count: number;
}

const slot = (at: Date | number, ms: number) => Math.floor(Number(at) / ms) * ms;
const plain = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).toSorted();

export class Outcomes {
  readonly tenantId = newId<TenantId>();
  private readonly connectionIds = [newId<ConnectionId>(), newId<ConnectionId>()];

  constructor(private readonly sql: Sql) {}

  /** Events of nine days, each with a delivery to each of two connections. */
  async make(
    events: number,
    stateOf = (event: number): DeliveryState => STATES[event % STATES.length]!,
  ): Promise<this> {
    const { sql, tenantId, connectionIds } = this;
    await addRows("tenants", { id: tenantId, name: tenantId }, sql);
    const each = { url: "https://receiver.example/", entities: ["Application"], events: ["Updated"], api_key: "" };
    const active = { tenant_id: tenantId, ...each, order_by: "None", state: "Active" };
    await addRows(
      "webhook_connections",
      connectionIds.map((id) => ({ id, ...active })),
      sql,
    );
    await fill(sql, { tenantId, connectionIds, events, spanMs: 9 * DAY_MS, stateOf });
    return this;
  }

  /** As after a measurement for the page Data. */
  async measured(rows: number): Promise<void> {
    const today = new Date().toISOString().slice(0, 10);
    const measured = { tenant_id: this.tenantId, name: "deliveries_closed", day: today, rows, bytes: 1 };
    await addRows("kept_days", measured, this.sql);
  }

  /** The newest with this state, by default of those that reached it hours ago. */
  async deliveryIn(state: DeliveryState, before = new Date(Date.now() - 3 * HOUR_MS)): Promise<Delivery> {
    const [row] = await this.sql<Delivery[]>`
      select id, event_id as "eventId" from deliveries
      where tenant_id = ${this.tenantId} and state = ${state} and changed_on <= ${before}
      order by changed_on desc limit 1`;
    return row!;
  }

  /** An answer, as a worker records it. @returns the delivery's state */
  record(
    { id, eventId }: Delivery,
    reached: DeliveryState,
    sql: Queries = this.sql,
  ): Promise<DeliveryState | undefined> {
    const answer = { durationMs: 5, statusCode: 200, failure: null, responseHeaders: null, responseBody: null };
    const attempt = { number: 9, startedOn: new Date(), ...answer };
    return recordAttempt(sql, this.tenantId, eventId, id, attempt, { reached, hold: undefined, nextInMs: undefined });
  }

  async discardHeld(): Promise<void> {
    const held = { tenant_id: this.tenantId, state: "Held" };
    await setRows("deliveries", held, { state: "Cancelled", changed_on: new Date() }, this.sql);
  }

  /** Notes that retention has removed the day this many days ago. */
  async forget(days: number): Promise<void> {
    await this.sql`
      insert into removals (parent, starts_on)
      values ('events', date_trunc('day', now(), 'UTC') - make_interval(days => ${days}))`;
  }

  async keepFor(days: number): Promise<void> {
    await setRows("tenants", { id: this.tenantId }, { retention_days: days }, this.sql);
  }

  /** The age in hours of the oldest counted hour, and the number of outcomes in all. */
  async stored(sql: Queries = this.sql): Promise<{ count: number; hours: number }> {
    const [row] = await sql<{ count: number; hours: number }[]>`
      select coalesce(sum(count), 0)::int as count, coalesce(extract(epoch from now() - min(hour)) / 3600, 0)::float8 as hours
      from outcome_hours where tenant_id = ${this.tenantId}`;
    return row!;
  }

  async expectTrueFigures(): Promise<void> {
    const { sql, tenantId, connectionIds } = this;
    const since = firstOfDay();
    const week = new Date(slot(Date.now() - WEEK_MS, SLICE_MS) + SLICE_MS);
    const truth = await this.countOneByOne(since, HOUR_MS);
    const ofWeek = await this.countOneByOne(week, SLICE_MS);
    const counted = await countOutcomes(sql, tenantId, { starts: [since], sliceMs: HOUR_MS });
    const byHour = counted.filter(({ state }) => state !== "Failed");
    const healths = await listHealth(sql, tenantId, connectionIds, RETENTION_MS);
    const slices = await Promise.all(connectionIds.map((id) => countBySlice(sql, tenantId, id, week, SLICE_MS)));
    // The hour has ended meanwhile.
    if (firstOfDay() > since) return this.expectTrueFigures();
    const sum = (of: (one: Counted) => boolean) => truth.filter(of).reduce((total, { count }) => total + count, 0);
    expect(byHour.reduce((total, { count }) => total + count, 0)).toBe(sum(() => true));
    for (const { from, connectionId, state, count } of byHour) {
      const isSame = (one: Counted) =>
        one.from === from.getTime() && one.connectionId === connectionId && one.state === state;
      expect({ from, state, count }).toEqual({ from, state, count: sum(isSame) });
    }
    expect(healths).toHaveLength(connectionIds.length);
    for (const { connectionId, delivered, exhausted } of healths) {
      const ofState = (state: DeliveryState) => sum((one) => one.connectionId === connectionId && one.state === state);
      expect({ delivered, exhausted }).toEqual({ delivered: ofState("Delivered"), exhausted: ofState("Exhausted") });
    }
    for (const [index, id] of connectionIds.entries()) {
      const ended = slices[index]!.filter(({ state }) => state !== "Failed");
      const own = ofWeek.filter(({ connectionId }) => connectionId === id);
      expect(plain(ended.map(({ from, state, count }) => ({ from: from.getTime(), state, count })))).toEqual(
        plain(own.map(({ from, state, count }) => ({ from, state, count }))),
      );
    }
  }

  private async countOneByOne(since: Date, sliceMs: number): Promise<Counted[]> {
    const { sql, tenantId } = this;
    const rows = await sql<{ connectionId: ConnectionId; state: DeliveryState; at: Date }[]>`
      select connection_id as "connectionId", state, changed_on as at
      from ${outcomes(sql, sql`${tenantId}`, sql`${since}`)}`;
    const counts = new Map<string, number>();
    for (const { connectionId, state, at } of rows) {
      const key = JSON.stringify({ connectionId, state, from: slot(at, sliceMs) });
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    return [...counts].map(([key, count]) => ({ ...(JSON.parse(key) as Omit<Counted, "count">), count }));
  }
}
