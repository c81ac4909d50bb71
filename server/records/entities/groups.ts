// Rules of a Group beside its declaration: groups in groups, and groups that hold roles.

import type { Transaction } from "../../platform/db/sql.ts";
import { Conflict, Permission } from "../../platform/errors.ts";
import type { Caller } from "../access/bearer.ts";
import { ROLE } from "../access/roles/contract.ts";
import { listAllRolesOf } from "../access/roles/store.ts";
import { userScopes } from "../access/user-scopes.ts";
import type { Member } from "../reference-list.ts";
import type { Entity } from "../registry.ts";
import type { Row } from "../rows.store.ts";
import { findNesting } from "./groups.store.ts";

/** Groups on a way from a group into another. */
const MAX_LEVELS = 5;
const CHANGE_ROLES = "Settings:Update";

export const isGroup = ({ name }: Pick<Entity, "name">) => name === "Group";

/** Writers of groups in groups wait for each other, so that two of them cannot make a circle. */
export function nestsGroups(entity: Entity, sent: unknown): boolean {
  if (!isGroup(entity) || !sent) return false;
  const added = Array.isArray(sent) ? sent : (sent as { add: Member[] }).add;
  return (added as Member[]).some(({ Type }) => Type === entity.name);
}

/** @throws Conflict naming the circle */
export async function refuseWrongNesting(tx: Transaction, id: number): Promise<void> {
  const { above, below, circle } = await findNesting(tx, id);
  if (circle) throw new Conflict(`Members would make a circle: Group ${circle.join(" has Group ")}.`);
  if (above + below + 1 <= MAX_LEVELS) return;
  throw new Conflict(`Groups would be nested to ${above + below + 1} levels; the maximum is ${MAX_LEVELS}.`);
}

/**
 * A group that holds a role, itself or through a group that it is in, is changed by those who may change the role. So is
 * the sign-in of a user; roles of all users do not count.
 * @throws Permission
 */
export async function requireItsRoles(
  tx: Transaction,
  caller: Caller,
  type: "Group" | "User",
  id: number,
): Promise<void> {
  const held = await listAllRolesOf(tx, caller.tenantId, { type, id });
  const roles = held.filter(({ allUsers }) => type === "Group" || !allUsers);
  if (roles.length === 0) return;
  if (!caller.scopes.has(CHANGE_ROLES)) {
    throw new Permission(
      type === "Group"
        ? `Group ${id} gives a role to its members, so changing it also requires the scope ${CHANGE_ROLES}.`
        : `User ${id} has a role, so a password for it also requires the scope ${CHANGE_ROLES}.`,
      `Bearer error="insufficient_scope", scope="${CHANGE_ROLES}"`,
    );
  }
  for (const role of roles) caller.permissions.require(CHANGE_ROLES, ROLE.name, ROLE.toRecord(role));
}

/** @throws Conflict if the caller has lost the scopes to undo the change */
export async function refuseLockOut(tx: Transaction, { tenantId, actor, scopes }: Caller): Promise<void> {
  if (actor.type !== "User" || !scopes.has(CHANGE_ROLES)) return;
  if ((await userScopes(tx, tenantId, actor.id)).includes(CHANGE_ROLES)) return;
  throw new Conflict(
    `This change would remove your own access: none of your roles would grant ${CHANGE_ROLES}. Nothing was changed. A different user with ${CHANGE_ROLES} can make it.`,
  );
}

/** A payload has the changes of a list: these members, or only their numbers. */
const MAX_NAMED = 100;

/** @param before the row before the change; undefined: a new record @param after undefined: a deleted one */
export function membersChanged(column: string, before: Row | undefined, after: Row | undefined) {
  const [from, to] = [before, after].map((row) => (row?.[column] ?? []) as Member[]);
  const keys = (members: Member[]) => new Set(members.map(({ Type, Id }) => `${Type} ${Id}`));
  const [known, wanted] = [keys(from!), keys(to!)];
  const Added = to!.filter(({ Type, Id }) => !known.has(`${Type} ${Id}`));
  const Removed = from!.filter(({ Type, Id }) => !wanted.has(`${Type} ${Id}`));
  if (Added.length + Removed.length <= MAX_NAMED) return { Added, Removed };
  return { AddedCount: Added.length, RemovedCount: Removed.length };
}
