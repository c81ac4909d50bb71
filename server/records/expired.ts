// Removals of expired rows, by table. Maintenance runs them every hour.

import type { Sql } from "../platform/db/sql.ts";
import { removeOldLinks } from "./audit/chain.store.ts";
import { removeExpiredPlaces } from "./audit/store.ts";
import { removeOldKeys } from "./requests/keys.store.ts";
import { removeOldRequests } from "./requests/store.ts";

export const RECORDS_EXPIRED: Record<string, (sql: Sql) => Promise<number>> = {
  requests: removeOldRequests,
  idempotency_keys: removeOldKeys,
  audit_places: removeExpiredPlaces,
  audit_chain: removeOldLinks,
};
