// What the audit log has of clients that could not prove who they are.

import type { Logger } from "pino";
import { originOf, recordAudit } from "../audit/index.ts";
import type { Sql } from "../db/connection.ts";
import type { OnRefusedClient } from "./client-authentication.ts";

/** Anybody can fail as a client, as often as they like: in this time one row of each client is enough. */
const ROW_EVERY_MS = 60_000;
/** From this many clients on, those that have been told of long ago are forgotten. */
const CLIENTS_KEPT = 10_000;
/** Rows in memory that are still to be written. A process that ends loses them. */
export const MOST_ROWS_WAITING = 100;

interface Told {
  /** Milliseconds of `now`. */
  at: number;
  /** Failures since then, which no row tells of yet. */
  untold: number;
}

/**
 * Writes the first failure down, and the next one that comes after the time is over, with how many there were in between.
 * Each process counts for itself, in memory. The answer does not wait for the row: of a client that there is not there
 * is none, and time would tell them apart. One row is written after the other; while too many wait, failures are only
 * counted, for the client's next one.
 */
export function createOnRefusedClient(sql: Sql, log: Pick<Logger, "error">, now = () => performance.now()) {
  const clients = new Map<number, Told>();
  let written = Promise.resolve();
  let waiting = 0;

  function sweep(time: number): void {
    for (const [id, { at }] of clients) if (time - at >= ROW_EVERY_MS) clients.delete(id);
  }

  const onRefused: OnRefusedClient = (request, { id, tenantId }, reason) => {
    const time = now();
    const told = clients.get(id);
    if (told && time - told.at < ROW_EVERY_MS) {
      told.untold++;
      return;
    }
    if (clients.size >= CLIENTS_KEPT) sweep(time);
    const untold = told?.untold ?? 0;
    if (waiting >= MOST_ROWS_WAITING) {
      clients.set(id, { at: time - ROW_EVERY_MS, untold: untold + 1 });
      return;
    }
    clients.set(id, { at: time, untold: 0 });
    waiting++;
    const origin = originOf(request, { clientId: String(id) });
    written = written
      .then(() =>
        recordAudit(sql, tenantId, origin, {
          kind: "ClientAuthentication.Failed",
          subject: { type: "Application", id },
          details: { Reason: reason, Times: 1 + untold },
        }),
      )
      .catch((err) => log.error({ err, tenantId, clientId: id, reason }, "a refused client is not in the audit log"))
      .finally(() => {
        waiting--;
      });
  };
  return onRefused;
}
