// The parts of a kind of record that the engine needs.

import type { Queries, Transaction } from "../platform/db/sql.ts";
import type { ApiError } from "../platform/errors.ts";
import type { TenantId } from "../platform/ids.ts";
import type { Declaration } from "./record.ts";

export type Shape = Record<string, unknown>;

export interface Writer {
  tenantId: TenantId;
  permissions: { require(action: string, type: string, record: Shape, after?: Shape): void };
  gate: {
    sees(type: string, record: Shape): boolean;
    versionIn(tx: Queries, type: string, version: object, resource?: object): Promise<object>;
  };
}

/** The row before and after; equal if nothing changed. */
export interface WrittenRow<Row> {
  before: Row | undefined;
  after: Row;
}

/** `before` is missing for a new record, `after` for a deleted one. */
export interface RowChange<Row> {
  before?: Row | undefined;
  after?: Row;
}

export interface Found<Row> {
  rows: Row[];
  /** Why none of them can be changed; shown only to callers who may change all of them. */
  refusal?: ApiError;
}

export interface RecordKind<By extends Writer, Row extends object, Input> {
  declaration: Pick<Declaration, "name" | "scopes" | "unique"> & {
    refuseReadOnly(input: object, record: object | undefined, isSeen: () => boolean): void;
  };
  /** The response shape, which policies evaluate, too. */
  recordOf(row: Row): Shape;
  /** The policies' view of a row that is not stored yet; default: that of any row. */
  judged?(row: Row): Shape;
  /** The values of its entity tag; default: its record. */
  version?(row: Row): object;
  /** @throws NotFound if the input has an Id that no record has */
  lock(tx: Transaction, caller: By, input: Input): Promise<Found<Row>>;
  /** The row after the input is applied. @param before undefined: it is new @throws BadInput */
  prepare(tx: Transaction, caller: By, input: Input, before: Row | undefined): Row | Promise<Row>;
  /** Validates an authorized change. @throws BadInput, Conflict */
  check?(tx: Transaction, caller: By, change: WrittenRow<Row> & { input: Input }): void | Promise<void>;
  /** Whether a row needs no writing; by default if nothing differs. */
  isSame?(before: Row, after: Row, input: Input): boolean;
  /** Missing if a record always exists. @returns undefined if a unique value is taken */
  insert?(tx: Transaction, caller: By, row: Row, input: Input): Promise<Row | undefined>;
  update(tx: Transaction, caller: By, row: Row, before: Row): Promise<Row>;
  afterWrite?(tx: Transaction, caller: By, change: WrittenRow<Row> & { input: Input }): Promise<void>;
  /** Prevents the deletion of a record in use. @throws Conflict */
  checkRemoval?(tx: Transaction, caller: By, row: Row): void | Promise<void>;
  /** Missing if a record always exists. */
  remove?(tx: Transaction, caller: By, row: Row): Promise<void>;
  audit(tx: Transaction, caller: By, change: RowChange<Row>): Promise<void>;
  announce?(tx: Transaction, caller: By, change: RowChange<Row>): Promise<void>;
}
