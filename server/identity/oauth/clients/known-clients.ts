// Clients for the token endpoints, cached in memory until they change.

import { LRUCache } from "lru-cache";
import type { Sql } from "../../../platform/db/sql.ts";
import type { TenantId } from "../../../platform/ids.ts";
import type { Access } from "../../../records/index.ts";
import { type Client, findClient, isDocumentUrl } from "./store.ts";
import type { OpenSubjectKey } from "./subject-keys.ts";

/** The maximum number of clients with a cached tenant. */
const CLIENTS = 20_000;

/** @param anew reads from PostgreSQL, because another process may have changed it just now */
export type FindKnownClient = (clientId: string, anew?: "anew") => Promise<Client | undefined>;

export function createKnownClients(
  sql: Sql,
  access: Pick<Access, "keepOfClients">,
  openSubjectKey: OpenSubjectKey,
): FindKnownClient {
  async function find(clientId: string): Promise<Client | undefined> {
    const stored = await findClient(sql, clientId);
    if (!stored) return undefined;
    const { sealedSubjectKey, ...client } = stored;
    return { ...client, subjectKey: await openSubjectKey(client.tenantId, sealedSubjectKey) };
  }
  const clients = access.keepOfClients((_, clientId) => find(clientId));
  /** A client never changes its tenant. */
  const tenants = new LRUCache<string, TenantId>({ max: CLIENTS });

  return async (clientId, anew) => {
    // After the client was deleted, its address may be used in a different tenant.
    if (isDocumentUrl(clientId)) return find(clientId);
    const tenantId = tenants.get(clientId);
    if (tenantId && anew) clients.drop(tenantId, clientId);
    if (tenantId) return clients.get(tenantId, clientId);
    const client = await find(clientId);
    if (client) tenants.set(clientId, client.tenantId);
    return client;
  };
}
