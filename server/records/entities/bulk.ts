// PATCH and POST of an array: all of it or nothing.

import { setImmediate } from "node:timers/promises";
import type { Transaction } from "../../platform/db/sql.ts";
import { ApiError, BadInput } from "../../platform/errors.ts";
import { isObject } from "../../platform/http/body.ts";
import { UNCONDITIONAL } from "../../platform/http/conditions.ts";
import { toRecordId } from "../../platform/http/query.ts";
import type { TenantId } from "../../platform/ids.ts";
import type { Caller } from "../access/bearer.ts";
import type { EventType } from "../events/event.ts";
import type { CHANGES } from "../fields.ts";
import type { Entity } from "../registry.ts";
import { lockAll, lockEntity, type Row } from "../rows.store.ts";
import type { EntityInput } from "../values.ts";
import { writeRecord } from "../write.ts";
import { requireScopesOf, storeApart } from "./apart.ts";
import { announce, changeOf, type Records } from "./record.ts";
import { entityKind, givenIdentifiers, lockTargets } from "./served-entity.ts";

export const MAX_RECORDS = 1_000;

/** One record of an array, and how it was changed or would be. */
export interface Upserted {
  row: Row;
  change: (typeof CHANGES)[number];
}

/** Undoes the transaction of a plan. */
class Planned extends Error {
  constructor(readonly upserted: Upserted[]) {
    super();
  }
}

/**
 * In order and one transaction, with one event per kind. @param isPlan writes nothing
 * @throws the errors of one record, with its index
 */
export async function upsertRecords(
  records: Records,
  caller: Caller,
  entity: Entity,
  bodies: unknown[],
  isPlan = false,
): Promise<Upserted[]> {
  if (bodies.length > MAX_RECORDS) {
    throw new BadInput(`The array has ${bodies.length} records; the limit is ${MAX_RECORDS}.`);
  }
  const inputs = await parseInputs(entity, bodies);
  requireScopesOf(caller, entity, inputs);
  const { tenantId } = caller;
  const write = records.sql.beginLong(tenantId, async (tx) => {
    // Concurrent arrays with the same new identifiers in different order would deadlock.
    await lockEntity(tx, tenantId, entity);
    await lockAllTargets(tx, tenantId, entity, inputs);
    const upserted: Upserted[] = [];
    const changed = new Map<number, EventType>();
    const rows = new Map<number, Row>();
    const former = new Map<number, Row>();
    const kind = entityKind(records, entity);
    const ofMany: typeof kind = {
      ...kind,
      lock: (_, __, input) => lockTargets(tx, tenantId, entity, input),
      // One event has one number for each record.
      update: (_, __, row, before) =>
        kind.update(tx, caller, row, { ...before, sequence: before.sequence - Number(changed.has(before.id)) }),
      announce: undefined,
    };
    for (const [index, input] of inputs.entries()) {
      const upsert = async () => {
        const { before, after } = await writeRecord(tx, caller, ofMany, input, UNCONDITIONAL);
        const isStored = await storeApart(tx, records, caller, entity, input, after, !before);
        return { before, after, isSame: after === before && !isStored };
      };
      const { before, after, isSame } = await upsert().catch((error) => {
        throw ofRecord(index, error);
      });
      upserted.push({ row: after, change: !before ? "Created" : isSame ? "None" : "Updated" });
      rows.set(after.id, after);
      if (before && !former.has(after.id)) former.set(after.id, before);
      if (after !== before && !changed.has(after.id)) changed.set(after.id, before ? "Updated" : "Created");
    }
    if (isPlan) throw new Planned(upserted);
    for (const eventType of ["Created", "Updated"] as const) {
      const ids = [...changed].filter(([, kind]) => kind === eventType).map(([id]) => id);
      if (ids.length === 0) continue;
      const before = eventType === "Updated" ? ids.map((id) => former.get(id)!) : undefined;
      const change = changeOf(
        entity,
        eventType,
        ids.map((id) => rows.get(id)!),
        before,
      );
      await announce(tx, caller, entity, change, records);
    }
    return upserted.map(({ row, change }) => ({ row: rows.get(row.id)!, change }));
  });
  return write.catch((error) => {
    if (error instanceof Planned) return error.upserted;
    throw error;
  });
}

/** Milliseconds after which other requests are served. */
const SLICE_MS = 10;

async function parseInputs(entity: Entity, bodies: unknown[]): Promise<EntityInput[]> {
  const noObject = {
    input: {},
    problems: [{ Message: `${entity.name} must be a JSON object.` }],
  };
  const checked: { input: EntityInput; problems: { Message: string }[] }[] = [];
  let began = performance.now();
  for (const body of bodies) {
    if (performance.now() - began > SLICE_MS) {
      await setImmediate();
      began = performance.now();
    }
    checked.push(isObject(body) ? entity.check(body) : noObject);
  }
  const problems = checked.flatMap((one, index) => one.problems.map(({ Message }) => numbered(index, Message)));
  if (problems.length > 0) throw new BadInput(...problems);
  return checked.map(({ input }) => input);
}

/** In one order for all callers, so that two of them cannot wait for each other's rows. */
async function lockAllTargets(
  tx: Transaction,
  tenantId: TenantId,
  entity: Entity,
  inputs: EntityInput[],
): Promise<void> {
  const ids = inputs.flatMap(({ Id }) => toRecordId(Id) ?? []);
  const given = inputs.filter(({ Id }) => Id === undefined).flatMap((input) => givenIdentifiers(entity, input));
  const identifiers = Object.entries(Object.groupBy(given, ({ column }) => column)).map(([column, group = []]) => ({
    column,
    values: group.map(({ value }) => value),
    compared: group[0]?.compared,
  }));
  await lockAll(tx, tenantId, entity, ids, identifiers);
}

function ofRecord(index: number, error: unknown): unknown {
  if (!(error instanceof ApiError)) return error;
  const errors = error.errors.map((text) => numbered(index, text));
  return new ApiError(error.status, error.kind, error.title, errors, error.headers);
}

function numbered(index: number, text: string): string {
  return `Record ${index}: ${text}`;
}
