import { NotFound } from "../errors.ts";

/** @param text as in the path @throws NotFound */
export function userIdOf(text: string): number {
  const id = /^[1-9]\d{0,9}$/.test(text) ? Number(text) : Number.NaN;
  if (!(id < 2 ** 31)) throw new NotFound("There is no User with this Id.");
  return id;
}
