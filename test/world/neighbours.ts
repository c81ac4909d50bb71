// The rows of one record, which changes of another record of the tenant must leave as they are.

import { expect } from "bun:test";
import { columnsOf } from "./postgresql.ts";
import { db } from "./tenant.ts";

type Rows = Record<string, unknown[]>;

/** The rows of all tables that have the Id in one of these columns, by table. The requests' log is written later. */
export async function rowsWith(id: unknown, columns: string[]): Promise<Rows> {
  const found = (await columnsOf()).filter(({ table, column }) => table !== "requests" && columns.includes(column));
  const rows: Rows = {};
  for (const { table, column } of found) {
    const all = await db()<{ row: unknown }[]>`
      select to_jsonb(t) as row from ${db()(table)} t where ${db()(column)}::text = ${String(id)} order by t::text`;
    if (all.length > 0) rows[`${table}.${column}`] = all.map(({ row }) => row);
  }
  return rows;
}

/**
 * Does each of these to one record. It must change rows of that record, and none of the neighbour's.
 * @returns the tables in which the neighbour has rows
 */
export async function expectLeft(
  { own, neighbour }: Record<"own" | "neighbour", () => Promise<Rows>>,
  actions: Record<string, () => Promise<unknown>>,
): Promise<string[]> {
  const before = await neighbour();
  for (const [action, act] of Object.entries(actions)) {
    const ownBefore = await own();
    await act();
    expect({ action, rows: await neighbour() }).toEqual({ action, rows: before });
    expect({ action, isWithoutEffect: Bun.deepEquals(await own(), ownBefore) }).toEqual({
      action,
      isWithoutEffect: false,
    });
  }
  return Object.keys(before);
}
