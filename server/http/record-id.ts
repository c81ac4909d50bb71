import { NotFound } from "../errors.ts";

/** The Id that a caller's text or number stands for, if a record could have it. */
export function toRecordId(value: unknown): number | undefined {
  const text = typeof value === "number" ? String(value) : value;
  if (typeof text !== "string" || !/^[1-9]\d{0,15}$/.test(text)) return undefined;
  const id = Number(text);
  return Number.isSafeInteger(id) ? id : undefined;
}

/**
 * A record's Id in a path.
 * @throws NotFound for what no record could have as its Id
 */
export function readId(entity: string, text: string): number {
  const id = toRecordId(text);
  if (id === undefined) throw new NotFound(`There is no ${entity} with this Id.`);
  return id;
}
