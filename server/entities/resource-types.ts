// Entities as policies see them.

import type { AttributeType, FindRecords, ResourceType } from "../access/index.ts";
import type { Queries } from "../db/connection.ts";
import { toRecordId } from "../http/record-id.ts";
import type { TenantId } from "../tenant-id.ts";
import { ACTOR_FIELDS, type EntityDefinition, type FieldType } from "./definition.ts";
import { toRecord } from "./record.ts";
import { createRegistry } from "./registry.ts";
import { findByField, findByIds } from "./store.ts";

const ATTRIBUTE_TYPES: Record<FieldType, AttributeType> = {
  text: "text",
  boolean: "boolean",
  dateTime: "dateTime",
  int32: "number",
  // Application's too, which the record writes as a string: so it can be compared with a foreign key's Id.
  int64: "number",
};

export function resourceTypes(definitions: readonly EntityDefinition[]): ResourceType[] {
  return definitions.map(({ name, fields, references }) => ({
    name,
    families: ["AccessManager", "Settings"],
    attributes: [
      ...fields.map((field) => ({ name: field.name, type: ATTRIBUTE_TYPES[field.type], maxLength: field.maxLength })),
      ...[...references.filter(({ inputOnly }) => !inputOnly), ...ACTOR_FIELDS].map((reference) => ({
        name: reference.name,
        type: "reference" as const,
      })),
    ],
  }));
}

/** @returns finds a record, in its response shape, by its entity's name and its Id */
export function createFindRecord(definitions: readonly EntityDefinition[]) {
  const entities = new Map(createRegistry(definitions).map((entity) => [entity.name, entity]));
  return async (sql: Queries, tenantId: TenantId, entityName: string, id: number) => {
    const entity = entities.get(entityName);
    const [row] = entity ? await findByField(sql, tenantId, entity, "id", id) : [];
    return entity && row && toRecord(entity, row);
  };
}

/** @returns the same for many; none of what is no entity's */
export function createFindRecords(definitions: readonly EntityDefinition[]): FindRecords {
  const entities = new Map(createRegistry(definitions).map((entity) => [entity.name, entity]));
  return async (sql, tenantId, entityName, ids) => {
    const entity = entities.get(entityName);
    const numbers = ids.flatMap((id) => toRecordId(id) ?? []);
    if (!entity || numbers.length === 0) return [];
    return (await findByIds(sql, tenantId, entity, numbers)).map((row) => toRecord(entity, row));
  };
}
