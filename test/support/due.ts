import { connect } from "../../server/db/sql.ts";
import type { Api } from "./api.ts";
import { shared } from "./tenant.ts";

/** Makes the next attempts of a tenant's deliveries due in PostgreSQL; the timers of their workflows are unchanged. */
export async function makeDue(api: Api, { databaseUrl } = shared() as { databaseUrl: string }): Promise<void> {
  const sql = connect(databaseUrl, "gatehouse test", 1);
  await sql`update deliveries set retry_on = now() where tenant_id = ${api.tenant.tenantId} and state = 'Retrying'`;
  await sql.end();
}
