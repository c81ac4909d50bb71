// TypeBox's schemas as the document writes them: those with a name once, among the components.

import type { Schema } from "./types.ts";
import { schemaRef } from "./types.ts";

/** @param named what is met on the way, by its name */
export function documentedSchema(schema: object, named: Map<string, Schema>): Schema {
  const { $id, ...own } = schema as Schema & { $id?: string };
  if ($id === undefined) return inside(own, named);
  if (!named.has($id)) {
    // Before it is looked into: a schema may stand in itself.
    named.set($id, {});
    named.set($id, inside(own, named));
  }
  return schemaRef($id);
}

function inside(schema: Schema, named: Map<string, Schema>): Schema {
  const parts = Object.entries(schema).flatMap(([key, value]): [string, unknown][] => {
    if (key === "properties") return [[key, mapped(value as Record<string, object>, named)]];
    if (key === "patternProperties") return [["additionalProperties", only(value as Record<string, object>, named)]];
    if (key === "items" || (key === "additionalProperties" && typeof value === "object")) {
      return [[key, documentedSchema(value as object, named)]];
    }
    if (key === "anyOf" || key === "oneOf") {
      return choices(
        key,
        (value as object[]).map((choice) => documentedSchema(choice, named)),
      );
    }
    return [[key, value]];
  });
  return Object.fromEntries(parts);
}

/** Words are an enum, and what may be null has that among its types. */
function choices(key: string, all: Schema[]): [string, unknown][] {
  const some = all.filter(({ type }) => type !== "null");
  const isNullable = some.length < all.length;
  if (some.every((choice) => "const" in choice)) {
    const words = some.map((choice) => choice.const);
    const type = typeof words[0];
    return [
      ["type", isNullable ? [type, "null"] : type],
      ["enum", isNullable ? [...words, null] : words],
    ];
  }
  const [one] = some;
  if (!isNullable || some.length > 1 || typeof one?.type !== "string") return [[key, all]];
  const { type, enum: words, ...rest } = one;
  const orNull = words ? { enum: [...(words as unknown[]), null] } : {};
  return Object.entries({ type: [type, "null"], ...rest, ...orNull });
}

function mapped(properties: Record<string, object>, named: Map<string, Schema>): Record<string, Schema> {
  return Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, documentedSchema(part, named)]));
}

/** TypeBox writes an object of any names by a pattern that all of them fit. */
function only(patterns: Record<string, object>, named: Map<string, Schema>): Schema {
  return documentedSchema(Object.values(patterns)[0]!, named);
}
