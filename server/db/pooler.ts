// A pooler that gives each transaction another session (pgbouncer's pool_mode=transaction) is told of by the sessions
// themselves: two clients that are connected at the same time have the same one, or one client has several.

import type { ReservedSql } from "postgres";
import { connect, IMPATIENT } from "./connection.ts";

const ROUNDS = 4;

/** @throws SharedSessions if sessions are not a client's own: no notice would be heard, and prepared statements fail */
export async function refuseSharedSessions(databaseUrl: string): Promise<void> {
  const pool = connect(databaseUrl, "gatehouse check", 2, IMPATIENT);
  try {
    // A failure to connect is a statement's.
    await pool.unsafe("select");
    // A reserved connection is never opened again in silence.
    const [one, other] = [await pool.reserve(), await pool.reserve()];
    const first = await sessionOf(one);
    // Where not even transactions are allowed, pool_mode=statement.
    if ((await sessionOf(other)) === first) throw new SharedSessions();
    for (let round = 0; round < ROUNDS; round++) {
      await other.unsafe("begin");
      const taken = await sessionOf(other);
      // While that transaction is open, a pooler has to give the first client a session that is free.
      if (taken === first || (await sessionOf(one)) !== first) throw new SharedSessions();
      await other.unsafe("commit");
      if ((await sessionOf(one)) !== first) throw new SharedSessions();
    }
  } finally {
    await pool.end({ timeout: 1 });
  }
}

class SharedSessions extends Error {
  override name = "SharedSessions";

  constructor() {
    super(
      "a pooler shares its sessions between clients (pgbouncer's pool_mode=transaction). Gatehouse listens for " +
        "notices and prepares its statements, which needs sessions of its own: use pool_mode=session, or PostgreSQL's " +
        "own address.",
    );
  }
}

/** Unprepared, for a pooler may know no prepared statement. */
async function sessionOf(sql: ReservedSql): Promise<number> {
  const [row] = await sql.unsafe<{ pid: number }[]>("select pg_backend_pid() as pid");
  return row!.pid;
}
