// A tenant's APIs for the token endpoint, cached in memory until they change.

import type { Queries } from "../../../platform/db/sql.ts";
import type { TenantId } from "../../../platform/ids.ts";
import type { Access } from "../../../records/index.ts";
import type { Api } from "./contract.ts";
import { listApis } from "./store.ts";

export type FindApis = (tenantId: TenantId) => Promise<readonly Api[]>;

export function createKnownApis(sql: Queries, access: Pick<Access, "keepOfClients">): FindApis {
  const apis = access.keepOfClients((tenantId) => listApis(sql, tenantId));
  return (tenantId) => apis.get(tenantId, "all");
}
