import type { Sql } from "../../db/connection.ts";
import type { Access } from "../access.ts";
import type { Authenticate } from "../bearer.ts";
import { settingsController } from "../settings-routes.ts";
import { parseRole } from "./input.ts";
import { removeRole, toRoleRecord, upsertRole } from "./service.ts";
import { findRole, listRoles } from "./store.ts";

export function rolesController(sql: Sql, access: Access, authenticate: Authenticate) {
  return settingsController(sql, authenticate, {
    name: "Role",
    list: listRoles,
    find: findRole,
    toRecord: toRoleRecord,
    save: (caller, body, conditions) => upsertRole(sql, access, caller, parseRole(body), conditions),
    remove: (caller, id, conditions) => removeRole(sql, access, caller, id, conditions),
  });
}
