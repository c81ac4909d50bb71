import type { Route } from "../../http/route.ts";
import { settingsRoutes } from "../settings-routes.ts";
import { ROLE } from "./contract.ts";
import type { Roles } from "./service.ts";

export function roleRoutes(roles: Roles): Route[] {
  const { Name, Description, Scopes } = ROLE.example;
  return settingsRoutes({
    contract: ROLE,
    service: roles,
    noun: "role",
    description: "Groups of users and clients that policies name, and the scopes users get.",
    example: { Name, Description, Scopes },
  });
}
