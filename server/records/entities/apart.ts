// Fields that are stored apart from the record and never read, such as PasswordHash. Each needs a scope of its own.

import type { Transaction } from "../../platform/db/sql.ts";
import { type Caller, permit } from "../access/bearer.ts";
import type { ScopeAction } from "../access/scopes.ts";
import type { Entity } from "../registry.ts";
import type { Row } from "../rows.store.ts";
import type { EntityInput } from "../values.ts";
import { requireItsRoles } from "./groups.ts";
import type { Records } from "./record.ts";

const givenApart = ({ fields }: Entity, input: EntityInput) =>
  fields.filter(({ name, scope }) => scope && input[name] !== undefined);

/** @throws Permission */
export function requireScopesOf(caller: Caller, entity: Entity, inputs: readonly EntityInput[]): void {
  const scopes = inputs.flatMap((input) => givenApart(entity, input).map(({ scope }) => scope as ScopeAction));
  permit(caller, [...new Set(scopes)]);
}

/**
 * Also if nothing of the record itself has changed. For a record with roles, the caller needs what changing the roles
 * needs.
 * @returns whether something was stored @throws Permission, Conflict
 */
export async function storeApart(
  tx: Transaction,
  { onApart }: Pick<Records, "onApart">,
  caller: Caller,
  entity: Entity,
  input: EntityInput,
  row: Row,
  isNew = false,
): Promise<boolean> {
  const given = givenApart(entity, input);
  for (const { scope } of given) {
    caller.permissions.require(scope as ScopeAction, entity.name, entity.toRecord(row));
  }
  if (given.length === 0 || !(await onApart(tx, caller, entity.name, input, row))) return false;
  // A new one has no roles.
  if (!isNew) await requireItsRoles(tx, caller, entity.name as "User", row.id);
  return true;
}
