// An invitation carries only what its inviter may grant, which is judged when it is made and again when it is accepted.

import type { Transaction } from "../../../platform/db/sql.ts";
import { BadInput, Permission } from "../../../platform/errors.ts";
import { type Access, type Caller, ownRecords, ROLE } from "../../../records/index.ts";
import type { Invitation } from "./contract.ts";
import { findDepartment, findRolesNamed } from "./store.ts";

/** To make a User, and to make invitations and change roles. */
const NEEDED = ["AccessManager:Create", "Settings:Update"] as const;
const [MAKE_USER] = NEEDED;

type Granted = Pick<Invitation, "email" | "name" | "roles" | "departmentId">;
type Inviter = Pick<Caller, "tenantId" | "scopes" | "permissions">;

/**
 * @param inviter with the present permissions @param username of the new User, once it is known
 * @throws Permission if the inviter may not create such a User or change a role, BadInput for unknown roles
 */
export function requireGrantable(
  access: Pick<Access, "findRecords">,
  tx: Transaction,
  inviter: Inviter,
  granted: Granted,
  username?: string,
): Promise<void> {
  return createRequireGrantable(access, tx, inviter)(granted, username);
}

/** The same for many invitations: roles and departments are judged once. */
export function createRequireGrantable(
  { findRecords }: Pick<Access, "findRecords">,
  tx: Transaction,
  { tenantId, scopes, permissions }: Inviter,
): (granted: Granted, username?: string) => Promise<void> {
  const once = <Value>(work: (key: string) => Promise<Value>) => {
    const known = new Map<string, Promise<Value>>();
    return (key: string) => {
      if (!known.has(key)) known.set(key, work(key));
      return known.get(key)!;
    };
  };
  const departmentOf = once((id) => findDepartment(tx, tenantId, Number(id)));
  const requireRoles = once((key) => judgeRoles(JSON.parse(key)));
  return async ({ email, name, roles, departmentId }, username = email) => {
    const missing = NEEDED.filter((scope) => !scopes.has(scope));
    if (missing.length > 0) {
      throw new Permission(`An invitation makes a User, which needs the scope ${missing.join(" and ")}.`);
    }
    const department = departmentId === null ? undefined : await departmentOf(String(departmentId));
    if (departmentId !== null && !department) {
      const Message = `DepartmentId: there is no Department ${departmentId}.`;
      throw BadInput.in([{ Field: "DepartmentId", Message }]);
    }
    const user = ownRecords.recordOfNewUser({ name, username, email, emailVerified: true, Department: department });
    permissions.require(MAKE_USER, "User", user);
    await requireRoles(JSON.stringify(roles));
  };

  async function judgeRoles(roles: string[]): Promise<void> {
    const found = await findRolesNamed(tx, tenantId, roles);
    const ids = found.map(({ id }) => id);
    for (const record of await findRecords(tx, tenantId, ROLE.name, ids)) {
      permissions.require("Settings:Update", ROLE.name, record, record);
    }
    const missing = roles.filter((one) => !found.some((role) => role.name === one));
    if (missing.length > 0) {
      throw BadInput.in([{ Field: "Roles", Message: `Roles: there is no role ${missing.join(", ")}.` }]);
    }
  }
}
