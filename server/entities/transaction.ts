import type { Caller } from "../access/index.ts";
import type { Sql, Transaction } from "../db/connection.ts";
import { refusalOf } from "../db/violations.ts";
import { Conflict } from "../errors.ts";
import type { TenantId } from "../tenant-id.ts";
import { type RecordedChange, recordEvent } from "../webhooks/index.ts";
import type { RowChange } from "./follow-change.ts";
import type { Entity } from "./registry.ts";

/** Where records stand, and who is told of their changes. */
export interface Records {
  sql: Sql;
  /** Called with the events of a transaction once it has committed. */
  onCommitted(tenantId: TenantId, events: RecordedChange[]): void;
  onChange: OnChange;
}

/** What else a change brings about, in its transaction. */
export type OnChange = (tx: Transaction, caller: Caller, entityName: string, change: RowChange) => Promise<void>;

/** Of how many records it is: that of an array may take seconds. */
export type Extent = "one" | "many";

/** Writes a change's event into the transaction of the change. */
export type RecordChange = (change: RecordedChange) => Promise<void>;

/** A race makes us try again; more than this many times in a row is none. */
export const ATTEMPTS = 5;
const DEADLOCK = "40P01";
/** What a foreign key points at was deleted after it was looked up: the next look-up says so. */
const FOREIGN_KEY_VIOLATION = "23503";

/**
 * Runs the work in a transaction, again if it lost a race.
 * @throws Conflict if it goes on losing
 */
export async function inTransaction<T>(
  { sql, onCommitted }: Records,
  { tenantId, traceParent }: Pick<Caller, "tenantId" | "traceParent">,
  entity: Entity,
  extent: Extent,
  work: (tx: Transaction, record: RecordChange) => Promise<T>,
): Promise<T> {
  const begin = extent === "one" ? sql.beginFor : sql.beginLong;
  for (let attempt = 1; ; attempt++) {
    const events: RecordedChange[] = [];
    try {
      const result = await begin(tenantId, (tx) =>
        work(tx, async (change) => {
          await recordEvent(tx, tenantId, change, traceParent);
          events.push(change);
        }),
      );
      onCommitted(tenantId, events);
      return result as T;
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal) throw refusal;
      const { code } = error as { code?: string };
      if (code !== DEADLOCK && code !== FOREIGN_KEY_VIOLATION) throw error;
      if (attempt === ATTEMPTS) throw keepsChanging(entity);
    }
  }
}

export function keepsChanging(entity: Entity): Conflict {
  return new Conflict(`Another caller keeps changing the same ${entity.name}. Try again.`);
}
