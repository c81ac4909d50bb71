// What the bodies of Policy and Role have in common.

import { BadInput } from "../errors.ts";
import { printable } from "../http/body.ts";
import { isUuid } from "../http/paging.ts";
import { STAMPS } from "./stamps.ts";

export const NAME_LIMIT = 200;

export interface Fields {
  /** What the server sets and the caller sent along. */
  stamps?: Record<string, unknown>;
}

/** Sets what a value means and returns what is wrong with it. */
export type Take<Input> = (input: Input, value: unknown) => string[];

/** @throws BadInput naming every field that does not fit */
export function takeFields<Input extends Fields>(
  record: string,
  body: unknown,
  takers: Record<string, Take<Input>>,
): Input {
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    throw new BadInput(`The body must be one ${record} object.`);
  }
  const input = {} as Input;
  const problems = Object.entries(body).flatMap(([name, value]) => {
    if (STAMPS.includes(name)) {
      input.stamps = { ...input.stamps, [name]: value };
      return [];
    }
    const take = Object.hasOwn(takers, name) ? takers[name] : undefined;
    return take ? take(input, value) : [`${printable(name)} is no field of ${record}.`];
  });
  if (problems.length > 0) throw new BadInput(...problems);
  return input;
}

export function takeId(record: string): Take<{ id?: string }> {
  return (input, value) => {
    if (value === null || value === "") return [];
    if (typeof value !== "string" || !isUuid(value)) return [`Id must be a ${record}'s Id, or empty.`];
    input.id = value;
    return [];
  };
}

export function takeName(input: { name?: string }, value: unknown): string[] {
  if (!isText(value, NAME_LIMIT) || value.trim() === "")
    return [`Name must be a string of 1 to ${NAME_LIMIT} characters.`];
  input.name = value;
  return [];
}

export function takeText<Key extends string>(
  field: string,
  limit: number,
  key: Key,
): Take<Partial<Record<Key, string>>> {
  return (input, value) => {
    const text = value ?? "";
    if (!isText(text, limit)) return [`${field} must be a string of at most ${limit} characters, or null.`];
    Object.assign(input, { [key]: text });
    return [];
  };
}

function isText(value: unknown, limit: number): value is string {
  return typeof value === "string" && value.length <= limit && !value.includes("\0") && value.isWellFormed();
}
