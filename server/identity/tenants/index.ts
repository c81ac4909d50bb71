import { randomBytes } from "node:crypto";
import { urlOf } from "../../platform/address.ts";
import type { Sql } from "../../platform/db/sql.ts";
import { newId, type TenantId } from "../../platform/ids.ts";
import { asTitle } from "../../platform/text.ts";
import { initialAccess, SCOPES } from "../../records/index.ts";
import { redirectUriProblem } from "../oauth/clients/credential-rules.ts";
import { CONSOLE_APPLICATION } from "../oauth/console-client.ts";
import { STANDARD_GRANT_TYPES } from "../oauth/contract.ts";
import { digestOf } from "../signin/opaque.ts";
import { hashPassword } from "../signin/password.ts";
import {
  countTenants,
  findOnlyTenant,
  findTenant,
  insertAdmin,
  insertClient,
  insertConsoleClient,
  insertTenant,
  TENANT_NAME_LIMIT,
  type Tenant,
} from "./store.ts";

/** The credentials of a new tenant, which cannot be read again. */
export interface NewTenant {
  tenantId: TenantId;
  admin: { username: string; password: string };
  client: { clientId: string; clientSecret: string; redirectUris: string[] };
}

const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"];
/** The redirect URI of an application on this machine. */
export const DEMO_REDIRECT_URIS = ["http://localhost:3001/callback"];

export { BRANDING_NAMES, IMAGE_NAMES } from "../branding/fields.ts";
export { TENANT_SETTINGS } from "./contract.ts";
export { type PreviewedPage, previewsOf } from "./preview.tsx";
export { findTenant, type Tenant } from "./store.ts";
export {
  createOwnTenant,
  type OwnTenant,
  tenantSettingsRoutes,
} from "./tenant-settings.ts";

export const tenantCount = countTenants;

export interface Tenants {
  find(nameOrId: string): Promise<Tenant | undefined>;
  findOnly(): Promise<Tenant | undefined>;
}

export function createTenants(sql: Sql): Tenants {
  return { find: (nameOrId) => findTenant(sql, nameOrId), findOnly: () => findOnlyTenant(sql) };
}

export interface AdminPassword {
  password: string;
  hash: string;
}

async function newAdminPassword(): Promise<AdminPassword> {
  const password = randomBytes(15).toString("base64url");
  return { password, hash: await hashPassword(password) };
}

/** Redirect URIs for trying a tenant's client on this machine; none if PUBLIC_URL is not loopback. */
export function tryOutUris(publicUrl: string): string[] {
  return LOOPBACK.includes(urlOf(publicUrl).hostname) ? DEMO_REDIRECT_URIS : [];
}

/**
 * In one transaction, with an admin, a client with all scopes and grants, the client of Settings, and initial policies.
 * @param chosen the admin's hashed password; default: a new one
 * @throws Error with a readable message if the name or an address is invalid, or the name is taken
 */
export async function createTenant(
  sql: Sql,
  name: string,
  chosen?: AdminPassword,
  redirectUris = DEMO_REDIRECT_URIS,
): Promise<NewTenant> {
  const { text: trimmed, problem } = asTitle(name, TENANT_NAME_LIMIT);
  if (!trimmed) {
    throw new Error(`A tenant's name ${problem ?? `must have 1 to ${TENANT_NAME_LIMIT} characters.`}`);
  }
  const problems = redirectUris.flatMap((uri) => redirectUriProblem(uri, "confidential") ?? []);
  if (problems.length > 0) throw new Error(problems.join("\n"));
  const tenantId = newId<TenantId>();
  const clientSecret = randomBytes(32).toString("base64url");
  const { password, hash: passwordHash } = chosen ?? (await newAdminPassword());
  try {
    const clientId = await sql.begin(async (tx) => {
      await insertTenant(tx, tenantId, trimmed);
      const adminId = await insertAdmin(tx, tenantId, { username: "admin", passwordHash });
      const applicationId = await insertClient(tx, tenantId, {
        name: "demo-client",
        secretId: Bun.randomUUIDv7(),
        digest: digestOf(clientSecret),
        grants: [...STANDARD_GRANT_TYPES],
        scopes: [...SCOPES],
        redirectUris,
      });
      await insertConsoleClient(tx, tenantId, CONSOLE_APPLICATION);
      await initialAccess.insertInitialAccess(tx, tenantId, [
        { Type: "User", Id: adminId },
        { Type: "Application", Id: applicationId },
      ]);
      return applicationId;
    });
    return {
      tenantId,
      admin: { username: "admin", password },
      client: { clientId: String(clientId), clientSecret, redirectUris },
    };
  } catch (error) {
    if ((error as { constraint_name?: string }).constraint_name === "tenants_name_key") {
      throw new Error(`There is a tenant named "${trimmed}" already. Choose another name.`);
    }
    throw error;
  }
}
