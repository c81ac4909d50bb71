// A record's events, and records as policies see them.

import { onCommit, type Queries, type Sql, type Transaction } from "../../platform/db/sql.ts";
import { toRecordId } from "../../platform/http/query.ts";
import type { TenantId } from "../../platform/ids.ts";
import type { Limits } from "../../platform/limits/index.ts";
import type { Caller } from "../access/bearer.ts";
import { STAMPS } from "../access/decisions/filters.ts";
import { type ResourceType, resourceType } from "../access/decisions/resource-type.ts";
import type { FindRecords } from "../access/gate/references.ts";
import { ERASED, type EventType } from "../events/event.ts";
import type { Change } from "../events/event-parts.ts";
import { recordEventAtCommit } from "../events/write-event.ts";
import type { Entity } from "../registry.ts";
import { type Row, rowsOf } from "../rows.store.ts";
import type { EntityInput } from "../values.ts";
import type { RowChange } from "../write-parts.ts";
import { membersChanged } from "./groups.ts";

/** Storage of records and receivers of their changes. */
export interface Records {
  sql: Sql;
  limits: Pick<Limits, "admitRecord" | "admitEvent">;
  onCommitted(tenantId: TenantId, event: Change): void;
  onChange: OnChange;
  onApart: OnApart;
}

/** Additional effects of a change in its transaction. */
export type OnChange = (tx: Transaction, caller: Caller, entityName: string, change: RowChange<Row>) => Promise<void>;

/** Stores the fields of a body that are stored apart from the record. @returns whether anything differed */
export type OnApart = (
  tx: Transaction,
  caller: Caller,
  entityName: string,
  input: EntityInput,
  row: Row,
) => Promise<boolean>;

/** @param before the rows of an update, in the same order */
export function changeOf(entity: Entity, eventType: EventType, rows: Row[], before?: Row[]): Change {
  const records = rows.map((row) => entity.toRecord(row));
  const lists = entity.fields.filter(({ list }) => list);
  const isGone = eventType === "Deleted";
  const data = records.map((record, index) => {
    const [from, to] = isGone ? [rows[index], undefined] : [before?.[index], rows[index]];
    return {
      ...record,
      ...Object.fromEntries(lists.map(({ name, column }) => [name, membersChanged(column, from, to)])),
    };
  });
  const previous = before?.map((row, index) => formerValues(entity.toRecord(row), records[index]!, data[index]!));
  return {
    eventType,
    eventRecord: entity.name,
    recordIds: rows.map(({ id }) => String(id)),
    sequences: rows.map(({ sequence }) => sequence),
    // docs/behaviour.md "Payload": an array where Data is several.
    data: data.length === 1 ? data[0]! : data,
    ...(previous && { previous: previous.length === 1 ? previous[0]! : previous }),
  };
}

/**
 * Of the fields that the change has changed, without those that every change sets.
 * @param told its record in the payload, where a list of members is the change of the list
 */
function formerValues(
  before: Record<string, unknown>,
  after: Record<string, unknown>,
  told: Record<string, unknown>,
): Record<string, unknown> {
  const changed = Object.entries(before).filter(
    ([name, value]) => !STAMPS.includes(name) && !Bun.deepEquals(value, after[name]),
  );
  return Object.fromEntries(changed.map(([name, value]) => [name, told[name] === after[name] ? value : told[name]]));
}

/** Writes a change's event into the transaction of the change. */
export async function announce(
  tx: Transaction,
  { tenantId, traceParent }: Pick<Caller, "tenantId" | "traceParent">,
  { events }: Entity,
  change: Change,
  { onCommitted, limits }: Pick<Records, "onCommitted" | "limits">,
): Promise<void> {
  if (!events) return;
  const { eventType } = change;
  await limits.admitEvent(tx, tenantId, eventType === "Deleted" || eventType === ERASED);
  await recordEventAtCommit(tx, tenantId, change, traceParent);
  onCommit(tx, () => onCommitted(tenantId, change));
}

export function resourceTypes(entities: readonly Entity[]): ResourceType[] {
  return entities.map((entity) => resourceType(entity));
}

/** @returns finds a record, in its response shape, by its entity's name and its Id */
export function createFindRecord(entities: readonly Entity[]) {
  const find = createFindRecords(entities);
  return async (sql: Queries, tenantId: TenantId, entityName: string, id: number) =>
    (await find(sql, tenantId, entityName, [String(id)]))[0];
}

/** @returns a finder for several types; empty for types that are not entities */
export function createFindRecords(entities: readonly Entity[]): FindRecords {
  return async (sql, tenantId, entityName, ids) => {
    const entity = entities.find(({ name }) => name === entityName);
    const numbers = ids.flatMap((id) => toRecordId(id) ?? []);
    if (!entity || numbers.length === 0) return [];
    return (await rowsOf(entity).findAll(sql, tenantId, numbers)).map((row) => entity.toRecord(row));
  };
}
