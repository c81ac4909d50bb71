// A record as the API answers it, and as policies see it.

import { type FindRecords, type ResourceType, resourceType } from "../access/index.ts";
import type { Queries } from "../db/sql.ts";
import { toRecordId } from "../http/query.ts";
import type { TenantId } from "../ids.ts";
import { ACTOR_FIELDS, type Entity, type RecordDeclaration, type Row, rowsOf } from "../records/index.ts";
import type { EventType, RecordedChange } from "../webhooks/index.ts";
import { createRegistry } from "./registry.ts";

/** A record in its response shape; the same object is a webhook's Data. */
export function toRecord(entity: Entity, row: Partial<Row>): Record<string, unknown> {
  return entity.toRecord(row);
}

export function changeOf(entity: Entity, eventType: EventType, rows: Row[]): RecordedChange {
  const data = rows.map((row) => toRecord(entity, row));
  return {
    eventType,
    eventRecord: entity.name,
    recordIds: rows.map(({ id }) => String(id)),
    sequences: rows.map(({ sequence }) => sequence),
    // docs/behaviour.md "Payload": an array where Data is several.
    data: data.length === 1 ? data[0]! : data,
  };
}

// Entities as policies see them.

export function resourceTypes(definitions: readonly RecordDeclaration[]): ResourceType[] {
  const actors = ACTOR_FIELDS.map(({ name }) => ({ name, type: "reference" as const }));
  return definitions.map((definition) => resourceType(definition, actors));
}

/** @returns finds a record, in its response shape, by its entity's name and its Id */
export function createFindRecord(definitions: readonly RecordDeclaration[]) {
  const find = createFindRecords(definitions);
  return async (sql: Queries, tenantId: TenantId, entityName: string, id: number) =>
    (await find(sql, tenantId, entityName, [String(id)]))[0];
}

/** @returns a finder for several types; empty for types that are not entities */
export function createFindRecords(definitions: readonly RecordDeclaration[]): FindRecords {
  const entities = new Map(createRegistry(definitions).map((entity) => [entity.name, entity]));
  return async (sql, tenantId, entityName, ids) => {
    const entity = entities.get(entityName);
    const numbers = ids.flatMap((id) => toRecordId(id) ?? []);
    if (!entity || numbers.length === 0) return [];
    return (await rowsOf(entity).findAll(sql, tenantId, numbers)).map((row) => toRecord(entity, row));
  };
}
