// Chains the entries of the audit log beside each worker; one worker at a time.

import { createHash } from "node:crypto";
import type { Logger } from "pino";
import type { Sql } from "../../platform/db/sql.ts";
import { type Passes, startEvery } from "../../platform/db/watch.ts";
import { createOutageLog } from "../../platform/log.ts";
import {
  type EntryValues,
  type Horizon,
  insertLinks,
  isSettled,
  listUnchained,
  lockChain,
  readHead,
  readHorizon,
} from "./chain.store.ts";

const EVERY_MS = 5_000;
/** Entries below the head cannot be chained later. So it waits in case PostgreSQL's clock is set back, as by a failover. */
const CLOCK_MS = 10_000;
/** The entries of one transaction. */
const BATCH = 5_000;
/** The head is logged this often, so that it is also kept elsewhere. */
const LOG_HEAD_EVERY_MS = 3_600_000;

const FORMAT = "1";
/** The hash before the first entry. */
export const GENESIS: Uint8Array = new Uint8Array(32);

/** docs/audit.md "The chain": each value with its length, so that different entries never have the same bytes. */
export function hashOf(previous: Uint8Array, fields: EntryValues): Buffer {
  const text = [FORMAT, ...fields].map((value) => (value === null ? "-," : `${Buffer.byteLength(value)}:${value},`));
  return createHash("sha256").update(previous).update(text.join("")).digest();
}

/** @param isFirst chooses one of the workers */
export function startAuditChain(sql: Sql, isFirst: (key: string) => boolean, log: Logger): Passes {
  const failed = createOutageLog(log);
  let horizon: Horizon | undefined;
  let logged = { at: Number.NEGATIVE_INFINITY, position: 0 };

  async function pass(): Promise<void> {
    if (!isFirst("audit chain")) return;
    const now = await readHorizon(sql);
    if (horizon && !(await isSettled(sql, horizon))) return;
    if (horizon) await chainEntries(sql, new Date(horizon.at.getTime() - CLOCK_MS));
    horizon = now;
    if (performance.now() - logged.at >= LOG_HEAD_EVERY_MS) await logHead();
  }

  async function logHead(): Promise<void> {
    const head = await readHead(sql);
    if (!head || head.position === logged.position) return;
    const { position, id, hash } = head;
    logged = { at: performance.now(), position };
    log.info({ position, entry: id, hash: Buffer.from(hash).toString("hex") }, "head of the audit chain");
  }

  return startEvery(EVERY_MS, pass, (error) => failed({ err: error }, "the audit log could not be chained"));
}

/** Chains the entries from before a time. All transactions from before it must have ended. @returns their number */
export async function chainEntries(sql: Sql, before: Date): Promise<number> {
  for (let chained = 0; ; ) {
    const count = await sql.begin(async (tx) => {
      if (!(await lockChain(tx))) return 0;
      const head = await readHead(tx);
      const entries = await listUnchained(tx, head?.id, before, BATCH);
      let previous = head?.hash ?? GENESIS;
      const links = entries.map(({ tenantId, id, fields }, index) => {
        previous = hashOf(previous, fields);
        return { tenantId, id, position: (head?.position ?? 0) + index + 1, hash: previous };
      });
      if (links.length > 0) await insertLinks(tx, links);
      return links.length;
    });
    chained += count;
    if (count < BATCH) return chained;
  }
}
