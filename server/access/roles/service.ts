import { changesOf, recordAudit, valuesShown } from "../../audit/index.ts";
import type { Sql, Transaction } from "../../db/connection.ts";
import { BadInput, Conflict, NotFound } from "../../errors.ts";
import { type Conditions, requireConditions } from "../../http/conditions.ts";
import { isUuid } from "../../http/paging.ts";
import type { TenantId } from "../../tenant-id.ts";
import type { Access } from "../access.ts";
import type { Caller } from "../bearer.ts";
import { changeSettings } from "../change-settings.ts";
import type { FindRecords } from "../gate/references.ts";
import { requireSeen } from "../seen.ts";
import { createSettingsService, type SettingsService } from "../settings-service.ts";
import { refuseChangedStamps } from "../stamps.ts";
import { ROLE, type RoleInput, type RoleRecord } from "./contract.ts";
import {
  countRoles,
  deleteRole,
  findRole,
  findRoles,
  insertRole,
  listRoles,
  type Member,
  type Role,
  replaceMembers,
  updateRole,
} from "./store.ts";

const ROLES_PER_TENANT = 200;

const AUDITED = ROLE.namesOf(({ audit }) => audit);
const SHOWN = ROLE.namesOf(({ audit }) => audit === "value");

/** A tenant's roles. */
export type Roles = SettingsService<RoleRecord, RoleInput>;

export function createRoles(sql: Sql, access: Access): Roles {
  return createSettingsService(sql, {
    name: "Role",
    list: listRoles,
    find: findRole,
    toRecord: toRoleRecord,
    save: (caller, input, conditions) => upsertRole(sql, access, caller, input, conditions),
    remove: (caller, id, conditions) => removeRole(sql, access, caller, id, conditions),
  });
}

/** Roles by their Ids, for what tells of them elsewhere. */
export const findRoleRecords: FindRecords = async (sql, tenantId, _, ids) =>
  (await findRoles(sql, tenantId, ids.filter(isUuid))).map(toRoleRecord);

/**
 * Updates the role that Id or Name points at, or makes a new one. Members, if given, are all there are then.
 * @throws BadInput, NotFound, Permission, Conflict, PreconditionFailed
 */
function upsertRole(sql: Sql, access: Access, caller: Caller, input: RoleInput, conditions: Conditions) {
  const { tenantId, actor } = caller;
  return changeSettings(sql, access, caller, "Role", async (tx, permissions) => {
    const before = await lookUp(tx, tenantId, input);
    if (!before || conditions.ifNoneMatch === "*") requireConditions(conditions, before && toRoleRecord(before));
    const after = {
      name: input.Name ?? before?.name ?? ROLE.whole(input, "Name").Name,
      description: input.Description ?? before?.description ?? "",
      scopes: input.Scopes ?? before?.scopes ?? [],
    };
    const asRecord = { Id: before?.id ?? "", Name: after.name, Description: after.description, Scopes: after.scopes };
    permissions.require("Settings:Update", "Role", before ? toRoleRecord(before) : asRecord, asRecord);
    // Only now, so that who may not change it learns of no value whether it is right.
    if (before) await requireSeen(tx, caller, "Role", conditions, toRoleRecord(before));
    refuseChangedStamps(caller, "Role", input, before && toRoleRecord(before));
    if (before && !differs(before, { ...after, members: input.Members ?? before.members })) return toRoleRecord(before);

    const holder = await findRole(tx, tenantId, { name: after.name });
    if (holder && holder.id !== before?.id) throw new Conflict("Name is held by another Role.");
    if (!before && (await countRoles(tx, tenantId)) >= ROLES_PER_TENANT) {
      throw new Conflict(`There are ${ROLES_PER_TENANT} roles already, which is the most a tenant can have.`);
    }
    const id = before?.id ?? (await insertRole(tx, tenantId, after, actor));
    if (before) await updateRole(tx, tenantId, { id, ...after }, actor);
    if (input.Members) await replaceMembers(tx, tenantId, id, input.Members);
    const saved = (await findRole(tx, tenantId, { id }))!;
    if (input.Members) refuseUnknown(input.Members, saved.members);
    const record = toRoleRecord(saved);
    await recordAudit(tx, tenantId, caller, {
      kind: before ? "Role.Changed" : "Role.Created",
      subject: { type: "Role", id },
      details: before ? changesOf(toRoleRecord(before), record, AUDITED, SHOWN) : valuesShown(record, SHOWN),
    });
    return record;
  });
}

/** @throws NotFound, Permission, Conflict, PreconditionFailed */
function removeRole(sql: Sql, access: Access, caller: Caller, id: string, conditions: Conditions) {
  const { tenantId } = caller;
  return changeSettings(sql, access, caller, "Role", async (tx, permissions) => {
    const role = await findRole(tx, tenantId, { id });
    if (!role) throw new NotFound("There is no Role with this Id.");
    permissions.require("Settings:Update", "Role", toRoleRecord(role));
    await requireSeen(tx, caller, "Role", conditions, toRoleRecord(role));
    await deleteRole(tx, tenantId, id);
    const record = toRoleRecord(role);
    await recordAudit(tx, tenantId, caller, {
      kind: "Role.Deleted",
      subject: { type: "Role", id: role.id },
      details: valuesShown(record, SHOWN),
    });
    return record;
  });
}

function toRoleRecord(role: Role): RoleRecord {
  return ROLE.toRecord(role);
}

async function lookUp(tx: Transaction, tenantId: TenantId, input: RoleInput): Promise<Role | undefined> {
  if (input.Id === undefined) return findRole(tx, tenantId, { name: ROLE.whole(input, "Name").Name });
  const role = await findRole(tx, tenantId, { id: input.Id });
  if (!role) throw new NotFound(`There is no Role with the Id ${input.Id}.`);
  return role;
}

/** Only records of the tenant were taken. */
function refuseUnknown(asked: Member[], taken: Member[]): void {
  const known = new Set(taken.map(keyOf));
  const unknown = asked.filter((member) => !known.has(keyOf(member)));
  if (unknown.length > 0)
    throw new BadInput(...unknown.map((member) => `There is no ${keyOf(member)} to be a member.`));
}

const keyOf = (member: Member) => `${member.type} ${member.id}`;

function differs(before: Role, after: Pick<Role, "name" | "description" | "scopes" | "members">): boolean {
  const { name, description, scopes } = before;
  const members = (role: Pick<Role, "members">) => [...new Set(role.members.map(keyOf))].sort();
  return (
    !Bun.deepEquals(
      { name, description, scopes },
      { name: after.name, description: after.description, scopes: after.scopes },
    ) || !Bun.deepEquals(members(before), members(after))
  );
}
