// The parts of tables that declarations need.

import type { Queries } from "../../server/platform/db/sql.ts";
import { inSnakeCase } from "../../server/platform/http/fields.ts";
import { type Entity, recordFields } from "../../server/records/index.ts";
import { searchables } from "../../server/records/values.ts";
import { columnsOf, triggersOf } from "../world/postgresql.ts";

/** The missing ones, in words. */
export async function missing(sql: Queries, of: readonly Entity[]): Promise<string[]> {
  const columns = await columnsOf(sql);
  const announcing = (await triggersOf(sql)).filter((one) => one.function === "announce");
  const find = (table: string, column: string) => columns.find((one) => one.table === table && one.column === column);
  // Policies read the calling User or Application, with the names of what it references.
  const callers = of[0]!.actors.flatMap(({ table, references }) => [
    table,
    ...references.flatMap(({ writeOnly, pointsAt }) => (writeOnly ? [] : pointsAt.table)),
  ]);
  const groups = of.flatMap(({ field }) =>
    Object.values(field).flatMap(({ list, judged }) => (list && judged ? list.through : [])),
  );
  return [
    ...of.flatMap((entity) => {
      const { table, references } = entity;
      const needed = [...entity.fields.filter(({ stored }) => stored !== "elsewhere"), ...references];
      const searched = find(table, "search_text")?.generated ?? "";
      const lists = Object.values(entity.field).flatMap(({ list }) => list ?? []);
      return [
        ...["tenant_id", "sequence", "search_text", ...needed.map(({ column }) => inSnakeCase(column))]
          .filter((column) => !find(table, column))
          .map((column) => `${table} needs the column ${column}.`),
        ...searchables(entity)
          .filter(({ column }) => !new RegExp(`\\b${inSnakeCase(column)}\\b`).test(searched))
          .map(({ column }) => `${table}.search_text needs ${inSnakeCase(column)}.`),
        ...lists.flatMap(({ of: types, through }) =>
          [
            "tenant_id",
            `${inSnakeCase(entity.name)}_id`,
            ...types.map((type) => recordFields.memberColumn(entity.name, type)),
          ]
            .filter((column) => !find(through, column))
            .map((column) => `${through} needs the column ${column}.`),
        ),
      ];
    }),
    ...[...callers, ...groups]
      .filter((table) => !announcing.some((one) => one.table === table))
      .map((table) => `${table} needs a trigger that announces its changes.`),
  ];
}
