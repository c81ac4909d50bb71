import { LOCK_OUT, type SettingsDependencies, settingsResource, settingsType } from "../settings.ts";
import { ROLE } from "./contract.ts";
import { createRoles } from "./service.ts";

export const ROLES = {
  // `Role::"admin"` as a resource is the role that principals are members of.
  type: settingsType(ROLE, "Name"),
  create({ sql, access, recordChange }: SettingsDependencies) {
    const { Name, Description, Scopes } = ROLE.example;
    return settingsResource({
      contract: ROLE,
      service: createRoles(sql, access, recordChange),
      tag: {
        name: "Role",
        description: "Groups of users and clients that policies name, and the scopes users get.",
      },
      nouns: ["role", "roles"],
      examples: { role: { Name, Description, Scopes } },
      upsert: `The role that Id, or without it Name, points at is updated; else a new one is made, which needs Name. ${LOCK_OUT}`,
      remove: LOCK_OUT,
    });
  },
};
