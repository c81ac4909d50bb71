// The transaction of a change with all its effects; retried after races.

import type { Caller } from "../access/index.ts";
import { type AuditEntry, recordAudit } from "../audit/index.ts";
import { refusalOf } from "../db/failures.ts";
import type { Sql, Transaction } from "../db/sql.ts";
import { Conflict } from "../errors.ts";
import { changesOf } from "../http/contract.ts";
import type { TenantId } from "../ids.ts";
import { type Entity, keepsChanging, MAX_RACES, type Row } from "../records/index.ts";
import { type RecordedChange, recordEvent } from "../webhooks/index.ts";

/** Storage of records and receivers of their changes. */
export interface Records {
  sql: Sql;
  /** Called with the events of a transaction once it has committed. */
  onCommitted(tenantId: TenantId, events: RecordedChange[]): void;
  onChange: OnChange;
}

/** Additional effects of a change in its transaction. */
export type OnChange = (tx: Transaction, caller: Caller, entityName: string, change: RowChange) => Promise<void>;

/** The number of records: an array may take seconds. */
export type Extent = "one" | "many";

/** Writes a change's event into the transaction of the change. */
export type AfterChange = (change: RecordedChange) => Promise<void>;

const DEADLOCK = "40P01";
/** A foreign key's target was deleted after its look-up, which the retry reports. */
const FOREIGN_KEY_VIOLATION = "23503";

/** Runs the work in a transaction, and repeats it after races. @throws Conflict if races continue */
export async function inTransaction<T>(
  { sql, onCommitted }: Records,
  { tenantId, traceParent }: Pick<Caller, "tenantId" | "traceParent">,
  entity: Entity,
  extent: Extent,
  work: (tx: Transaction, record: AfterChange) => Promise<T>,
): Promise<T> {
  const begin = extent === "one" ? sql.beginFor : sql.beginLong;
  for (let attempt = 1; ; attempt++) {
    let events: RecordedChange[] = [];
    try {
      const result = await begin(tenantId, (tx) => {
        events = [];
        return work(tx, async (change) => {
          if (!entity.events) return;
          await recordEvent(tx, tenantId, change, traceParent);
          events.push(change);
        });
      });
      onCommitted(tenantId, events);
      return result as T;
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal) throw refusal;
      const { code } = error as { code?: string };
      if (code !== DEADLOCK && code !== FOREIGN_KEY_VIOLATION) throw error;
      if (attempt === MAX_RACES) throw keepsChanging(entity.name);
    }
  }
}

// Effects of a record's change in its transaction, beside its event.

/** `before` is missing for a new record, `after` for a deleted one. */
export interface RowChange {
  before?: Row | undefined;
  after?: Row;
}

/**
 * Changes by people, in Settings or through an application, are audited, because events do not name the actor of a
 * deletion. For clients the audit log would only repeat events.
 */
export async function auditPerson(tx: Transaction, caller: Caller, entity: Entity, change: RowChange): Promise<void> {
  if (caller.actor.type === "User") await recordAudit(tx, caller.tenantId, caller, entryOf(entity, change));
}

/** Field names, and values only of booleans, because others may be personal. */
function entryOf(entity: Entity, { before, after }: RowChange): AuditEntry {
  const kind = `${entity.audit}.${!before ? "Created" : after ? "Changed" : "Deleted"}` as AuditEntry["kind"];
  const subject = { type: entity.name, id: (after ?? before)!.id };
  if (!before || !after) return { kind, subject };
  const told = [...entity.fields.filter(({ readOnly }) => !readOnly), ...entity.references];
  const valuesOf = (row: Row) => Object.fromEntries(told.map(({ name, column }) => [name, row[column] ?? null]));
  const flags = entity.fields.filter(({ type }) => type === "boolean").map(({ name }) => name);
  const names = told.map(({ name }) => name);
  return { kind, subject, details: changesOf(valuesOf(before), valuesOf(after), names, flags) };
}

/**
 * Callers could not undo deleting or deactivating themselves.
 * @throws Conflict if the record is the calling client or its user
 */
export function refuseOwnEnd(
  { clientId, actor }: Pick<Caller, "clientId" | "actor">,
  entity: Entity,
  id: number,
  change: "delete" | "deactivate",
): void {
  const isClient = entity.name === "Application" && String(id) === clientId;
  if (!isClient && (entity.name !== actor.type || id !== actor.id)) return;
  const [itself, other] = isClient
    ? ["the calling client", "a different client"]
    : ["the signed-in user", "a different user"];
  throw new Conflict(
    `${entity.name} ${id} is ${itself}, which cannot ${change} itself. Use ${other} with the same permission.`,
  );
}
