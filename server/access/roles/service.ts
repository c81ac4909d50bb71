import type { Queries, Sql } from "../../db/connection.ts";
import { BadInput, Conflict } from "../../errors.ts";
import { isUuid } from "../../http/paging.ts";
import type { TenantId } from "../../tenant-id.ts";
import type { Access } from "../access.ts";
import type { Actor } from "../bearer.ts";
import { changeSettings } from "../change-settings.ts";
import type { FindRecords } from "../gate/references.ts";
import { createSettingsService, type New, type SettingsService } from "../settings-service.ts";
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

/** A tenant's roles. */
export type Roles = SettingsService<RoleRecord, RoleInput>;

export function createRoles(sql: Sql, access: Access): Roles {
  return createSettingsService(sql, {
    contract: ROLE,
    store: { list: listRoles, find: findRole, insert, update, remove: deleteRole },
    blank: { name: "", description: "", scopes: [], members: [] },
    audited: "Role",
    change: (caller, work) => changeSettings(sql, access, caller, "Role", work),
    async checkWritten(tx, tenantId, { before, saved, input: { Members = [] } }) {
      if (!before && (await countRoles(tx, tenantId)) > ROLES_PER_TENANT) {
        throw new Conflict(`There are ${ROLES_PER_TENANT} roles already, which is the most a tenant can have.`);
      }
      refuseUnknown(Members, saved.members);
    },
  });
}

async function insert(tx: Queries, tenantId: TenantId, role: New<Role>, actor: Actor): Promise<Role> {
  const id = await insertRole(tx, tenantId, role, actor);
  await replaceMembers(tx, tenantId, id, role.members);
  return (await findRole(tx, tenantId, { id }))!;
}

async function update(tx: Queries, tenantId: TenantId, role: Role, actor: Actor, before: Role): Promise<Role> {
  const { id, members } = role;
  await updateRole(tx, tenantId, role, actor);
  if (!Bun.deepEquals(members, before.members)) await replaceMembers(tx, tenantId, id, members);
  return (await findRole(tx, tenantId, { id }))!;
}

/** Roles by their Ids, for what tells of them elsewhere. */
export const findRoleRecords: FindRecords = async (sql, tenantId, _, ids) =>
  (await findRoles(sql, tenantId, ids.filter(isUuid))).map((role) => ROLE.toRecord(role));

/** Only records of the tenant were taken. */
function refuseUnknown(asked: Member[], taken: Member[]): void {
  const known = new Set(taken.map(keyOf));
  const unknown = asked.filter((member) => !known.has(keyOf(member)));
  if (unknown.length > 0)
    throw new BadInput(...unknown.map((member) => `There is no ${keyOf(member)} to be a member.`));
}

const keyOf = (member: Member) => `${member.type} ${member.id}`;
