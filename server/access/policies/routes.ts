import type { Sql } from "../../db/connection.ts";
import type { Access } from "../access.ts";
import type { Authenticate } from "../bearer.ts";
import { settingsController } from "../settings-routes.ts";
import { parsePolicy } from "./input.ts";
import { removePolicy, toPolicyRecord, upsertPolicy } from "./service.ts";
import { findPolicy, listPolicies } from "./store.ts";

export function policiesController(sql: Sql, access: Access, authenticate: Authenticate) {
  return settingsController(sql, authenticate, {
    name: "Policy",
    list: listPolicies,
    find: findPolicy,
    toRecord: toPolicyRecord,
    save: (caller, body, conditions) =>
      upsertPolicy(sql, access, caller, parsePolicy(body, access.checkPolicy), conditions),
    remove: (caller, id, conditions) => removePolicy(sql, access, caller, id, conditions),
  });
}
