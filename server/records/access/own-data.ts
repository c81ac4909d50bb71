// The permissions of a person who reads their own data, independent of the tenant's policies.

import { Permission } from "../../platform/errors.ts";
import type { Permissions } from "./decisions/permissions.ts";

/** Logs whose entries the reader selects by the person. Their records are checked one by one. */
const LOGS: readonly string[] = ["WebhookEvent", "AuditEvent"];

/** Only reading: the person's own User, and entries of logs. */
export function ownPermissions(userId: number): Permissions {
  const allows: Permissions["allows"] = (action, type, record) =>
    action.endsWith(":Read") && (LOGS.includes(type) || (type === "User" && String(record.Id) === String(userId)));
  return {
    allows,
    decide: (action, type, record) => ({
      allowed: allows(action, type, record),
      forbidden: false,
      policies: [],
      failed: [],
      statements: [],
    }),
    require(action, type, record) {
      if (!allows(action, type, record)) throw new Permission(`You may not read this ${type}.`);
    },
    reach: (action, type) => {
      if (!action.endsWith(":Read")) return "None";
      if (type === "User") return "Some";
      return LOGS.includes(type) ? "All" : "None";
    },
    looksInto: () => [],
    decidesWithout: () => true,
  };
}
