// The places where data is stored, and the values that are found there.

import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { temporalFiles } from "../../server/appliance/embedded/processes.ts";
import { connect } from "../../server/platform/db/sql.ts";
import type { Stack } from "../support/stack.ts";
import { rowsOf } from "../world/rows.ts";

/** Every table with rows that contain a value, and the values. */
export async function foundInTables(stack: Stack, values: string[]): Promise<string[]> {
  const sql = connect(stack.databaseUrl, "gatehouse test", 1);
  try {
    const tables = await rowsOf("pg_class", { relnamespace: sql`'public'::regnamespace`, relkind: "r" }, sql);
    const found: string[] = [];
    for (const { relname: name } of tables) {
      const rows = await sql<{ value: string }[]>`
        select v.value from unnest(${values}::text[]) as v(value)
        where exists (select from ${sql(name)} t where position(v.value in t::text) > 0)`;
      found.push(...rows.map(({ value }) => `${name}: ${value}`));
    }
    return found;
  } finally {
    await sql.end();
  }
}

export function foundInTemporal(stack: Stack, values: string[]): string[] {
  const { folder } = temporalFiles(stack.dataDir);
  return readdirSync(folder).flatMap((file) => {
    const bytes = readFileSync(join(folder, file));
    return values.filter((value) => bytes.includes(value)).map((value) => `${file}: ${value}`);
  });
}

export function foundInLogs(stack: Stack, values: string[], since: Map<string, number>): string[] {
  const folder = join(stack.dataDir, "logs");
  return readdirSync(folder).flatMap((file) => {
    const text = readFileSync(join(folder, file)).subarray(since.get(file) ?? 0);
    return values.filter((value) => text.includes(value)).map((value) => `${file}: ${value}`);
  });
}

/** For `foundInLogs`, of what is written later. */
export const logSizes = (stack: Stack) =>
  new Map(
    readdirSync(join(stack.dataDir, "logs")).map((file) => [file, statSync(join(stack.dataDir, "logs", file)).size]),
  );
