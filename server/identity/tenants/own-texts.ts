// Texts of pages and mails that a tenant has replaced: a list in its TenantSettings.

import { Type } from "@sinclair/typebox";
import { field, orNull, word } from "../../platform/http/fields.ts";
import { isText } from "../../platform/text.ts";
import { texts } from "../../ui/index.ts";

export const MAX_TEXTS = 50;
export const TEXT_LIMIT = 500;
/** Embeddings, overrides and isolates (UAX 9); the marks that Arabic and Hebrew need are allowed. */
const REVERSING = /[\u202a-\u202e\u2066-\u2069]/;

const list = Type.Array(
  Type.Object({
    Language: word(texts.LANGUAGE_CODES),
    Name: Type.String({ description: "The name in the catalogue, such as signIn." }),
    Text: Type.String({ maxLength: TEXT_LIMIT, description: "It has the variables of the text that it replaces." }),
  }),
  { maxItems: MAX_TEXTS },
);

export const OWN_TEXTS = field<texts.OwnText[], texts.OwnText[]>({
  description: `Texts of pages and mails that replace those of the catalogue, at most ${MAX_TEXTS}.`,
  sent: orNull(list),
  checked: orNull(Type.Array(Type.Unknown(), { maxItems: MAX_TEXTS })),
  shown: list,
  must: `must be a list of at most ${MAX_TEXTS}.`,
  refuse: (value: unknown[] | null) => problemIn(value ?? []),
  take: (value: texts.OwnText[] | null) => (value ?? []).map(({ Language, Name, Text }) => ({ Language, Name, Text })),
  stored: "json",
  audit: "value",
  form: {
    label: "Own texts of pages and mails",
    hint: `One per line: the language, the text's name and the new text. For example "en toContinueTo so that you can use {application}".`,
    rows: 4,
    line: {
      show: ({ Language, Name, Text }: texts.OwnText) => `${Language} ${Name} ${Text}`,
      read(line) {
        const [Language = "", Name = "", ...words] = line.trim().split(" ");
        return { Language, Name, Text: words.join(" ") };
      },
    },
  },
  example: [{ Language: "en", Name: "toContinueTo", Text: "so that you can use {application}" }],
});

function problemIn(value: unknown[]): string | undefined {
  const seen = new Set<string>();
  for (const [index, one] of value.entries()) {
    const at = `Texts[${index}]`;
    const { Language, Name, Text, ...others } = (one ?? {}) as Record<string, unknown>;
    const code = texts.LANGUAGE_CODES.find((known) => known === Language);
    if (!code) return `${at}.Language must be one of ${texts.LANGUAGE_CODES.join(", ")}.`;
    if (typeof Name !== "string" || Object.keys(others).length > 0)
      return `${at} must be {"Language": …, "Name": …, "Text": …}.`;
    const original = texts.textNamed(code, Name);
    if (original === undefined) return `${at}.Name is no text of the catalogue.`;
    if (seen.has(`${code} ${Name}`)) return `${at} occurs twice.`;
    seen.add(`${code} ${Name}`);
    if (typeof Text !== "string" || Text.trim() === "" || !isText(Text, TEXT_LIMIT)) {
      return `${at}.Text must be a text of at most ${TEXT_LIMIT} characters.`;
    }
    if (REVERSING.test(Text)) return `${at}.Text must not have a character that reverses the text beside it.`;
    const [given, wanted] = [Text, original].map((text) => [...new Set(texts.variablesOf(text))].toSorted());
    if (given!.join() !== wanted!.join()) {
      const named = wanted!.map((name) => `{${name}}`).join(", ");
      return `${at}.Text must have ${named ? `the variables ${named}, and no others` : "no variables"}.`;
    }
  }
  return undefined;
}
