// Changes of the audit log by SQL.

import type { Sql } from "../../server/platform/db/sql.ts";
import { partitionsOf } from "../world/postgresql.ts";

/** As by the owner of the tables, who can disable what protects them. */
export async function tamper(sql: Sql, statement: string): Promise<void> {
  await sql.begin(async (tx) => {
    const tables = [{ name: "audit_log" }, ...(await partitionsOf("audit_log", tx))];
    for (const { name } of tables) await tx.unsafe(`alter table ${name} disable trigger user`);
    await tx.unsafe(statement);
    for (const { name } of tables) await tx.unsafe(`alter table ${name} enable always trigger audit_log_append_only`);
  });
}

/** For `l` of audit_log. */
export const copyOf = (id: string, tenant = "tenant_id") =>
  `jsonb_populate_record(l, jsonb_build_object('id', ${id}, 'tenant_id', ${tenant}))`;

/** Copies of the entries in two former months. */
export async function addFormerMonths(sql: Sql): Promise<void> {
  for (const months of [5, 4]) {
    await sql.unsafe(`
      select make_partition('audit_log', now() - interval '${months} months');
      insert into audit_log select (${copyOf(`overlay(new_id()::text placing left(lowest_id(now() - interval '${months} months')::text, 13) from 1 for 13)`)}).*
      from audit_log l where uuid_extract_timestamp(id) > now() - interval '1 day'`);
  }
}
