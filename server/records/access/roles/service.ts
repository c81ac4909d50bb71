// Roles: named sets of members with scopes.

import { BadInput, Conflict } from "../../../platform/errors.ts";
import type { Paging } from "../../../platform/http/query.ts";
import type { TenantId } from "../../../platform/ids.ts";
import { requireMembers } from "../../reference-list.ts";
import type { Permitted } from "../bearer.ts";
import type { ShownPage } from "../gate/shown.ts";
import type { RecordService } from "../record-service.ts";
import { listApiScopes, type RoleHolder } from "../roles.store.ts";
import { requireKnownScopes, SCOPE_ACTIONS } from "../scopes.ts";
import { changeSettings, createSettingsService, type SettingsDependencies, settingsResource } from "../settings.ts";
import { userScopes } from "../user-scopes.ts";
import { ROLE, type Role, type RoleInput, type RoleRecord } from "./contract.ts";
import { countRoles, listRolesOf, ROLE_TABLE } from "./store.ts";

const ROLES_PER_TENANT = 200;

export interface Roles extends RecordService<RoleRecord, RoleInput> {
  /** A page of a user's or application's readable roles. @throws ServiceBusy */
  listOf(caller: Permitted<"Settings:Read">, member: RoleHolder, paging: Paging): Promise<ShownPage<RoleRecord>>;
  scopesOf(tenantId: TenantId, userId: number): Promise<string[]>;
}

function createRoles(deps: SettingsDependencies): Roles {
  const { sql, access } = deps;
  const service = createSettingsService<(typeof ROLE)["field"], Role>(deps, ROLE, {
    store: ROLE_TABLE,
    transact: (caller, work) => changeSettings(sql, access, ROLE, caller, work),
    async afterWrite(tx, caller, { before, after, input }) {
      const { tenantId } = caller;
      const { IdentityProviderId } = input;
      requireKnownScopes(after.scopes, await listApiScopes(tx, tenantId));
      if (!before && (await countRoles(tx, tenantId)) > ROLES_PER_TENANT) {
        throw new Conflict(`There are ${ROLES_PER_TENANT} roles, the maximum for a tenant. Delete one first.`);
      }
      requireMembers(ROLE, input, after);
      if (IdentityProviderId && after.identityProviderId === null) {
        const Message = `IdentityProviderId: there is no IdentityProvider ${IdentityProviderId}.`;
        throw BadInput.in([{ Field: "IdentityProviderId", Message }]);
      }
      if (after.allUsers || after.identityProviderId !== null) refuseOwnScopes(after.scopes);
      if (before && before.name !== after.name) {
        await deps.renameRole(tx, caller, before.name, after.name);
      }
    },
  });
  return {
    ...service,
    listOf: ({ tenantId, gate }, member, paging) =>
      gate.list({
        type: ROLE.name,
        name: `Role of ${member.type} ${member.id}`,
        paging,
        read: (limit, after) => listRolesOf(sql, tenantId, member, limit, after),
        id: ({ id }) => id,
        item: (role) => ROLE.toRecord(role),
      }),
    scopesOf: (tenantId, userId) => userScopes(sql, tenantId, userId),
  };
}

/** Permissions in this service are for listed members. Every user has the OpenID scopes. */
function refuseOwnScopes(scopes: string[]): void {
  const own = SCOPE_ACTIONS.filter((scope) => scopes.includes(scope));
  if (own.length === 0) return;
  const Message = `Scopes: a role with AllUsers or IdentityProviderId can have only scopes of APIs, not ${own.join(", ")}. List the Members of a role with these.`;
  throw BadInput.in([{ Field: "Scopes", Message }]);
}

export const ROLES = {
  type: ROLE,
  create: (deps: SettingsDependencies) => settingsResource(ROLE, createRoles(deps)),
};
