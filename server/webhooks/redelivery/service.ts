// Requests for bulk redeliveries. They are stored in PostgreSQL, and a worker executes them.

import type { RedeliveryState } from "../../../workflows/contract.ts";
import type { Sql, Transaction } from "../../platform/db/sql.ts";
import { Conflict, NotFound } from "../../platform/errors.ts";
import { changesOf } from "../../platform/http/contract.ts";
import type { Paging } from "../../platform/http/query.ts";
import { newId, type RedeliveryId, type TenantId } from "../../platform/ids.ts";
import { type Caller, type Permitted, recordAudit, type Shown, type ShownPage } from "../../records/index.ts";
import { requirePush } from "../connection-kind.ts";
import { lockConnection } from "../connections.store.ts";
import type { WorkflowUrl } from "../workflow-url.ts";
import {
  REDELIVERY,
  REDELIVERY_FILTERS,
  REPLAY,
  type RedeliveryChange,
  type RedeliveryFilter,
  type RedeliveryRecord,
  type ReplayInput,
} from "./contract.ts";
import { countAllEnded } from "./follow.store.ts";
import { located, noRedelivery } from "./record.ts";
import {
  countSelected,
  findRedelivery,
  insertRedelivery,
  listRedeliveries,
  lockRedelivery,
  positionsOf,
  type Redelivery,
  stopDraining,
  timePastEvents,
  updateRedelivery,
} from "./store.ts";

const TYPE = REDELIVERY.name;

export interface Redeliveries {
  filters: typeof REDELIVERY_FILTERS;
  /** A page of redeliveries that the caller may read, newest first. @throws ServiceBusy */
  list(caller: Caller, filter: RedeliveryFilter, paging: Paging): Promise<ShownPage<RedeliveryRecord>>;
  /** @throws NotFound, Permission */
  read(caller: Caller, id: RedeliveryId): Promise<Shown<RedeliveryRecord>>;
  /** Deliveries to resend; null if the caller may not see all of them. @throws NotFound, Permission */
  count(
    caller: Permitted<"Webhooks:Create">,
    input: ReplayInput,
  ): Promise<Shown<{ Count: number | null; Skipped: number | null }>>;
  /**
   * The same with its reference time. Later ends are excluded, so repeating the count covers the same deliveries.
   * @param asOf undefined: now
   * @throws NotFound, Permission
   */
  preview(caller: Permitted<"Webhooks:Create">, input: ReplayInput, asOf?: Date): Promise<ReplayPreview>;
  /**
   * Resends deliveries of a connection in event order; a worker starts at once.
   * @param sent the original body
   * @param asOf from the preview; undefined: now
   * @throws NotFound, Permission, Conflict
   */
  create(
    caller: Permitted<"Webhooks:Create">,
    input: ReplayInput,
    sent: unknown,
    asOf?: Date,
  ): Promise<Shown<RedeliveryRecord>>;
  /** Deliveries already sent continue. @throws NotFound, Permission, Conflict */
  change(
    caller: Permitted<"Webhooks:Update">,
    id: RedeliveryId,
    change: RedeliveryChange,
    sent: unknown,
  ): Promise<Shown<RedeliveryRecord>>;
}

export interface ReplayPreview {
  /** null if the caller may not see all of them. */
  count: number | null;
  /** Deliveries whose payload was removed; null like `count`. */
  skipped: number | null;
  asOf: Date;
}

export function createRedeliveries(sql: Sql, workflowUrl: WorkflowUrl): Redeliveries {
  async function written({ gate }: Caller, redelivery: Redelivery, sent: unknown) {
    return (await gate.written(TYPE, located(redelivery, workflowUrl), sent)).record;
  }

  async function countPlanned(caller: Caller, input: ReplayInput, asOf: Date | undefined) {
    const { tenantId } = caller;
    const redelivery = await sql.beginFor(tenantId, (tx) => planned(tx, caller, input, asOf));
    // Read without the lock, because there may be many and changes should not wait.
    return sql.beginFor(tenantId, async (tx) => {
      const positions = await positionsOf(tx, tenantId, redelivery.from!, redelivery.to!);
      const selected = { ...positions, asOf: redelivery.asOf! };
      return { ...selected, ...(await countSelected(tx, tenantId, { ...redelivery, ...selected })) };
    });
  }

  return {
    filters: REDELIVERY_FILTERS,
    list({ tenantId, gate }, filter, paging) {
      return gate.list({
        type: TYPE,
        paging,
        read: (limit, after) => listRedeliveries(sql, tenantId, filter, limit, after),
        id: (row) => row.id,
        item: (row) => located(row, workflowUrl),
      });
    },
    async read({ tenantId, gate }, id) {
      const redelivery = await findRedelivery(sql, tenantId, id);
      if (!redelivery) throw noRedelivery();
      return (await gate.show(TYPE, located(redelivery, workflowUrl))).record;
    },
    async count(caller, input) {
      const { total, skipped } = await countPlanned(caller, input, undefined);
      return caller.gate.count("WebhookEvent", { Count: total, Skipped: skipped });
    },
    async preview(caller, input, given) {
      const { total, skipped, asOf } = await countPlanned(caller, input, given);
      const { Count, Skipped } = await caller.gate.count("WebhookEvent", { Count: total, Skipped: skipped });
      return { count: Count, skipped: Skipped, asOf };
    },
    async create(caller, input, sent, asOf) {
      const { tenantId } = caller;
      const counted = await countPlanned(caller, input, asOf);
      try {
        const made = await sql.beginFor(tenantId, async (tx) => {
          const redelivery = { ...(await planned(tx, caller, input, asOf)), ...counted };
          await insertRedelivery(tx, tenantId, redelivery);
          const { ConnectionId, From, To, States, Rate, Total } = REDELIVERY.toRecord(redelivery);
          await recordAudit(tx, tenantId, caller, {
            kind: "Redelivery.Created",
            subject: { type: TYPE, id: redelivery.id },
            details: { ConnectionId, From, To, States, Rate, Total },
          });
          return (await findRedelivery(tx, tenantId, redelivery.id))!;
        });
        return await written(caller, made, sent);
      } catch (error) {
        if ((error as { constraint_name?: string }).constraint_name !== "redeliveries_open") throw error;
        throw new Conflict(
          "The connection has a Redelivery of the Kind Replay that has not ended. Wait for it, or cancel it.",
        );
      }
    },
    async change(caller, id, change, sent) {
      const { tenantId, permissions } = caller;
      const changed = await sql.beginFor(tenantId, async (tx) => {
        const before = await lockRedelivery(tx, tenantId, id, "update");
        if (!before) throw noRedelivery();
        const after = { ...before, state: change.State ?? before.state, rate: change.Rate ?? before.rate };
        const [recordBefore, recordAfter] = [REDELIVERY.toRecord(before), REDELIVERY.toRecord(after)];
        permissions.require("Webhooks:Update", TYPE, recordBefore, recordAfter);
        const fields = ["State", "Rate"];
        const changes = changesOf(recordBefore, recordAfter, fields, fields);
        if (!changes) return before;
        if (hasEnded(before.state))
          throw new Conflict(`The redelivery is ${before.state} and can no longer be changed.`);
        await updateRedelivery(tx, tenantId, after);
        if (after.kind === "Drain" && after.state === "Cancelled") await stopDraining(tx, tenantId, after.connectionId);
        const subject = { type: TYPE, id: before.id };
        await recordAudit(tx, tenantId, caller, { kind: "Redelivery.Changed", subject, details: changes });
        return (await findRedelivery(tx, tenantId, before.id))!;
      });
      return written(caller, changed, sent);
    },
  };
}

/** Called when its workflow was cancelled in Temporal. */
export async function cancelRedelivery(sql: Sql, tenantId: TenantId, id: RedeliveryId): Promise<void> {
  await sql.begin(async (tx) => {
    const redelivery = await lockRedelivery(tx, tenantId, id, "update");
    if (!redelivery || hasEnded(redelivery.state)) return;
    await updateRedelivery(tx, tenantId, { ...redelivery, state: "Cancelled" });
    if (redelivery.kind === "Drain") await stopDraining(tx, tenantId, redelivery.connectionId);
  });
}

/** Checks and builds a redelivery, before its deliveries are counted. */
async function planned(
  tx: Transaction,
  { tenantId, permissions }: Caller,
  { ConnectionId, From, To, States = ["Exhausted"], Rate = REPLAY.rate.usual }: ReplayInput,
  asOf: Date | undefined,
): Promise<Redelivery> {
  const connection = await lockConnection(tx, tenantId, { id: ConnectionId });
  if (!connection) throw new NotFound(`There is no WebhookConnection with the Id ${ConnectionId}.`);
  const now = await timePastEvents(tx, tenantId);
  const redelivery: Redelivery = {
    id: newId(),
    connectionId: ConnectionId,
    kind: "Replay",
    states: States,
    from: From,
    // Excludes later events.
    to: To && To < now ? To : now,
    rate: Rate,
    lastPosition: 0,
    endPosition: 0,
    // A Date has no microseconds, so deliveries that ended in this millisecond are included.
    asOf: asOf ?? new Date(now.getTime() + 1),
    state: "Running",
    total: 0,
    skipped: 0,
    done: 0,
    delivered: 0,
    exhausted: 0,
    createdOn: new Date(),
    endedOn: null,
    connectionState: connection.state,
    draining: false,
  };
  permissions.require("Webhooks:Create", TYPE, REDELIVERY.toRecord(redelivery));
  requirePush(connection.kind);
  // Deliveries of other redeliveries would be skipped otherwise.
  await countAllEnded(tx, tenantId, connection.id);
  return redelivery;
}

function hasEnded(state: RedeliveryState): boolean {
  return state === "Completed" || state === "Cancelled";
}
