// Conditions on a delivery `d`. By literal states PostgreSQL reads only the partition of open deliveries, or only the
// others.

import type { Fragment } from "postgres";
import type { Queries } from "../platform/db/sql.ts";

export const isOpen = (sql: Queries) => sql`d.state in ('Pending', 'Retrying', 'Held')`;
export const isClosed = (sql: Queries) => sql`d.state in ('Delivered', 'Exhausted', 'Cancelled')`;

// A connection's deliveries, the newest event's first.

export const newestOpen = (sql: Queries, where: Fragment) => sql`
  select d.* from deliveries_open d where ${where} order by d.event_id desc`;

/** NULLS LAST: only the indexes by connection have this order, so the planner cannot search the deliveries of all. */
export const newestClosed = (sql: Queries, where: Fragment) => sql`
  select d.* from deliveries_closed d where ${where} order by d.event_id desc nulls last`;

/** Of closed ones that failed once, or were sent again: few, and an index has only these. */
export const hadTrouble = (sql: Queries) => sql`
  (d.state <> 'Delivered' or d.attempts > 1 or d.redelivered_after <> '{}')`;
