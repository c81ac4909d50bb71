import type { Queries, Sql } from "../../platform/db/sql.ts";
import { BadInput, Conflict, NotFound } from "../../platform/errors.ts";
import { firstPage, isUuid, type Paging } from "../../platform/http/query.ts";
import {
  type Access,
  type Caller,
  type Log,
  type Permitted,
  recordAudit,
  type Shown,
  type ShownPage,
} from "../../records/index.ts";
import { ALERT, ALERT_FILTERS, type AlertFilter, type AlertKind } from "./contract.ts";
import { recordAlertEvent, wholeRecord } from "./event.ts";
import { ALERTS, type Alert, acknowledge, findAlerts } from "./store.ts";

const TYPE = ALERT.name;
const CONNECTION = "WebhookConnection";

export interface Alerts extends Log<"Webhooks:Read", AlertRecord, typeof ALERT_FILTERS> {
  /** Alerts by Id, for visibility of the events about them. */
  find: Access["findRecords"];
  /** Unacknowledged alerts, up to MAX_UNSEEN; none without Webhooks:Read. */
  unseen(caller: Caller): Promise<Shown<AlertRecord>[]>;
  /** Until a given time or its end. @throws NotFound, Permission, BadInput for a past time, Conflict if it has ended */
  acknowledge(caller: Permitted<"Webhooks:Update">, id: string, until: Date | null): Promise<Shown<AlertRecord>>;
}

/** Kinds with counts of deliveries or other data in their reasons. */
const COUNTING: readonly AlertKind[] = ["ErrorRate", "Backlog", "NearLimit"];

/** More are shown as "20 or more". */
export const MAX_UNSEEN = 20;

export function createAlerts(sql: Sql): Alerts {
  /** An alert about a connection that the caller may not read is not found. @throws NotFound */
  async function find(queries: Queries, { tenantId, gate }: Caller, id: string): Promise<Alert> {
    const alert = isUuid(id) ? await ALERTS.find(queries, tenantId, id) : undefined;
    const of = alert?.connectionId;
    if (alert && (!of || (await gate.seenIds(queries, CONNECTION, [of])).has(of))) return alert;
    throw new NotFound("There is no Alert with this Id.");
  }

  const list = (caller: Caller, wanted: AlertFilter, paging: Paging): Promise<ShownPage<AlertRecord>> =>
    caller.gate.list({
      type: TYPE,
      paging,
      read: (limit, after) => ALERTS.list(sql, caller.tenantId, wanted, limit, after),
      id: ({ id }) => id,
      of: { type: CONNECTION, id: ({ connectionId }) => connectionId },
      item: (alert) => toRecord(caller, alert),
    });

  return {
    find: async (queries, tenantId, _type, ids) =>
      (await findAlerts(queries, tenantId, ids.filter(isUuid))).map(wholeRecord),
    filters: ALERT_FILTERS,
    list,
    async unseen(caller) {
      if (!caller.scopes.has("Webhooks:Read")) return [];
      return (await list(caller, { State: "Open" }, firstPage(MAX_UNSEEN))).Items;
    },
    async read(caller, id) {
      const alert = await find(sql, caller, id);
      return (await caller.gate.show(TYPE, toRecord(caller, alert))).record;
    },
    async acknowledge(caller, id, until) {
      const { tenantId, permissions, actor, gate } = caller;
      if (until && until <= new Date()) throw new BadInput("Until must be a future time, or null.");
      const alert = await sql.beginFor(tenantId, async (tx) => {
        const before = await find(tx, caller, id);
        permissions.require("Webhooks:Update", TYPE, toRecord(caller, before));
        const after = await acknowledge(tx, tenantId, id, actor, until);
        if (!after) throw new Conflict("The alert has ended, so it can no longer be acknowledged.");
        await recordAudit(tx, tenantId, caller, {
          kind: "Alert.Acknowledged",
          ...(before.connectionId && { subject: { type: "WebhookConnection", id: before.connectionId } }),
          details: { AlertId: id, Kind: before.kind, Until: until?.toISOString() ?? null },
        });
        await recordAlertEvent(tx, tenantId, "Updated", after, caller.traceParent);
        return after;
      });
      return (await gate.written(TYPE, toRecord(caller, alert), {})).record;
    },
  };
}

export type AlertRecord = ReturnType<typeof toRecord>;

function toRecord({ gate }: Caller, alert: Alert) {
  // A count may include hidden deliveries.
  const isTold = !COUNTING.includes(alert.kind) || gate.seesAll("WebhookEvent");
  return { ...wholeRecord(alert), Reason: isTold ? alert.reason : null };
}
