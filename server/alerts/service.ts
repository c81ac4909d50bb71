// Alerts as they are read and acknowledged, by REST and by the console.

import type { Caller, FindRecords, Permitted, Shown, ShownPage } from "../access/index.ts";
import { recordAudit } from "../audit/index.ts";
import type { Queries, Sql } from "../db/sql.ts";
import { BadInput, Conflict, NotFound } from "../errors.ts";
import { firstPage, isUuid, type Paging } from "../http/query.ts";
import { ALERT_RESOURCE_TYPE, type AlertKind, type AlertState } from "./contract.ts";
import { recordAlertEvent, wholeRecord } from "./event.ts";
import { type Alert, acknowledge, findAlert, findAlerts, listAlerts } from "./store.ts";

const TYPE = ALERT_RESOURCE_TYPE.name;
const CONNECTION = "WebhookConnection";

export interface Alerts {
  /** Those with these Ids, for who decides what is seen of events about them. */
  find: FindRecords;
  /** A page, the newest first, without what the caller may not read. @throws ServiceBusy */
  list(caller: Caller, state: AlertState | undefined, paging: Paging): Promise<ShownPage<AlertRecord>>;
  /** Those that nobody has seen yet, as many as are of use; none without Webhooks:Read. */
  unseen(caller: Caller): Promise<Shown<AlertRecord>[]>;
  /** @throws NotFound, Permission */
  read(caller: Caller, id: string): Promise<Shown<AlertRecord>>;
  /**
   * Somebody sees to it: until then, or until it ends, it is not told again.
   * @throws NotFound, Permission, BadInput for a time that is past, Conflict if it has ended
   */
  acknowledge(caller: Permitted<"Webhooks:Update">, id: string, until: Date | null): Promise<Shown<AlertRecord>>;
}

/** Their reasons tell what becomes of deliveries. */
const COUNTING: readonly AlertKind[] = ["ErrorRate", "Backlog"];

/** More are told as "so many or more". */
export const MAX_UNSEEN = 20;

export function createAlerts(sql: Sql): Alerts {
  /** One of a connection that the caller may not see is unknown. @throws NotFound */
  async function find(queries: Queries, { tenantId, gate }: Caller, id: string): Promise<Alert> {
    const alert = isUuid(id) ? await findAlert(queries, tenantId, id) : undefined;
    const of = alert?.connectionId;
    if (alert && (!of || (await gate.seenIds(queries, CONNECTION, [of])).has(of))) return alert;
    throw new NotFound("There is no Alert with this Id.");
  }

  const list: Alerts["list"] = (caller, state, paging) =>
    caller.gate.list({
      type: TYPE,
      paging,
      read: (limit, after) => listAlerts(sql, caller.tenantId, state, limit, after),
      id: ({ id }) => id,
      of: { type: CONNECTION, id: ({ connectionId }) => connectionId },
      item: (alert) => toRecord(caller, alert),
    });

  return {
    find: async (queries, tenantId, _type, ids) =>
      (await findAlerts(queries, tenantId, ids.filter(isUuid))).map(wholeRecord),
    list,
    async unseen(caller) {
      if (!caller.scopes.has("Webhooks:Read")) return [];
      return (await list(caller, "Open", firstPage(MAX_UNSEEN))).Items;
    },
    async read(caller, id) {
      const alert = await find(sql, caller, id);
      return (await caller.gate.show(TYPE, toRecord(caller, alert))).record;
    },
    async acknowledge(caller, id, until) {
      const { tenantId, permissions, actor, gate } = caller;
      if (until && until <= new Date()) throw new BadInput("Until must be a time to come, or null.");
      const alert = await sql.beginFor(tenantId, async (tx) => {
        const before = await find(tx, caller, id);
        permissions.require("Webhooks:Update", TYPE, toRecord(caller, before));
        const after = await acknowledge(tx, tenantId, id, actor, until);
        if (!after) throw new Conflict("The alert has ended.");
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

/** In its response shape. */
export type AlertRecord = ReturnType<typeof toRecord>;

function toRecord({ gate }: Caller, alert: Alert) {
  // A count tells of deliveries, which may be hidden.
  const isTold = !COUNTING.includes(alert.kind) || gate.seesAll("WebhookEvent");
  return { ...wholeRecord(alert), Reason: isTold ? alert.reason : null };
}
