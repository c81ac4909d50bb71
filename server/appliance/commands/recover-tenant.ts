import { makeClient, tenants } from "../../identity/index.ts";
import type { Sql } from "../../platform/db/sql.ts";
import type { TenantId } from "../../platform/ids.ts";
import { initialAccess, ownRecords, recordAudit, SCOPES } from "../../records/index.ts";

export interface RecoveredTenant {
  tenantId: TenantId;
  /** A new client with all permissions. Its secret cannot be read again. */
  client: { clientId: string; clientSecret: string };
  /** The policies that locked everyone out, for recreating corrected ones. */
  deletedPolicies: Awaited<ReturnType<typeof initialAccess.recoverAccess>>;
}

const APPLICATION = {
  name: "Recovery",
  description: "Created by `bun run tenant recover`. Delete it after the recovery.",
};

/** In one transaction. @throws Error with a readable message if the tenant does not exist */
export async function recoverTenant(sql: Sql, nameOrId: string): Promise<RecoveredTenant> {
  const tenant = await tenants.findTenant(sql, nameOrId);
  if (!tenant) throw new Error(`There is no tenant with the name or Id "${nameOrId}". Names are case-sensitive.`);
  const tenantId = tenant.id;
  return sql.begin(async (tx) => {
    const id = await ownRecords.insertSystemApplication(tx, tenantId, APPLICATION);
    const client = await makeClient(tx, tenantId, id, { grantTypes: ["client_credentials"], scopes: [...SCOPES] });
    const deletedPolicies = await initialAccess.recoverAccess(tx, tenantId, { Type: "Application", Id: id });
    const origin = { address: "", userAgent: "bun run tenant recover", requestKey: Bun.randomUUIDv7() };
    await recordAudit(tx, tenantId, origin, {
      kind: "Access.Recovered",
      subject: { type: "Application", id },
      details: { DeletedPolicies: deletedPolicies.map(({ Name }) => Name) },
    });
    return { tenantId, client, deletedPolicies };
  }) as Promise<RecoveredTenant>;
}
