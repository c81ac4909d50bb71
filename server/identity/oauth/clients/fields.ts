// Credentials fields that can be reset to a default.

import { type TSchema, Type } from "@sinclair/typebox";
import { type FieldOptions, field, orNull, word } from "../../../platform/http/fields.ts";

/** null resets it to the default. */
export function settable<T>(schema: TSchema, must: string, standard: T, options: FieldOptions) {
  return field<T, T>({
    ...options,
    sent: orNull(schema),
    shown: schema,
    documented: { default: standard },
    blank: standard,
    must,
  });
}

export function list(words: readonly string[], standard: readonly string[], options: FieldOptions) {
  return settable<string[]>(Type.Array(word(words)), `must be a list of ${words.join(", ")}.`, [...standard], options);
}

export function choice<W extends string>(words: readonly W[], options: FieldOptions, standard = words[0]!) {
  const must = `must be one of ${words.filter(Boolean).join(", ")}${words.includes("" as W) ? ", or empty" : ""}.`;
  return settable<W>(word(words), must, standard, options);
}
