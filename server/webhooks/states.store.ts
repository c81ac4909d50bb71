// Conditions on a delivery `d`. By literal states PostgreSQL reads only the partition of open deliveries, or only the
// others.

import type { Queries } from "../db/sql.ts";

export const isOpen = (sql: Queries) => sql`d.state in ('Pending', 'Retrying', 'Held')`;
export const isClosed = (sql: Queries) => sql`d.state in ('Delivered', 'Exhausted', 'Cancelled')`;
