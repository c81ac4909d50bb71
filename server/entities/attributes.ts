// What a tenant has its Users say beyond their own fields (docs/behaviour.md "Attributes"): the values of one User, and
// whether they fit the tenant's definitions.

import { printable } from "../http/body.ts";
import { asTyped, isText } from "../http/fields.ts";

export const ATTRIBUTE_TYPES = ["Text", "Number", "Boolean", "Texts"] as const;

/** One of a tenant's UserAttributes. */
export interface AttributeDefinition {
  Name: string;
  Type: (typeof ATTRIBUTE_TYPES)[number];
  Description: string;
}

export type AttributeValue = string | number | boolean | string[];
export type Attributes = Record<string, AttributeValue>;
/** As a caller sends them: null removes one. */
export type SentAttributes = Record<string, AttributeValue | null>;

/** Characters of a text. */
const TEXT_LIMIT = 1_000;
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

/** What can be said of a body without the tenant's definitions. */
export function attributesIn(value: unknown): { value?: SentAttributes | null; problem?: string } {
  if (value === null) return { value: null };
  if (typeof value !== "object" || Array.isArray(value)) return { problem: "must be an object or null." };
  const typed = Object.entries(value).map(([name, one]) => [name, typedAttribute(one)]);
  return { value: Object.fromEntries(typed) as SentAttributes };
}

function typedAttribute(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(typedAttribute);
  return typeof value === "string" ? asTyped(value) : value;
}

/** As they stand after the change: what is not sent stays. */
export function mergedAttributes(before: unknown, sent: SentAttributes | null): Attributes {
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
    if (!definition) return `Attributes.${printable(key)} is none of the tenant's UserAttributes.`;
    return value === null || FITS[definition.Type](value) ? [] : `Attributes.${key} ${MUST[definition.Type]}`;
  });
  const bytes = Buffer.byteLength(JSON.stringify(merged));
  if (problems.length === 0 && bytes > ATTRIBUTES_LIMIT) {
    problems.push(`Attributes have ${bytes} bytes in JSON; they may have at most ${ATTRIBUTES_LIMIT}.`);
  }
  return problems;
}
