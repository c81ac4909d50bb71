// An invitation carries only what its inviter may grant, which is judged when it is made and again when it is accepted.

import type { Transaction } from "../../../platform/db/sql.ts";
import { BadInput, Permission } from "../../../platform/errors.ts";
import { type Access, type Caller, ownRecords, ROLE } from "../../../records/index.ts";
import type { Invitation } from "./contract.ts";
import { findDepartment, findRolesNamed } from "./store.ts";

const NEEDED = "AccessManager:Create";

/**
 * @param by the inviter's present permissions @param username of the new User, once it is known
 * @throws Permission if the inviter may not create such a User or change a role, BadInput for unknown roles
 */
export async function requireGrantable(
  { findRecords }: Pick<Access, "findRecords">,
  tx: Transaction,
  { tenantId, scopes, permissions }: Pick<Caller, "tenantId" | "scopes" | "permissions">,
  { email, name, roles, departmentId }: Pick<Invitation, "email" | "name" | "roles" | "departmentId">,
  username = email,
): Promise<void> {
  if (!scopes.has(NEEDED)) throw new Permission(`An invitation makes a User, which needs the scope ${NEEDED}.`);
  const department = departmentId === null ? undefined : await findDepartment(tx, tenantId, departmentId);
  if (departmentId !== null && !department) {
    const Message = `DepartmentId: there is no Department ${departmentId}.`;
    throw BadInput.in([{ Field: "DepartmentId", Message }]);
  }
  const user = ownRecords.recordOfNewUser({ name, username, email, emailVerified: true, Department: department });
  permissions.require(NEEDED, "User", user);
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
