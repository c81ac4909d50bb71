// Roles: named sets of members with scopes.

import type { Queries, Sql } from "../../db/sql.ts";
import { BadInput, Conflict } from "../../errors.ts";
import type { Paging } from "../../http/query.ts";
import type { TenantId } from "../../ids.ts";
import type { Access } from "../access.ts";
import type { Permitted } from "../bearer.ts";
import type { Actor } from "../caller.ts";
import type { ShownPage } from "../gate/shown.ts";
import type { RecordChange } from "../record-service.ts";
import {
  countRoles,
  listApiScopes,
  listRolesOf,
  type Member,
  ROLE_TABLE,
  type Role,
  replaceMembers,
} from "../roles.store.ts";
import { requireKnownScopes } from "../scopes.ts";
import { changeSettings, createSettingsService, type SettingsService } from "../settings.ts";
import { userScopes } from "../user-scopes.ts";
import { ROLE, type RoleInput, type RoleRecord } from "./contract.ts";

const ROLES_PER_TENANT = 200;

export interface Roles extends SettingsService<RoleRecord, RoleInput> {
  /** A page of a user's or application's readable roles. @throws ServiceBusy */
  listOf(caller: Permitted<"Settings:Read">, member: Member, paging: Paging): Promise<ShownPage<RoleRecord>>;
  /** As `userScopes`. */
  scopesOf(tenantId: TenantId, userId: number): Promise<string[]>;
}

export function createRoles(sql: Sql, access: Access, recordChange: RecordChange): Roles {
  const service = createSettingsService(sql, recordChange, {
    contract: ROLE,
    store: { ...ROLE_TABLE, insert, update },
    unique: { roles_name_key: "Name" },
    blank: { name: "", description: "", scopes: [], members: [] },
    audited: "Role",
    transact: (caller, work) => changeSettings(sql, access, ROLE, caller, work),
    async afterWrite(tx, { tenantId }, { before, after, input: { Members = [] } }) {
      requireKnownScopes(after.scopes, await listApiScopes(tx, tenantId));
      if (!before && (await countRoles(tx, tenantId)) > ROLES_PER_TENANT) {
        throw new Conflict(`There are ${ROLES_PER_TENANT} roles already, which is the most a tenant can have.`);
      }
      refuseUnknown(Members, after.members);
    },
  });
  return {
    ...service,
    listOf: ({ tenantId, gate }, member, paging) =>
      gate.list({
        type: ROLE.name,
        name: `Role of ${keyOf(member)}`,
        paging,
        read: (limit, after) => listRolesOf(sql, tenantId, member, limit, after),
        id: ({ id }) => id,
        item: (role) => ROLE.toRecord(role),
      }),
    scopesOf: (tenantId, userId) => userScopes(sql, tenantId, userId),
  };
}

async function insert(tx: Queries, tenantId: TenantId, role: Role, actor: Actor): Promise<Role> {
  const { id } = (await ROLE_TABLE.insert(tx, tenantId, role, actor))!;
  await replaceMembers(tx, tenantId, id, role.members);
  return (await ROLE_TABLE.find(tx, tenantId, { id }))!;
}

async function update(tx: Queries, tenantId: TenantId, role: Role, actor: Actor, before: Role): Promise<Role> {
  const { id, members } = role;
  if (!Bun.deepEquals(members, before.members)) await replaceMembers(tx, tenantId, id, members);
  return ROLE_TABLE.update(tx, tenantId, role, actor);
}

/** Rejects members that are not records of the tenant. */
function refuseUnknown(asked: Member[], taken: Member[]): void {
  const known = new Set(taken.map(keyOf));
  const unknown = asked.filter((member) => !known.has(keyOf(member)));
  if (unknown.length > 0)
    throw new BadInput(...unknown.map((member) => `There is no ${keyOf(member)} to be a member.`));
}

const keyOf = (member: Member) => `${member.type} ${member.id}`;
