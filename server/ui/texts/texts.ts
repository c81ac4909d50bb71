// Texts with variables, in the language of a page or mail.

import { escapeHtml } from "@kitajs/html";
import { isolated } from "../isolated.ts";
import type { ACCOUNT_EN } from "./account/en.ts";
import type { Plural, TextsOf, TextWith } from "./shape.ts";
import type { SIGN_IN_EN } from "./sign-in/en.ts";

/** The catalogue of a language. */
export type Texts = TextsOf<typeof SIGN_IN_EN> & TextsOf<typeof ACCOUNT_EN>;

const VARIABLE = /\{(\w+)\}/;

type Values<Name extends string> = Readonly<Record<Name, string | number>>;

/** Inserts values; each is isolated, so it cannot change the direction of the rest (UAX #9). */
export function fill<Name extends string>(text: TextWith<Name>, values: Values<Name>): string {
  return parts(text, values, (value) => isolated(value, text)).join("");
}

/** Chooses the form for the number. */
export function plural(language: string, forms: Plural, count: number): string {
  const text: TextWith<"count"> = forms[new Intl.PluralRules(language).select(count)] ?? forms.other;
  return fill(text, { count: new Intl.NumberFormat(language).format(count) });
}

/** A text whose values stand out. Text and values are escaped. */
export function Say<Name extends string>({ text, values }: { text: TextWith<Name>; values: Values<Name> }) {
  return parts(text, values, (value) => `<strong>${escapeHtml(value)}</strong>`, escapeHtml).join("");
}

/** A text with elements as values, such as a time. The text is escaped. */
export function Insert<Name extends string>({
  text,
  values,
}: {
  text: TextWith<Name>;
  values: Record<Name, JSX.Element>;
}) {
  return parts(text, values as Record<Name, string>, (element) => element, escapeHtml).join("");
}

/** A number with its unit in words, such as "5 minutes". */
export function unit(locale: string, count: number, name: "second" | "minute" | "hour"): string {
  const format = { style: "unit", unit: name, unitDisplay: "long", maximumFractionDigits: 0 } as const;
  return new Intl.NumberFormat(locale, format).format(count);
}

function parts<Name extends string>(
  text: string,
  values: Values<Name>,
  insert: (value: string) => string,
  plain = (part: string) => part,
): string[] {
  return text
    .split(VARIABLE)
    .map((part, index) => (index % 2 === 1 ? insert(String(values[part as Name])) : plain(part)));
}

/** The names of a text's variables. */
export function variablesOf(text: string): string[] {
  return [...text.matchAll(new RegExp(VARIABLE, "g"))].map(([, name]) => name!);
}
