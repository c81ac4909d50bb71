import { randomBytes } from "node:crypto";
import { insertStarterAccess, SCOPES } from "../access/index.ts";
import type { Sql } from "../db/connection.ts";
import { GRANT_TYPES, hashSecret } from "../oauth/index.ts";
import { hashPassword } from "../signin/index.ts";
import type { TenantId } from "../tenant-id.ts";
import { countTenants, insertAdmin, insertClient, insertTenant } from "./store.ts";

/** What a new tenant is handed once; nothing of it can be read again. */
export interface NewTenant {
  tenantId: TenantId;
  admin: { username: string; password: string };
  client: { clientId: string; clientSecret: string; redirectUris: string[] };
}

const TENANT_NAME_LIMIT = 100;
const DEMO_REDIRECT_URIS = ["http://localhost:3001/callback"];

export { SETTINGS_RESOURCE_TYPE as TENANT_RESOURCE_TYPE } from "./settings/resource-type.ts";
export { tenantSettingsController } from "./settings/routes.ts";
export { SECOND_FACTOR_RULES } from "./settings/store.ts";

export { findOnlyTenant, findTenant, type Tenant } from "./store.ts";

export const tenantCount = countTenants;

/** The admin's, and what is kept of it. */
export interface AdminPassword {
  password: string;
  hash: string;
}

export async function newAdminPassword(): Promise<AdminPassword> {
  const password = randomBytes(15).toString("base64url");
  return { password, hash: await hashPassword(password) };
}

/**
 * Makes a tenant with an admin, a client that has all scopes and grants, and policies to start from, in one transaction.
 * @param chosen the admin's password, hashed before; a new one by default
 * @throws Error with a readable message if the name is empty, too long or taken
 */
export async function createTenant(sql: Sql, name: string, chosen?: AdminPassword): Promise<NewTenant> {
  const trimmed = name.trim();
  if (trimmed === "" || trimmed.length > TENANT_NAME_LIMIT) {
    throw new Error(`A tenant's name has 1 to ${TENANT_NAME_LIMIT} characters.`);
  }
  const tenantId = Bun.randomUUIDv7() as TenantId;
  const clientSecret = randomBytes(32).toString("base64url");
  const { password, hash: passwordHash } = chosen ?? (await newAdminPassword());
  try {
    const clientId = await sql.begin(async (tx) => {
      await insertTenant(tx, tenantId, trimmed);
      const adminId = await insertAdmin(tx, tenantId, { username: "admin", passwordHash });
      const applicationId = await insertClient(tx, tenantId, {
        name: "demo-client",
        secretId: Bun.randomUUIDv7(),
        digest: hashSecret(clientSecret),
        grants: [...GRANT_TYPES],
        scopes: [...SCOPES],
        redirectUris: DEMO_REDIRECT_URIS,
      });
      await insertStarterAccess(tx, tenantId, [
        { type: "User", id: adminId },
        { type: "Application", id: applicationId },
      ]);
      return applicationId;
    });
    return {
      tenantId,
      admin: { username: "admin", password },
      client: { clientId: String(clientId), clientSecret, redirectUris: DEMO_REDIRECT_URIS },
    };
  } catch (error) {
    if ((error as { constraint_name?: string }).constraint_name === "tenants_name_key") {
      throw new Error(`There is a tenant named "${trimmed}" already. Choose another name.`);
    }
    throw error;
  }
}
