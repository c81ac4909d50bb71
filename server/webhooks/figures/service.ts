import type { Sql } from "../../platform/db/sql.ts";
import type { ConnectionId } from "../../platform/ids.ts";
import type { Slices } from "../../platform/slices.ts";
import type { Caller, Shown } from "../../records/index.ts";
import type { Connections } from "../connections/service.ts";
import { type ConnectionBacklog, type Health, listBacklogs, listHealth } from "./connection-health.store.ts";
import { countOutcomes, type OutcomeCount } from "./outcomes.store.ts";
import { type Span, type StatisticsRecord, statisticsOf } from "./statistics.ts";
import { type StatusRecord, statusOf } from "./status.ts";

export interface ConnectionFigures {
  /** The present state. @throws NotFound, Permission */
  status(caller: Caller, id: ConnectionId): Promise<Shown<StatusRecord>>;
  /** The recent history. @throws NotFound, Permission, TenantBusy, ServiceBusy */
  statistics(caller: Caller, id: ConnectionId, span: Span): Promise<Shown<StatisticsRecord>>;
  /** The health of connections that the caller has read, in any order; empty if the caller may not see it. */
  health(caller: Caller, ids: ConnectionId[]): Promise<Health[]>;
  /** The present backlog of each; undefined if the caller may not see it. */
  backlogs(caller: Caller, ids: ConnectionId[]): Promise<Backlogs | undefined>;
  /** Outcomes by slice and connection; empty if the caller may not see them. @throws TenantBusy, ServiceBusy */
  outcomes(caller: Caller, ids: ConnectionId[], slices: Slices): Promise<OutcomeCount[]>;
}

type Backlogs = (ConnectionBacklog & { connectionId: ConnectionId })[];

const TYPE = "WebhookConnection";

export function createConnectionFigures(sql: Sql, connections: Connections, retentionMs: number): ConnectionFigures {
  // Counts would reveal events that the caller may not read.
  const seesAll = ({ gate }: Caller) => gate.seesAll("WebhookEvent");
  return {
    async status(caller, id) {
      const { record } = await connections.read(caller, id);
      const status = await statusOf(sql, caller.tenantId, record, seesAll(caller));
      return (await caller.gate.show(TYPE, status, { resource: record })).record;
    },
    async statistics(caller, id, span) {
      const { record } = await connections.read(caller, id);
      const statistics = await statisticsOf(sql, caller.tenantId, id, span, seesAll(caller));
      return (await caller.gate.show(TYPE, statistics, { resource: record })).record;
    },
    async health(caller, ids) {
      return seesAll(caller) ? listHealth(sql, caller.tenantId, ids, retentionMs) : [];
    },
    async backlogs(caller, ids) {
      return seesAll(caller) ? listBacklogs(sql, caller.tenantId, ids, retentionMs) : undefined;
    },
    async outcomes(caller, ids, slices) {
      if (!seesAll(caller)) return [];
      const { tenantId } = caller;
      // Uses the tenant's share of the pool, because it may scan a whole day.
      const counts = await sql.beginFor(tenantId, (tx) => countOutcomes(tx, tenantId, slices));
      const wanted = new Set(ids);
      return counts.filter(({ connectionId }) => wanted.has(connectionId));
    },
  };
}
