// A field's value as text from a caller, in a path or in a query.

import { BadInput } from "../errors.ts";
import { printable } from "../http/body.ts";
import { readDate } from "../http/dates.ts";
import { asTyped } from "../http/fields.ts";
import { type FieldType, INT32_MAX, limitsOf, TEXT_LIMIT, UNSET_DATE } from "./fields.ts";
import type { NamedField, RecordDeclaration } from "./record.ts";

export interface Matchable {
  name: string;
  column: string;
  type: Exclude<FieldType, "attributes"> | "reference";
}

/** The field or foreign key of this name, in any case. */
export function findMatchable(entity: RecordDeclaration, name: string): Matchable | undefined {
  return matchables(entity).find((candidate) => candidate.name.toLowerCase() === name.toLowerCase());
}

/** As readable text. */
export function matchableNames(entity: RecordDeclaration): string {
  return matchables(entity)
    .map(({ name }) => name)
    .join(", ");
}

export function matchables(entity: RecordDeclaration): Matchable[] {
  const references = entity.references.map(({ name, column }): Matchable => ({ name, column, type: "reference" }));
  const fields = entity.fields.filter((field): field is NamedField & Matchable => field.type !== "attributes");
  return [...fields, ...references];
}

/** Searchable texts: identifying ones, not a long Description. */
export function searchables(entity: RecordDeclaration): NamedField[] {
  return entity.fields.filter(
    ({ type, maxLength = 0, isNotSearched }) => type === "text" && maxLength <= TEXT_LIMIT && !isNotSearched,
  );
}

/**
 * Converts a text to the column's value; null for an unset field.
 * @throws BadInput if it does not fit the field's type (docs/behaviour.md "Errors")
 */
export function parseValue({ name, type }: Matchable, text: string): unknown {
  switch (type) {
    case "text":
      if (text.includes("\0")) throw new BadInput(`${name} cannot hold a NUL character.`);
      return asTyped(text) || null;
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

export function valueSchema(type: Matchable["type"]): Record<string, unknown> {
  switch (type) {
    case "text":
      return { type: "string" };
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

export function isEqual(one: unknown, other: unknown): boolean {
  return Bun.deepEquals(one, other);
}

/** The verification of the former text ends, because it does not apply to the new one. */
export function unvouched(
  entity: RecordDeclaration,
  before: Record<string, unknown> | undefined,
  changes: Record<string, unknown>,
): Record<string, unknown> {
  const stale = entity.fields.filter(
    ({ column, vouchesFor }) =>
      vouchesFor !== undefined &&
      changes[vouchesFor] !== undefined &&
      changes[column] === undefined &&
      !isEqual(changes[vouchesFor], before?.[vouchesFor] ?? null),
  );
  return { ...changes, ...Object.fromEntries(stale.map(({ column }) => [column, false])) };
}

const BASE64_PREFIX = "base64|";

/**
 * Decodes the path's last part: special characters are forbidden, and any string can be sent as `base64|…`
 * (docs/behaviour.md "Read a record").
 * @param pathValue still percent-encoded
 * @throws BadInput
 */
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
