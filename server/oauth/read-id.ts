import { NotFound } from "../errors.ts";

/**
 * A record's Id in a path.
 * @throws NotFound for what no record could have as its Id
 */
export function readId(entity: string, text: string): number {
  const id = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(id)) throw new NotFound(`There is no ${entity} with this Id.`);
  return id;
}
