// What is counted of one connection, for REST and the console.

import type { ConnectionId } from "../../../workflows/contract.ts";
import type { Caller, Shown } from "../../access/index.ts";
import type { Sql } from "../../db/connection.ts";
import type { Connections } from "../connections/service.ts";
import { type Span, type StatisticsRecord, statisticsOf } from "./statistics.ts";
import { type StatusRecord, statusOf } from "./status.ts";

export interface ConnectionFigures {
  /** How it stands just now. @throws NotFound, Permission */
  status(caller: Caller, id: ConnectionId): Promise<Shown<StatusRecord>>;
  /** How it has fared. @throws NotFound, Permission, TenantBusy, ServiceBusy */
  statistics(caller: Caller, id: ConnectionId, span: Span): Promise<Shown<StatisticsRecord>>;
}

const TYPE = "WebhookConnection";

export function createConnectionFigures(sql: Sql, connections: Connections): ConnectionFigures {
  // What is counted would tell of events that the caller may not read.
  const isTold = ({ gate }: Caller) => gate.seesAll("WebhookEvent");
  return {
    async status(caller, id) {
      const { record } = await connections.read(caller, id);
      const status = await statusOf(sql, caller.tenantId, record, isTold(caller));
      return (await caller.gate.show(TYPE, status, { resource: record })).record;
    },
    async statistics(caller, id, span) {
      const { record } = await connections.read(caller, id);
      const statistics = await statisticsOf(sql, caller.tenantId, id, span, isTold(caller));
      return (await caller.gate.show(TYPE, statistics, { resource: record })).record;
    },
  };
}
