// Reading and changing what an administrator sets up; REST and the console both go through it. Each asks for a policy
// that permits it; what is special about a kind stands in its own folder.

import { changesOf, recordAudit, valuesShown } from "../audit/index.ts";
import type { Queries, Sql, Transaction } from "../db/connection.ts";
import { Conflict, NotFound } from "../errors.ts";
import { type Conditions, requireConditions } from "../http/conditions.ts";
import type { Contract } from "../http/contract.ts";
import type { Fields, InputOf, RecordOf } from "../http/fields.ts";
import { isUuid, type Paging } from "../http/paging.ts";
import type { TenantId } from "../tenant-id.ts";
import type { Actor, Caller, Permitted } from "./bearer.ts";
import type { ShownPage, Tagged, Whole } from "./gate/shown.ts";
import type { Permissions } from "./policies/permissions.ts";
import type { PolicyRecord } from "./policies/resource-type.ts";
import { waitForSettingsTurn } from "./policies/store.ts";
import { requireSeen } from "./seen.ts";
import { refuseChangedStamps, type Stamped } from "./stamps.ts";

/** The records of one kind; each asks for a policy that permits it. */
export interface SettingsService<Item extends PolicyRecord, Input> {
  /** A page without what the caller may not read, the newest first. @throws BadInput, ServiceBusy */
  list(caller: Permitted<"Settings:Read">, filter: { name?: string }, paging: Paging): Promise<ShownPage<Item>>;
  /** @throws Permission, NotFound */
  read(caller: Permitted<"Settings:Read">, id: string): Promise<Whole<Item>>;
  /**
   * Updates what Id or Name points at, or makes a new one.
   * @param sent the body that the input was read from
   * @throws Permission, BadInput, NotFound, Conflict, PreconditionFailed
   */
  save(
    caller: Permitted<"Settings:Update">,
    input: Input,
    conditions: Conditions,
    sent: unknown,
  ): Promise<Tagged<Item>>;
  /**
   * @returns its last state, as far as the caller may see it
   * @throws Permission, NotFound, Conflict, PreconditionFailed
   */
  remove(caller: Permitted<"Settings:Update">, id: string, conditions: Conditions): Promise<Tagged<Item>>;
}

export interface SettingsStore<Row> {
  /** The newest first; one more than the limit, if there are more. */
  list(
    sql: Queries,
    tenantId: TenantId,
    filter: { name?: string },
    limit: number,
    after: string | undefined,
  ): Promise<Row[]>;
  find(sql: Queries, tenantId: TenantId, key: { id: string } | { name: string }): Promise<Row | undefined>;
  insert(sql: Queries, tenantId: TenantId, row: New<Row>, actor: Actor): Promise<Row>;
  update(sql: Queries, tenantId: TenantId, row: Row, actor: Actor, before: Row): Promise<Row>;
  remove(sql: Queries, tenantId: TenantId, id: string): Promise<void>;
}

/** What a row has before it is there. */
export type New<Row> = Omit<Row, "id" | keyof Stamped>;

/** A kind of record that tenants have few of, each with a Name of its own. */
export interface SettingsKind<F extends Fields, Row extends { id: string; name: string }> {
  contract: Contract<F>;
  store: SettingsStore<Row>;
  /** A new one, of which nothing is given yet. */
  blank: New<Row>;
  /** What the audit log calls its changes. */
  audited?: "Policy" | "Role" | "Record";
  /** Changes records in one transaction; `work` returns what it has written or deleted. */
  change?<Changed extends PolicyRecord>(
    caller: Caller,
    work: (tx: Transaction, permissions: Permissions) => Promise<Changed>,
  ): Promise<Changed>;
  /** What is wrong with an input, before anything is looked up. @throws BadInput */
  check?(caller: Caller, input: InputOf<F>): Promise<void>;
  /** What is wrong with what was just written: all of it is undone. @throws BadInput, Conflict */
  checkWritten?(
    tx: Transaction,
    tenantId: TenantId,
    written: { saved: Row; before: Row | undefined; input: InputOf<F> },
  ): Promise<void>;
}

export function createSettingsService<F extends Fields, Row extends { id: string; name: string }>(
  sql: Sql,
  kind: SettingsKind<F, Row>,
): SettingsService<RecordOf<F>, InputOf<F>> {
  const { contract, store, blank, audited = "Record", check, checkWritten } = kind;
  const { name, toRecord } = contract;
  const required = contract.namesOf((field) => field.required);
  const inLog = contract.namesOf(({ audit }) => audit);
  const withValue = contract.namesOf(({ audit }) => audit === "value");
  const noSuch = () => new NotFound(`There is no ${name} with this Id.`);
  const change: NonNullable<typeof kind.change> =
    kind.change ??
    (async (caller, work) =>
      (await sql.beginFor(caller.tenantId, async (tx) => {
        await waitForSettingsTurn(tx, caller.tenantId);
        return work(tx, caller.permissions);
      })) as Awaited<ReturnType<typeof work>>);

  function upsert(caller: Caller, input: InputOf<F> & Named, conditions: Conditions) {
    const { tenantId, actor } = caller;
    return change(caller, async (tx, permissions) => {
      const before = await store.find(tx, tenantId, input.Id ? { id: input.Id } : { name: input.Name ?? "" });
      if (!before && input.Id) throw new NotFound(`There is no ${name} with the Id ${input.Id}.`);
      if (!before || conditions.ifNoneMatch === "*") requireConditions(conditions, before && toRecord(before));
      if (!before) contract.whole(input, ...required);
      const after = { ...(before ?? blank), ...contract.toColumns(input), id: before?.id ?? "" } as Row;
      const judged = contract.judged(after);
      permissions.require("Settings:Update", name, before ? toRecord(before) : judged, judged);
      // Only now, so that who may not change it learns of no value whether it is right.
      if (before) await requireSeen(tx, caller, name, conditions, toRecord(before));
      refuseChangedStamps(caller, name, input, before && toRecord(before));
      if (before && Bun.deepEquals(before, after)) return toRecord(before);

      const holder = await store.find(tx, tenantId, { name: after.name });
      if (holder && holder.id !== before?.id) throw new Conflict(`Name is held by another ${name}.`);
      const saved = before
        ? await store.update(tx, tenantId, after, actor, before)
        : await store.insert(tx, tenantId, after, actor);
      await checkWritten?.(tx, tenantId, { saved, before, input });
      const record = toRecord(saved);
      await recordAudit(tx, tenantId, caller, {
        kind: before ? `${audited}.Changed` : `${audited}.Created`,
        subject: { type: name, id: saved.id },
        details: before ? changesOf(toRecord(before), record, inLog, withValue) : valuesShown(record, withValue),
      });
      return record;
    });
  }

  function removeOne(caller: Caller, id: string, conditions: Conditions) {
    const { tenantId } = caller;
    return change(caller, async (tx, permissions) => {
      const row = await store.find(tx, tenantId, { id });
      if (!row) throw noSuch();
      const record = toRecord(row);
      permissions.require("Settings:Update", name, record);
      await requireSeen(tx, caller, name, conditions, record);
      await store.remove(tx, tenantId, id);
      const details = valuesShown(record, withValue);
      await recordAudit(tx, tenantId, caller, { kind: `${audited}.Deleted`, subject: { type: name, id }, details });
      return record;
    });
  }

  return {
    list: ({ tenantId, gate }, filter, paging) =>
      gate.list({
        type: name,
        paging,
        read: (limit, after) => store.list(sql, tenantId, filter, limit, after),
        id: (row) => row.id,
        item: (row) => toRecord(row),
      }),
    async read(caller, id) {
      const row = isUuid(id) ? await store.find(sql, caller.tenantId, { id }) : undefined;
      if (!row) throw noSuch();
      return caller.gate.show(name, toRecord(row));
    },
    async save(caller, input, conditions, sent) {
      await check?.(caller, input);
      return caller.gate.written(name, await upsert(caller, input, conditions), sent);
    },
    async remove(caller, id, conditions) {
      if (!isUuid(id)) throw noSuch();
      return caller.gate.written(name, await removeOne(caller, id.toLowerCase(), conditions), {});
    },
  };
}

/** What an upsert finds its record by. */
interface Named {
  Id?: string;
  Name?: string;
}
