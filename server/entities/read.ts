import type { Queries } from "../db/connection.ts";
import { BadInput, MultipleRows, NotFound } from "../errors.ts";
import { printable } from "../http/body.ts";
import type { TenantId } from "../tenants/index.ts";
import type { EntityDefinition, Field } from "./definition.ts";
import { toRecord } from "./record.ts";
import { findByField } from "./store.ts";

const BASE64_PREFIX = "base64|";
const INT32_MAX = 2_147_483_647;

/**
 * One record by its Id or by another field (SPEC.md Endpoints 4).
 * @param pathValue the path's last part, still percent-encoded
 * @param fieldName the query parameter Name; empty means Id
 * @throws BadInput, NotFound, MultipleRows
 */
export async function readRecord(
  sql: Queries,
  tenantId: TenantId,
  entity: EntityDefinition,
  pathValue: string,
  fieldName: string,
): Promise<Record<string, unknown>> {
  const field = fieldToMatch(entity, fieldName);
  const value = pathText(pathValue);
  const rows = await findByField(sql, tenantId, entity, field, fieldValue(field, value));
  if (rows.length === 0) throw new NotFound(`There is no ${entity.name} whose ${field.name} is ${printable(value)}.`);
  if (rows.length > 1) {
    throw new MultipleRows(`Several ${entity.name} records have the ${field.name} ${printable(value)}.`);
  }
  return toRecord(entity, rows[0]!);
}

function fieldToMatch(entity: EntityDefinition, name: string): Field {
  const wanted = name === "" ? "id" : name.toLowerCase();
  const field = entity.fields.find((candidate) => candidate.name.toLowerCase() === wanted);
  if (!field) {
    const known = entity.fields.map((candidate) => candidate.name).join(", ");
    throw new BadInput(`Name is ${printable(name)}, which is no field of ${entity.name}. Its fields are ${known}.`);
  }
  return field;
}

/** Special characters are forbidden; any string can be sent as `base64|…` (SPEC.md Endpoints 4). */
function pathText(pathValue: string): string {
  const raw = pathValue.replace(/^base64%7c/i, BASE64_PREFIX);
  if (raw.startsWith(BASE64_PREFIX)) return decodeBase64(raw.slice(BASE64_PREFIX.length));
  if (!/^[A-Za-z0-9._~-]+$/.test(raw)) {
    throw new BadInput("The value in the path has special characters. Send it as base64| and the base64 of its text.");
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

/** @throws BadInput if the text cannot be one of the field's values */
function fieldValue(field: Field, text: string): unknown {
  switch (field.type) {
    case "text":
      if (text.includes("\0")) throw new BadInput(`${field.name} cannot hold a NUL character.`);
      return text;
    case "boolean":
      if (/^(true|false)$/i.test(text)) return text.toLowerCase() === "true";
      throw new BadInput(`${field.name} is true or false; ${printable(text)} is neither.`);
    case "dateTime":
      if (/^\d{4}-\d\d-\d\d(T[\d:.]+(Z|[+-]\d\d:\d\d))?$/.test(text) && hasYear(new Date(text))) return new Date(text);
      throw new BadInput(`${field.name} is a date such as 2026-01-31T12:00:00Z; ${printable(text)} is not.`);
    default: {
      const limit = field.type === "int32" ? INT32_MAX : Number.MAX_SAFE_INTEGER;
      if (/^-?\d{1,16}$/.test(text) && Math.abs(Number(text)) <= limit) return Number(text);
      throw new BadInput(`${field.name} is a whole number; ${printable(text)} is not.`);
    }
  }
}

/** From 1 to 9999, in UTC; an invalid date has none. */
function hasYear(date: Date): boolean {
  return date.getUTCFullYear() >= 1 && date.getUTCFullYear() <= 9999;
}
