// Foreign keys in responses. If the caller may not read the target, only Id and Type are shown.

import type { Queries } from "../../../platform/db/sql.ts";
import type { TenantId } from "../../../platform/ids.ts";
import type { Permissions, RecordPlace } from "../decisions/permissions.ts";
import { createPause } from "../decisions/policy-engine.ts";
import type { JudgedRecord } from "../decisions/resource-type.ts";
import type { Action } from "../scopes.ts";

/** Records of one type by Id, in their response shape, without deleted ones. */
export type FindRecords = (
  sql: Queries,
  tenantId: TenantId,
  type: string,
  ids: readonly string[],
) => Promise<JudgedRecord[]>;

/** AbstractLong or AbstractText (docs/behaviour.md "Foreign keys"). */
interface Reference {
  Id: string | number;
  ExternalId: string;
  Name: string;
  Type: string;
}

/** @returns the action of reading a record of the type; undefined: policies do not have this type */
export type ReadActionOf = (type: string) => Action | undefined;

export interface ReferenceDependencies {
  tenantId: TenantId;
  permissions: Permissions;
  readActionOf: ReadActionOf;
  findRecords: FindRecords;
}

/** Foreign keys are top-level fields of a record. */
export async function hideReferences<T extends object>(
  deps: ReferenceDependencies,
  sql: Queries,
  records: readonly T[],
  place?: RecordPlace,
): Promise<T[]> {
  const hidden = await hiddenAmong(deps, sql, records.flatMap(referencesIn), place);
  if (hidden.size === 0) return [...records];
  return records.map((record) => {
    const entries = Object.entries(record).map(([name, value]) => [
      name,
      isReference(value) && hidden.has(keyOf(value)) ? { Id: value.Id, Type: value.Type } : value,
    ]);
    return Object.fromEntries(entries) as T;
  });
}

async function hiddenAmong(
  deps: ReferenceDependencies,
  sql: Queries,
  references: Reference[],
  place: RecordPlace | undefined,
): Promise<Set<string>> {
  const hidden = new Set<string>();
  for (const [type, ofType] of Map.groupBy(references, ({ Type }) => Type)) {
    if (!deps.readActionOf(type)) continue;
    const ids = [...new Set(ofType.map(({ Id }) => String(Id)))];
    const seen = await seenAmong(deps, sql, type, ids, place);
    for (const id of ids) if (!seen.has(id)) hidden.add(`${type} ${id}`);
  }
  return hidden;
}

/** The readable ids; a deleted record is hidden unless all of its type are readable. */
export async function seenAmong(
  { tenantId, permissions, readActionOf, findRecords }: ReferenceDependencies,
  sql: Queries,
  type: string,
  ids: readonly string[],
  place?: RecordPlace,
): Promise<Set<string>> {
  const action = readActionOf(type)!;
  const reach = permissions.reach(action, type, place);
  if (reach !== "Some") return new Set(reach === "All" ? ids : []);
  const records = await findRecords(sql, tenantId, type, ids);
  const [seen, pause] = [new Set<string>(), createPause()];
  for (const record of records) {
    await pause();
    if (permissions.allows(action, type, record, place)) seen.add(String(record.Id));
  }
  return seen;
}

function referencesIn(record: object): Reference[] {
  return Object.values(record).filter(isReference);
}

/** An empty foreign key hides nothing. */
function isReference(value: unknown): value is Reference {
  if (typeof value !== "object" || value === null) return false;
  const { Id, Type, Name } = value as Partial<Reference>;
  return Boolean(Id) && typeof Type === "string" && Type !== "" && Name !== undefined;
}

const keyOf = ({ Type, Id }: Reference) => `${Type} ${Id}`;
