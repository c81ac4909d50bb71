// Custom attributes of Users (docs/behaviour.md "Attributes").

import { Type } from "@sinclair/typebox";
import { isObject, printable } from "../../platform/http/body.ts";
import type { Field, FieldOptions } from "../../platform/http/fields.ts";
import { asTyped, isText, TEXT_LIMIT } from "../../platform/text.ts";

export const ATTRIBUTE_TYPES = ["Text", "Number", "Boolean", "Texts"] as const;

export interface AttributeDefinition {
  Name: string;
  Type: (typeof ATTRIBUTE_TYPES)[number];
  Description: string;
}

export type AttributeValue = string | number | boolean | string[];
export type Attributes = Record<string, AttributeValue>;
/** As a caller sends them: null removes one. */
export type SentAttributes = Record<string, AttributeValue | null>;

export const MAX_ATTRIBUTES = 50;
/** Texts of a list, and characters of each. */
const MAX_TEXTS = 50;
const LISTED_LIMIT = 200;
/** Bytes of all in JSON: tokens can have them, and a header has no room for more. */
const ATTRIBUTES_LIMIT = 4_000;

const MUST = {
  Text: `must be a string of 1 to ${TEXT_LIMIT} characters, or null.`,
  Number: "must be a number, or null.",
  Boolean: "must be true, false or null.",
  Texts: `must be a list of 1 to ${MAX_TEXTS} strings of 1 to ${LISTED_LIMIT} characters, or null.`,
} as const satisfies Record<AttributeDefinition["Type"], string>;

const FITS: Record<AttributeDefinition["Type"], (value: unknown) => boolean> = {
  Text: (value) => value !== "" && isText(value, TEXT_LIMIT),
  Number: (value) => typeof value === "number" && Number.isFinite(value),
  Boolean: (value) => typeof value === "boolean",
  Texts: (value) =>
    Array.isArray(value) &&
    value.length > 0 &&
    value.length <= MAX_TEXTS &&
    value.every((one) => one !== "" && isText(one, LISTED_LIMIT)),
};

/** The record's field with them. Before a look-up, the tenant's definitions are unknown. */
export function attributes(options: FieldOptions): Field {
  const kinds = [
    { type: "string" },
    { type: "number" },
    { type: "boolean" },
    { type: "array", items: { type: "string" } },
  ];
  const schemaOf = (type: string | string[], anyOf: object[], more = {}) =>
    Type.Unsafe<unknown>({ type, additionalProperties: { anyOf }, ...more });
  return {
    ...{ type: "attributes", audit: "name", example: { costCentre: "4711" }, ...options },
    sent: schemaOf(["object", "null"], [...kinds, { type: "null" }]),
    checked: Type.Unknown(),
    shown: schemaOf("object", kinds, { default: {} }),
    must: "must be an object or null.",
    fits: (value: unknown) => value === null || isObject(value),
    refuse: (value: object | null) => problemIn(Object.entries(value ?? {})),
    take: (value: object | null) =>
      value && Object.fromEntries(Object.entries(value).map(([name, one]) => [name, typedAttribute(one)])),
    merge: mergedAttributes,
    show: (stored) => stored ?? {},
  };
}

/** Rejects what no definition allows, before the values are normalized. */
function problemIn(entries: [name: string, value: unknown][]): string | undefined {
  if (entries.length > MAX_ATTRIBUTES)
    return `Attributes has ${entries.length} members; the limit is ${MAX_ATTRIBUTES}.`;
  const isLong = (one: unknown) => typeof one === "string" && asTyped(one, TEXT_LIMIT).problem !== undefined;
  for (const [name, value] of entries) {
    const isList = Array.isArray(value);
    if ((isList && value.length > MAX_TEXTS) || [value].flat().some(isLong)) {
      return `Attributes.${printable(name)} ${isList ? MUST.Texts : MUST.Text}`;
    }
  }
  return undefined;
}

function typedAttribute(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(typedAttribute);
  return typeof value === "string" ? asTyped(value, TEXT_LIMIT).text : value;
}

/** The values after the change; absent ones stay. */
function mergedAttributes(before: unknown, sent: SentAttributes | null): Attributes {
  if (sent === null) return {};
  const merged = new Map<string, AttributeValue | null>([
    ...Object.entries((before ?? {}) as Attributes),
    ...Object.entries(sent),
  ]);
  return Object.fromEntries([...merged].filter((entry): entry is [string, AttributeValue] => entry[1] !== null));
}

/** @returns a sentence for each that does not fit */
export function attributeProblems(
  definitions: readonly AttributeDefinition[],
  sent: SentAttributes | null,
  merged: Attributes,
): string[] {
  const problems = Object.entries(sent ?? {}).flatMap(([key, value]) => {
    const definition = definitions.find((one) => one.Name === key);
    if (!definition) return `Attributes.${printable(key)} is not defined in the tenant's UserAttributes.`;
    return value === null || FITS[definition.Type](value) ? [] : `Attributes.${key} ${MUST[definition.Type]}`;
  });
  const bytes = Buffer.byteLength(JSON.stringify(merged));
  if (problems.length === 0 && bytes > ATTRIBUTES_LIMIT) {
    problems.push(`Attributes have ${bytes} bytes in JSON; the limit is ${ATTRIBUTES_LIMIT}.`);
  }
  return problems;
}
