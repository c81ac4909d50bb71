// Leases of rows whose workflows a worker starts or notifies. A lease expires, because Temporal's store may be wiped.

import type { Logger } from "pino";
import type { TenantId } from "../ids.ts";
import { createOutageLog } from "../log.ts";
import type { Queries, Sql } from "./sql.ts";
import { type Passes, startPasses } from "./watch.ts";

interface Leased {
  id: string;
  tenantId: TenantId;
}

export interface Lease {
  table: string;
  /** Default: lease_until. */
  column?: string;
}

/** Makes a leased row due again soon. */
export async function endLease(sql: Queries, { table, column = "lease_until" }: Lease, { id, tenantId }: Leased) {
  await sql`
    update ${sql(table)} set ${sql(column)} = now() + interval '1 second'
    where tenant_id = ${tenantId} and id = ${id} and ${sql(column)} > now()`;
}

export interface DueWork<Due extends Leased> {
  lease: Lease;
  channel: string;
  /** Its nouns in the log, and the log's name of its id. */
  nouns: readonly [one: string, several: string];
  idName: string;
  batch: number;
  leaseDue(sql: Queries, limit: number): Promise<Due[]>;
  start(due: Due): Promise<void>;
}

export function startDue<Due extends Leased>(sql: Sql, log: Logger, work: DueWork<Due>): Passes {
  const { lease, channel, nouns, idName, batch, leaseDue, start } = work;
  const [notLookedFor, notStarted] = [createOutageLog(log), createOutageLog(log)];

  async function pass(): Promise<void> {
    for (;;) {
      const due = await leaseDue(sql, batch);
      await Promise.all(due.map(startOne));
      if (due.length < batch) return;
    }
  }

  async function startOne(due: Due): Promise<void> {
    try {
      await start(due);
    } catch (error) {
      const { id, tenantId } = due;
      notStarted({ err: error, tenantId, [idName]: id }, `Temporal did not start ${nouns[0]}; retrying`);
      await endLease(sql, lease, due);
    }
  }

  return startPasses(sql, channel, pass, (error) => notLookedFor({ err: error }, `the check for ${nouns[1]} failed`));
}
