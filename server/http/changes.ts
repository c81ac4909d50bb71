// What the log tells of a change: names of fields, and values only of those that hold neither secrets nor people.

export type Details = { [name: string]: Detail };
type Detail = string | number | boolean | null | Detail[] | Details;

/** A record in its response shape. */
type Fields = Record<string, unknown>;

/**
 * Which fields differ, as Changed, and of those in `shown` how: `{ From, To }`, or of a list `{ Added, Removed }`.
 * @param shown fields whose values anybody who reads the log may see
 * @returns undefined if nothing differs
 */
export function changesOf(before: Fields, after: Fields, fields: string[], shown: string[]): Details | undefined {
  const changed = fields.filter((field) => !Bun.deepEquals(before[field], after[field]));
  if (changed.length === 0) return undefined;
  return { Changed: changed, ...valuesOf(before, after, changed, shown) };
}

/** The values of the fields in `shown` alone, of a record that is new, or gone. */
export function valuesShown(record: Fields, shown: string[]): Details {
  return Object.fromEntries(shown.map((field) => [field, record[field] as Detail]));
}

function valuesOf(before: Fields, after: Fields, changed: string[], shown: string[]): Details {
  const visible = changed.filter((field) => shown.includes(field));
  return Object.fromEntries(visible.map((field) => [field, difference(before[field], after[field])]));
}

function difference(from: unknown, to: unknown): Details {
  if (!Array.isArray(from) || !Array.isArray(to)) return { From: from as Detail, To: to as Detail };
  const without = (list: Detail[], others: Detail[]) => {
    const known = new Set(others.map((item) => JSON.stringify(item)));
    return list.filter((item) => !known.has(JSON.stringify(item)));
  };
  return { Added: without(to, from), Removed: without(from, to) };
}
