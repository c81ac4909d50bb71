// Roles: named sets of members with scopes.

import { BadInput, Conflict } from "../../errors.ts";
import type { Paging } from "../../http/query.ts";
import type { TenantId } from "../../ids.ts";
import type { Permitted } from "../bearer.ts";
import type { ShownPage } from "../gate/shown.ts";
import { listApiScopes, type Member } from "../roles.store.ts";
import { requireKnownScopes } from "../scopes.ts";
import {
  changeSettings,
  createSettingsService,
  type SettingsDependencies,
  type SettingsService,
  settingsResource,
} from "../settings.ts";
import { userScopes } from "../user-scopes.ts";
import { ROLE, type Role, type RoleInput, type RoleRecord } from "./contract.ts";
import { countRoles, listRolesOf, ROLE_STORE } from "./store.ts";

const ROLES_PER_TENANT = 200;

export interface Roles extends SettingsService<RoleRecord, RoleInput> {
  /** A page of a user's or application's readable roles. @throws ServiceBusy */
  listOf(caller: Permitted<"Settings:Read">, member: Member, paging: Paging): Promise<ShownPage<RoleRecord>>;
  scopesOf(tenantId: TenantId, userId: number): Promise<string[]>;
}

function createRoles(deps: SettingsDependencies): Roles {
  const { sql, access } = deps;
  const service = createSettingsService<(typeof ROLE)["field"], Role>(deps, ROLE, {
    store: ROLE_STORE,
    transact: (caller, work) => changeSettings(sql, access, ROLE, caller, work),
    async afterWrite(tx, { tenantId }, { before, after, input: { Members = [] } }) {
      requireKnownScopes(after.scopes, await listApiScopes(tx, tenantId));
      if (!before && (await countRoles(tx, tenantId)) > ROLES_PER_TENANT) {
        throw new Conflict(`There are ${ROLES_PER_TENANT} roles, the maximum for a tenant.`);
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

/** Rejects members that are not records of the tenant. */
function refuseUnknown(asked: Member[], taken: Member[]): void {
  const known = new Set(taken.map(keyOf));
  const unknown = asked.filter((member) => !known.has(keyOf(member)));
  if (unknown.length > 0)
    throw new BadInput(...unknown.map((member) => `There is no ${keyOf(member)}, so it cannot be a member.`));
}

const keyOf = (member: Member) => `${member.type} ${member.id}`;

export const ROLES = {
  type: ROLE,
  create: (deps: SettingsDependencies) => settingsResource(ROLE, createRoles(deps)),
};
