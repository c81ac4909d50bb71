import type { Route } from "../../http/route.ts";
import { LOCK_OUT, settingsRoutes } from "../settings-routes.ts";
import { ROLE } from "./contract.ts";
import type { Roles } from "./service.ts";

export function roleRoutes(roles: Roles): Route[] {
  const { Name, Description, Scopes } = ROLE.example;
  return settingsRoutes({
    contract: ROLE,
    service: roles,
    tag: {
      name: "Role",
      description: "Groups of users and clients that policies name, and the scopes users get.",
    },
    nouns: ["role", "roles"],
    examples: { role: { Name, Description, Scopes } },
    upsert: `The role that Id, or without it Name, points at is updated; else a new one is made, which needs Name. ${LOCK_OUT}`,
    remove: LOCK_OUT,
  });
}
