// PostgreSQL's own online backup: its files may be copied between begin and end, while it runs
// (https://www.postgresql.org/docs/18/continuous-archiving.html#BACKUP-LOWLEVEL-BASE-BACKUP).

import type { Queries, ReservedSql } from "../../platform/db/sql.ts";

/** Begins an online backup in this session, which keeps the write-ahead log from here on until it ends. */
export async function beginOnlineBackup(session: ReservedSql): Promise<void> {
  await session`select pg_create_physical_replication_slot('gatehouse_backup_' || pg_backend_pid(), true, true)`;
  await session`select pg_backup_start('gatehouse', fast => true)`;
}

export interface OnlineBackupEnd {
  /** The content of the file `backup_label`, from which PostgreSQL recovers. */
  label: string;
  /** The last file of the write-ahead log that the copy needs. */
  lastWal: string;
}

export async function endOnlineBackup(session: ReservedSql): Promise<OnlineBackupEnd> {
  const [row] = await session<OnlineBackupEnd[]>`
    select labelfile as label, pg_walfile_name(lsn) as "lastWal" from pg_backup_stop(wait_for_archive => false)`;
  return row!;
}

export async function appliedMigrations(sql: Queries): Promise<string[]> {
  return (await sql<{ name: string }[]>`select name from migrations order by name`).map(({ name }) => name);
}
