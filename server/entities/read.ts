import type { Caller } from "../access/index.ts";
import type { Sql } from "../db/connection.ts";
import { BadInput, MultipleRows, NotFound } from "../errors.ts";
import { printable } from "../http/body.ts";
import { pathText } from "./path-value.ts";
import { toRecord } from "./record.ts";
import type { Entity } from "./registry.ts";
import { findByField, type Row } from "./store.ts";
import { findMatchable, type Matchable, matchableNames, parseValue } from "./values.ts";

/** How a path names one record. */
export interface Address {
  /** The path's last part, still percent-encoded. */
  pathValue: string;
  /** The query parameter Name; empty means Id. */
  fieldName: string;
}

/**
 * One record by its Id or by another field (SPEC.md Endpoints 4).
 * @throws BadInput, NotFound, MultipleRows, Permission
 */
export async function readRecord(
  sql: Sql,
  caller: Pick<Caller, "tenantId" | "permissions">,
  entity: Entity,
  address: Address,
): Promise<Row> {
  const { field, text, value } = resolveAddress(entity, address);
  const row = requireOne(entity, field, text, await findByField(sql, caller.tenantId, entity, field.column, value));
  caller.permissions.require("AccessManager:Read", entity.name, toRecord(entity, row));
  return row;
}

/** @throws BadInput: unlike in a body (SPEC.md Endpoints 5, rule 1), an Id that is no number is here no value of Id's type */
export function resolveAddress(entity: Entity, { pathValue, fieldName }: Address) {
  const field = findMatchable(entity, fieldName === "" ? "Id" : fieldName);
  if (!field) {
    throw new BadInput(
      `Name is ${printable(fieldName)}, which is no field of ${entity.name}. Its fields are ${matchableNames(entity)}.`,
    );
  }
  const text = pathText(pathValue);
  return { field, text, value: parseValue(field, text) };
}

/** Rules 1 to 3 of SPEC.md Endpoints 4. */
export function requireOne(entity: Entity, field: Matchable, text: string, rows: Row[]): Row {
  if (rows.length === 0) throw new NotFound(`There is no ${entity.name} whose ${field.name} is ${printable(text)}.`);
  if (rows.length > 1) {
    throw new MultipleRows(`Several ${entity.name} records have the ${field.name} ${printable(text)}.`);
  }
  return rows[0]!;
}
