import type { Authenticate } from "../bearer.ts";
import { settingsController } from "../settings-routes.ts";
import type { Roles } from "./service.ts";

export function rolesController(roles: Roles, authenticate: Authenticate) {
  return settingsController("Role", roles, authenticate);
}
