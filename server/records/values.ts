import type { TSchema } from "@sinclair/typebox";
import { BadInput } from "../platform/errors.ts";
import { printable } from "../platform/http/body.ts";
import { readDate } from "../platform/http/dates.ts";
import type { FieldType } from "../platform/http/fields.ts";
import { asTyped, TEXT_LIMIT } from "../platform/text.ts";
import { INT32_MAX, limitsOf, UNSET_DATE } from "./fields.ts";
import type { Declaration, NamedField } from "./record.ts";
import type { Entity } from "./registry.ts";

/** A body that fits, by its fields' names. Absent fields are left alone, null clears. */
export type EntityInput = Readonly<Record<string, unknown>>;

/** The values of plain fields, by their columns. */
export function givenValues({ fields }: Declaration, input: EntityInput): Record<string, unknown> {
  const given = fields.filter(({ name, readOnly, writeOnly }) => !readOnly && !writeOnly && input[name] !== undefined);
  return Object.fromEntries(given.map(({ name, column }) => [column, input[name]]));
}

export const givenReferences = ({ references }: Entity, input: EntityInput) =>
  references.filter(({ name }) => input[name] !== undefined);

export interface Matchable {
  name: string;
  column: string;
  type: Exclude<FieldType, "attributes">;
  /** The maximum number of characters of a text. */
  maxLength?: number;
}

/** The field or foreign key of this name, in any case. */
export function findMatchable(entity: Declaration, name: string): Matchable | undefined {
  return matchables(entity).find((candidate) => candidate.name.toLowerCase() === name.toLowerCase());
}

/** As readable text. */
export function matchableNames(entity: Declaration): string {
  return matchables(entity)
    .map(({ name }) => name)
    .join(", ");
}

export function matchables({ fields, references }: Declaration): Matchable[] {
  const all: readonly NamedField[] = [...fields, ...references];
  return all.filter((field): field is NamedField & Matchable => !!field.type && field.type !== "attributes");
}

/** Searchable texts: identifying ones, not a long Description. */
export function searchables(entity: Declaration): NamedField[] {
  return entity.fields.filter(
    ({ type, maxLength = 0, isNotSearched }) => type === "text" && maxLength <= TEXT_LIMIT && !isNotSearched,
  );
}

/** Null for an unset field. @throws BadInput if it does not fit the field's type (docs/behaviour.md "Errors") */
export function parseValue({ name, type, maxLength = TEXT_LIMIT }: Matchable, text: string): unknown {
  switch (type) {
    case "text": {
      const { text: typed, problem } = asTyped(text, maxLength);
      if (problem) throw new BadInput(`${name} ${problem}`);
      return typed || null;
    }
    case "boolean":
      if (/^(true|false)$/i.test(text)) return text.toLowerCase() === "true";
      throw new BadInput(`${name} is true or false; ${printable(text)} is neither.`);
    case "dateTime": {
      const date = readDate(text);
      if (date) return date.getTime() === Date.parse(UNSET_DATE) ? null : date;
      throw new BadInput(`${name} is a date such as 2026-01-31T12:00:00Z; ${printable(text)} is not.`);
    }
    default: {
      if (!/^(0|-?[1-9]\d*)$/.test(text)) {
        throw new BadInput(`${name} is a whole number in its shortest form; ${printable(text)} is not.`);
      }
      const limit = type === "int32" ? INT32_MAX : Number.MAX_SAFE_INTEGER;
      if (Math.abs(Number(text)) > limit) {
        throw new BadInput(`${name} is a whole number up to ${limit}; ${printable(text)} is out of range.`);
      }
      return type === "reference" && Number(text) === 0 ? null : Number(text);
    }
  }
}

export function valueSchema({ type, maxLength = TEXT_LIMIT }: Matchable): Record<string, unknown> {
  switch (type) {
    case "text":
      return { type: "string", maxLength };
    case "boolean":
      return { type: "boolean" };
    case "dateTime":
      return { type: "string", format: "date-time" };
    case "int32":
      return { type: "integer", format: "int32", ...limitsOf("int32") };
    default:
      return { type: "integer", format: "int64", ...limitsOf("int64") };
  }
}

/** As the list of entities names it. */
export function typeName(shown: TSchema): string {
  const { type = "string", format } = shown.anyOf?.find((one: TSchema) => one.type && one.type !== "null") ?? shown;
  return format ? `${type} (${format})` : type;
}

/** A kind that is only read, as the list of entities describes it. */
export function describeLog<Event extends string>(
  Name: string,
  { properties }: TSchema,
  filters: object,
  events: readonly Event[],
) {
  const Fields = Object.entries<TSchema>(properties).map(([Name, shown]) => ({
    Name,
    Type: typeName(shown),
    Filter: Object.hasOwn(filters, Name),
  }));
  return { Name, Fields, Events: [...events] };
}

export function isEqual(one: unknown, other: unknown): boolean {
  return Bun.deepEquals(one, other);
}

/** The booleans that vouch for a text, each with the text's own field. */
export function vouching({ fields }: Declaration) {
  return fields.flatMap((one) =>
    fields.filter(({ name }) => name === one.vouchesFor).map((text) => ({ ...one, text })),
  );
}

/** The verification of the former text ends, because it does not apply to the new one. */
export function unvouched(
  entity: Declaration,
  before: Record<string, unknown> | undefined,
  changes: Record<string, unknown>,
): Record<string, unknown> {
  const stale = vouching(entity).filter(({ column, text }) => {
    const value = changes[text.column];
    return value !== undefined && changes[column] === undefined && !isEqual(value, before?.[text.column] ?? null);
  });
  return { ...changes, ...Object.fromEntries(stale.map(({ column }) => [column, false])) };
}

const BASE64_PREFIX = "base64|";

/** docs/behaviour.md "Read a record": any text can be `base64|…`. @param pathValue percent-encoded @throws BadInput */
export function pathText(pathValue: string): string {
  const raw = pathValue.replace(/^base64%7c/i, BASE64_PREFIX);
  if (raw.startsWith(BASE64_PREFIX)) return decodeBase64(raw.slice(BASE64_PREFIX.length));
  if (raw === "") throw new BadInput("The path ends in a slash, with no Id after it. The list's path has no slash.");
  if (raw.includes("/")) {
    throw new BadInput("The value in the path contains a slash. Remove it, or send the text as base64|….");
  }
  if (!/^[A-Za-z0-9._~-]+$/.test(raw)) {
    throw new BadInput(
      "The value in the path contains special characters. Send it as base64| and the base64 of its text.",
    );
  }
  return raw;
}

function decodeBase64(encoded: string): string {
  const standard = encoded
    .replace(/%2b/gi, "+")
    .replace(/%2f/gi, "/")
    .replace(/%3d/gi, "=")
    .replaceAll("-", "+")
    .replaceAll("_", "/");
  const bare = standard.replace(/={1,2}$/, "");
  const bytes = Buffer.from(bare, "base64");
  if (bare === "" || bytes.toString("base64").replace(/=+$/, "") !== bare) {
    throw new BadInput("The text after base64| is not valid base64.");
  }
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new BadInput("The text after base64| is not the base64 of UTF-8 text.");
  }
}
