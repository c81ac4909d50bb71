// A record in policies: its type's attributes, with the API's field names.

import type { CedarValueJson, SchemaJson, TypeOfAttribute } from "@cedar-policy/cedar-wasm/nodejs";
import type { TSchema } from "@sinclair/typebox";
import type { ReferenceList } from "../../../platform/http/fields.ts";
import type { Declaration } from "../../record.ts";
import { ACTIONS, type Action, EXCHANGE } from "../scopes.ts";
import type { Mentioned } from "./cedar.ts";

/** The part of an action before its colon. */
export type ActionFamily = "AccessManager" | "Settings" | "Webhooks" | "Tokens";
export type AttributeType = "text" | "texts" | "number" | "boolean" | "dateTime" | "reference";

export type Attribute =
  | {
      name: string;
      type: AttributeType;
      /** The maximum number of characters of a text, or of all texts of a list. Default: TEXT_LIMIT. */
      maxLength?: number;
    }
  /** Another type's record, whole; absent unless there is one. */
  | { name: string; type: "record"; of: ResourceType };

export interface ResourceType {
  name: string;
  families: ActionFamily[];
  attributes: Attribute[];
  /** The attribute used in Cedar's `Type::"…"`; default: Id. */
  key?: string;
  /** For `principal in Group::"7"` and `resource in Group::"7"`. */
  members?: ReferenceList;
}

/** As Cedar names a record. */
export interface Uid {
  type: string;
  id: string;
}

export const isSameUid = (one: Uid, other: Uid) => one.type === other.type && one.id === other.id;

export function actionsOn({ families }: ResourceType): Action[] {
  return ACTIONS.filter((action) => families.some((family) => action.startsWith(`${family}:`)));
}

/** A kind of record, by its declaration. Without a field Id, it has the Id of another record. */
export function resourceType({ name, scopes, families, key, field, record }: Declaration): ResourceType {
  const own = Object.values(scopes).map((scope) => scope.split(":")[0]!);
  const fields = Object.entries(field);
  const members = fields.find(([, { list, judged }]) => list && judged)?.[1].list;
  const attributes = fields.flatMap(([one, { type, judged, writeOnly, maxLength, list }]): Attribute[] => {
    if (!type) return judged && !list ? [{ name: one, type: typeOf(record.properties[one]) }] : [];
    // All tenants share one schema, so policies do not have attributes of single tenants.
    if (type === "attributes" || writeOnly) return [];
    return [{ name: one, type: POLICY_TYPES[type], maxLength }];
  });
  return {
    name,
    ...(key && { key }),
    ...(members && { members }),
    families: [...new Set([...own, ...families])] as ActionFamily[],
    attributes: [...(field.Id ? [] : [{ name: "Id", type: "text" } as const]), ...attributes],
  };
}

const POLICY_TYPES = {
  text: "text",
  boolean: "boolean",
  dateTime: "dateTime",
  int32: "number",
  // Also for Application, whose record has a string, so it can be compared with a foreign key's Id.
  int64: "number",
  reference: "reference",
} as const;

function typeOf({ type, format }: TSchema): AttributeType {
  if (type === "array") return "texts";
  if (type === "integer") return "number";
  if (format === "date-time") return "dateTime";
  return type === undefined || type === "string" ? "text" : type;
}

/** The default maximum number of characters of an attribute's text. */
export const TEXT_LIMIT = 2_000;

export type JudgedRecord = Record<string, unknown>;

const REFERENCE = {
  type: "Record",
  attributes: {
    Id: { type: "Long" },
    ExternalId: { type: "String" },
    Name: { type: "String" },
    Type: { type: "String" },
  },
  // Absent if empty, so a policy must test for it: two empty ones are not the same Department.
  required: false,
} as const;

const CEDAR_TYPES: Record<AttributeType, TypeOfAttribute<string>> = {
  text: { type: "String" },
  texts: { type: "Set", element: { type: "String" } },
  number: { type: "Long" },
  boolean: { type: "Boolean" },
  dateTime: { type: "Extension", name: "datetime" },
  reference: REFERENCE,
};

export function cedarAttributes(type: ResourceType): Record<string, TypeOfAttribute<string>> {
  return Object.fromEntries(type.attributes.map((attribute) => [attribute.name, cedarType(attribute)]));
}

function cedarType(attribute: Attribute): TypeOfAttribute<string> {
  if (attribute.type !== "record") return CEDAR_TYPES[attribute.type];
  return { type: commonTypeOf(attribute.of), required: false } as TypeOfAttribute<string>;
}

function commonTypeOf({ name }: ResourceType): string {
  return `${name}Record`;
}

export function toCedarRecord(
  type: ResourceType,
  record: JudgedRecord,
  mentioned: Mentioned,
): Record<string, CedarValueJson> {
  const values: Record<string, CedarValueJson> = {};
  for (const attribute of type.attributes) {
    if (!mentioned(attribute.name)) continue;
    const value = toCedarValue(attribute, record[attribute.name], mentioned);
    if (value !== undefined) values[attribute.name] = value;
  }
  return values;
}

export function resourceKey(type: ResourceType, record: JudgedRecord): string {
  return String(record[type.key ?? "Id"] ?? "");
}

export function toCedarDate(date: string): CedarValueJson {
  return { __extn: { fn: "datetime", arg: date } };
}

function toCedarValue(attribute: Attribute, value: unknown, mentioned: Mentioned): CedarValueJson | undefined {
  switch (attribute.type) {
    case "record":
      return value === undefined ? undefined : toCedarRecord(attribute.of, value as JudgedRecord, mentioned);
    case "text":
      return String(value ?? "");
    case "texts":
      return (value as string[] | undefined) ?? [];
    case "number":
      return Number(value ?? 0);
    case "boolean":
      return value === true;
    case "dateTime":
      // A deleted record has only its Id. A policy that reads its date cannot be evaluated, so a forbid applies.
      return value === undefined ? undefined : toCedarDate(String(value));
    case "reference":
      return toCedarReference(value as Record<string, unknown> | null | undefined);
  }
}

function toCedarReference(reference: Record<string, unknown> | null | undefined): CedarValueJson | undefined {
  if (!reference?.Id) return undefined;
  const { Id, ExternalId, Name, Type } = reference;
  return {
    Id: Number(Id),
    ExternalId: String(ExternalId ?? ""),
    Name: String(Name ?? ""),
    Type: String(Type ?? ""),
  };
}

/** A Client is a calling Application, with its record's attributes. */
export const CLIENT_RECORD = "Application";
const PRINCIPALS = ["Client", "User"];

/** Whether records of this type can be members of records of the other. A Client is a member as its Application. */
export const canBeIn = (type: string, { members }: Pick<ResourceType, "members">) =>
  members?.of.includes(type === "Client" ? CLIENT_RECORD : type) ?? false;

/** The context of every action; permissions.ts fills it. */
const CONTEXT = {
  type: "Record",
  attributes: {
    scopes: { type: "Set", element: { type: "String" } },
    ip: { type: "Extension", name: "ipaddr" },
    time: { type: "Extension", name: "datetime" },
    hour: { type: "Long" },
    weekday: { type: "Long" },
    payload: { type: "Boolean" },
  },
} as const;
/** The `aud` of the requested token. */
const EXCHANGE_CONTEXT = {
  type: "Record",
  attributes: { ...CONTEXT.attributes, audience: { type: "String" } },
} as const;

/**
 * `resource.after` is the record after the action, or the record itself if the action changes nothing. It is part of
 * the resource, because Cedar types a context only by its action, and an action applies to all record types.
 */
export function cedarSchema(types: readonly ResourceType[]): SchemaJson<string> {
  const entityTypes: SchemaJson<string>[string]["entityTypes"] = {};
  const groupsOf = (type: string) => types.filter((one) => canBeIn(type, one)).map(({ name }) => name);
  const commonTypes: NonNullable<SchemaJson<string>[string]["commonTypes"]> = {};
  for (const type of types) {
    if (Object.hasOwn(entityTypes, type.name)) {
      throw new Error(`Two types of records are called ${type.name}.`);
    }
    const attributes = cedarAttributes(type);
    if (Object.hasOwn(attributes, "after")) throw new Error(`${type.name}.after has a name that policies need.`);
    commonTypes[commonTypeOf(type)] = { type: "Record", attributes };
    entityTypes[type.name] = {
      memberOfTypes: groupsOf(type.name),
      shape: { type: "Record", attributes: { ...attributes, after: { type: commonTypeOf(type) } } },
    };
    if (type.name === CLIENT_RECORD) {
      entityTypes.Client = { memberOfTypes: groupsOf("Client"), shape: { type: "Record", attributes } };
    }
  }
  const actions = ACTIONS.map((action) => {
    const appliesTo = {
      principalTypes: PRINCIPALS,
      resourceTypes: types.filter((type) => actionsOn(type).includes(action)).map(({ name }) => name),
      context: action === EXCHANGE ? EXCHANGE_CONTEXT : CONTEXT,
    };
    return [action, { appliesTo }];
  });
  return { "": { entityTypes, commonTypes, actions: Object.fromEntries(actions) } };
}
