// A User as SCIM has it (RFC 7643 4.1 and 4.3), and the fields that a change sets.

import { isObject, printable } from "../../platform/http/body.ts";
import type { EntityRecord } from "../../records/index.ts";
import { ScimError } from "./errors.ts";
import type { ScimFilter } from "./filter.ts";
import { memberOf, type PatchChange } from "./patch.ts";

export const USER_SCHEMA = "urn:ietf:params:scim:schemas:core:2.0:User";
export const ENTERPRISE_SCHEMA = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";

/** The fields of texts, by their attributes. */
const TEXTS = new Map([
  ["username", "Username"],
  ["externalid", "External_Id"],
  ["displayname", "Name"],
  ["name.formatted", "Name"],
  ["name.givenname", "GivenName"],
  ["name.familyname", "FamilyName"],
  ["name.middlename", "MiddleName"],
  ["nickname", "Nickname"],
  ["profileurl", "Profile"],
  ["locale", "Locale"],
  ["timezone", "ZoneInfo"],
]);

/** A User has one value of each list, with this type. */
const LISTS = new Map([
  ["emails", { field: "Email", type: "work" }],
  ["phonenumbers", { field: "MobilePhone", type: "mobile" }],
]);

const SERVERS_OWN = ["schemas", "id", "meta", "groups"];

/** Fields that a whole resource clears by omitting them. */
const CLEARED = Object.fromEntries(
  [...TEXTS.values(), ...[...LISTS.values()].map(({ field }) => field), "Department"].map((field) => [field, null]),
);

/**
 * The body of the record's change.
 * @param isWhole attributes that are not stored are ignored, and absent ones are cleared
 * @throws ScimError
 */
export function userBody(changes: readonly PatchChange[], isWhole: boolean): EntityRecord {
  const body: EntityRecord = isWhole ? { ...CLEARED, Is_Active: true } : {};
  // Of two names in a whole resource, displayName decides.
  const ordered = isWhole ? changes.toSorted((one, other) => rankOf(one) - rankOf(other)) : changes;
  for (const change of ordered) Object.assign(body, fieldsOf(change, isWhole));
  return body;
}

const rankOf = ({ attribute }: PatchChange) => Number(attribute === "displayname");

function fieldsOf(change: PatchChange, isWhole: boolean): EntityRecord {
  const { attribute, op } = change;
  const value = op === "remove" ? null : single(change.value);
  const field = TEXTS.get(attribute);
  if (field) return { [field]: textOf(attribute, value) };
  if (attribute === "name" && op === "remove") {
    return { Name: null, GivenName: null, FamilyName: null, MiddleName: null };
  }
  if (attribute === "active") return { Is_Active: flagOf(value) };
  if (attribute === "department") return { Department: departmentOf(textOf(attribute, value)) };
  const [list, part] = attribute.split(".");
  const of = LISTS.get(list!);
  if (of && (part === undefined || part === "value")) {
    if (change.of && !isOfType(change.of, of.type)) throw notStored(attribute);
    return { [of.field]: op === "remove" ? null : chosenOf(attribute, change.value, of.type) };
  }
  if (of && (part === "type" || part === "primary")) return {};
  if (attribute === "password") throw new ScimError("invalidValue", "Passwords are not taken by SCIM.");
  if (isWhole || SERVERS_OWN.includes(list!)) return {};
  throw notStored(attribute);
}

/** An answer of 200 would let the client believe that the value is kept. */
const notStored = (attribute: string) =>
  new ScimError("invalidPath", `A User has no ${printable(attribute)} here. Remove it from the client's mapping.`);

/** Entra ID sends some single values in a list. */
function single(value: unknown): unknown {
  if (!Array.isArray(value) || value.length !== 1) return value;
  return isObject(value[0]) ? memberOf(value[0], "value") : value[0];
}

function textOf(attribute: string, value: unknown): string | null {
  if (value === null || value === undefined || value === "") return null;
  if (typeof value === "string") return value;
  throw new ScimError("invalidValue", `${printable(attribute)} must be a text.`);
}

/** Entra ID sends "True" and "False". */
function flagOf(value: unknown): boolean {
  const text = String(value ?? "false").toLowerCase();
  if (text === "true" || text === "false") return text === "true";
  throw new ScimError("invalidValue", "active must be true or false.");
}

const departmentOf = (name: string | null) => (name === null ? null : { FieldType: "Name", Value: name });

/** `type eq "work"`, and `primary eq true` for the only value. */
function isOfType(of: ScimFilter, type: string): boolean {
  if (of.kind === "and") return isOfType(of.left, type) && isOfType(of.right, type);
  if (of.kind !== "compare" || of.by !== "eq") return false;
  const value = String(of.value).toLowerCase();
  return of.attribute === "type"
    ? value === type
    : of.attribute === "primary"
      ? value === "true"
      : of.attribute === "value";
}

/** Of several values: the one of the type, then the primary one, then the first. */
function chosenOf(attribute: string, value: unknown, type: string): string | null {
  if (!Array.isArray(value)) return textOf(attribute, isObject(value) ? memberOf(value, "value") : value);
  const all = value.filter(isObject);
  const isType = (one: Record<string, unknown>) => String(memberOf(one, "type")).toLowerCase() === type;
  const isPrimary = (one: Record<string, unknown>) => String(memberOf(one, "primary")).toLowerCase() === "true";
  const chosen = all.find(isType) ?? all.find(isPrimary) ?? all[0];
  return textOf(attribute, chosen && memberOf(chosen, "value"));
}

export function toScimUser(record: EntityRecord): Record<string, unknown> {
  const text = (field: string) => (record[field] as string) || undefined;
  const name = {
    formatted: text("Name"),
    givenName: text("GivenName"),
    familyName: text("FamilyName"),
    middleName: text("MiddleName"),
  };
  const [email, phone] = [text("Email"), text("MobilePhone")];
  const department = (record.Department as { Name?: string } | undefined)?.Name;
  return {
    schemas: [USER_SCHEMA, ...(department ? [ENTERPRISE_SCHEMA] : [])],
    id: String(record.Id),
    externalId: text("External_Id"),
    userName: text("Username"),
    name: Object.values(name).some(Boolean) ? name : undefined,
    displayName: text("Name"),
    nickName: text("Nickname"),
    profileUrl: text("Profile"),
    locale: text("Locale"),
    timezone: text("ZoneInfo"),
    emails: email && [{ value: email, type: "work" }],
    phoneNumbers: phone && [{ value: phone, type: "mobile" }],
    active: record.Is_Active,
    [ENTERPRISE_SCHEMA]: department ? { department } : undefined,
    meta: { resourceType: "User", created: record.Creation_Date },
  };
}
