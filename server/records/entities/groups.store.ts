import type { Queries } from "../../platform/db/sql.ts";

/** The levels of groups above and below a group, and the way of a circle through it. */
export interface Nesting {
  above: number;
  below: number;
  /** The Ids of a circle, from the group to itself. */
  circle?: number[];
}

export async function findNesting(sql: Queries, id: number): Promise<Nesting> {
  const [depth] = await sql<{ above: number; below: number }[]>`
    select (select max(level) from groups_above(${id})) as above, (select max(level) from groups_below(${id})) as below`;
  // Only groups of a circle are both above and below.
  const rows = await sql<{ id: number; level: number; within: number }[]>`
    select id, level, within from groups_below(${id})
    where level > 0 and id in (select a.id from groups_above(${id}) a where a.level > 0) order by level`;
  let step = rows.find((row) => row.id === id);
  if (!step) return depth!;
  const circle = [id];
  while (step) {
    const { level, within }: { level: number; within: number } = step;
    circle.unshift(within);
    step = level > 1 ? rows.find((row) => row.id === within && row.level === level - 1) : undefined;
  }
  return { ...depth!, circle };
}
