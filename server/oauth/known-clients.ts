// Clients as the token endpoints ask for them, at every request: from memory, until they change.

import type { Access } from "../access/index.ts";
import type { Sql } from "../db/connection.ts";
import type { TenantId } from "../tenant-id.ts";
import { type Client, findClient } from "./store.ts";

/** Clients whose tenant is known; beyond it, the one met first is forgotten. */
const CLIENTS = 20_000;

/** @returns undefined if there is no such client */
export type FindKnownClient = (clientId: string) => Promise<Client | undefined>;

export function createKnownClients(sql: Sql, access: Pick<Access, "keepOfClients">): FindKnownClient {
  const clients = access.keepOfClients((_, clientId) => findClient(sql, clientId));
  /** A client never goes to another tenant. */
  const tenants = new Map<string, TenantId>();

  return async (clientId) => {
    const tenantId = tenants.get(clientId);
    if (tenantId) return clients.get(tenantId, clientId);
    const client = await findClient(sql, clientId);
    if (client) {
      const [oldest] = tenants.keys();
      if (tenants.size >= CLIENTS && oldest) tenants.delete(oldest);
      tenants.set(clientId, client.tenantId);
    }
    return client;
  };
}
