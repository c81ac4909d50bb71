// Decides which filtered connections get a change, and which of its records, before the deliveries are inserted
// (docs/decisions/0017-filters-in-the-change.md).

import type { Transaction } from "../../platform/db/sql.ts";
import type { ConnectionId, EventId, TenantId } from "../../platform/ids.ts";
import { createPause } from "../access/decisions/policy-engine.ts";
import type { JudgedRecord } from "../access/decisions/resource-type.ts";
import { ERASED } from "./event.ts";
import type { Change, DeliveryForm, Receivers } from "./event-parts.ts";
import { type ConnectionFilter, createJudge, type Verdicts } from "./judge.ts";
import { type LockedFilter, lockFilters, noteFailedFilters, passSequences } from "./receivers.store.ts";

const judge = createJudge();
const foreseen = new WeakMap<Transaction, { eventRecord: string; filters: Promise<LockedFilter[]> }>();

/** Reads the filters together with another statement of the transaction, which saves a turn with PostgreSQL. */
export async function foreseeFilters(tx: Transaction, tenantId: TenantId, eventRecord: string): Promise<void> {
  const filters = lockFilters(tx, tenantId, eventRecord);
  foreseen.set(tx, { eventRecord, filters });
  await filters;
}

async function filtersFor(tx: Transaction, tenantId: TenantId, { eventRecord, eventType, notTo }: Change) {
  const early = foreseen.get(tx);
  const all = await (early?.eventRecord === eventRecord ? early.filters : lockFilters(tx, tenantId, eventRecord));
  return all.filter(({ id, events }) => events.includes(eventType) && id !== notTo);
}

export async function receiversOf(
  tx: Transaction,
  tenantId: TenantId,
  eventId: EventId,
  change: Change,
): Promise<Receivers> {
  const receivers: Receivers = { withheld: [], forms: [] };
  const { eventType, eventRecord, recordIds, sequences, data, isUnfiltered = false } = change;
  const filters = await filtersFor(tx, tenantId, change);
  if (filters.length === 0) return receivers;
  const records: JudgedRecord[] = [data].flat();
  const previous: (JudgedRecord | undefined)[] = [change.previous].flat();
  const sent = new Map(filters.map(({ id }) => [id, [] as number[]]));
  const failed = new Set<ConnectionId>();
  const pause = createPause();
  for (const [index, record] of records.entries()) {
    await pause();
    const verdicts = isUnfiltered
      ? allOf(filters)
      : judge(filters, { eventType, eventRecord, record, previous: previous[index] });
    for (const id of verdicts.failed) failed.add(id);
    for (const { id } of filters) {
      if (verdicts.matching.has(id) || verdicts.failed.has(id)) sent.get(id)!.push(index);
    }
  }
  for (const { id, isOrdered } of filters) {
    const places = sent.get(id)!;
    const numbered =
      isOrdered && sequences ? sequences.map((sequence, place) => ({ id: recordIds[place]!, sequence })) : [];
    // The last numbers of deleted records are removed, also if their deletion is withheld.
    const passed = isLast(change) ? numbered : numbered.filter((_, place) => places.includes(place));
    const former = await passSequences(tx, id, eventRecord, passed, isLast(change));
    if (places.length === 0) {
      receivers.withheld.push(id);
      continue;
    }
    const form: DeliveryForm = places.length < records.length ? { records: places } : {};
    if (numbered.length > 0) form.after = isLast(change) ? places.map((place) => former[place]!) : former;
    if (Object.keys(form).length > 0) receivers.forms.push({ id, form });
  }
  if (failed.size > 0) await noteFailedFilters(tx, tenantId, [...failed], eventId);
  return receivers;
}

const allOf = (filters: readonly ConnectionFilter[]): Verdicts => ({
  matching: new Set(filters.map(({ id }) => id)),
  failed: new Set(),
});

/** An erasure writes Deleted and then Erased. */
const isLast = ({ eventType, isUnfiltered }: Change) =>
  eventType === ERASED || (eventType === "Deleted" && !isUnfiltered);
