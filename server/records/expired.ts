// Removals of expired rows, by table. Maintenance runs them every hour.

import type { Sql } from "../platform/db/sql.ts";
import { removeOldLinks } from "./audit/chain.store.ts";
import { removeExpiredPlaces } from "./audit/store.ts";
import { removeOldRequests } from "./requests/store.ts";

export const RECORDS_EXPIRED: Record<string, (sql: Sql) => Promise<number>> = {
  requests: removeOldRequests,
  audit_places: removeExpiredPlaces,
  audit_chain: removeOldLinks,
};
