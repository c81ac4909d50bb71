// The catalogue: the other languages have the variables of the English texts, all forms of a number, and no English.

import { describe, expect, test } from "bun:test";
import { ServiceBusy } from "../../server/platform/errors.ts";
import { asApiError } from "../../server/platform/http/error-record.ts";
import { texts } from "../../server/ui/index.ts";

type Group = { readonly [key: string]: string | Group };
type Entry = [key: string, text: string];

function entriesOf(group: Group, path = ""): Entry[] {
  return Object.entries(group).flatMap(([key, text]) =>
    typeof text === "string" ? [[path + key, text] as Entry] : entriesOf(text, `${path}${key}.`),
  );
}

/** The forms of a number differ by language. */
const FORM = /\.(zero|one|two|few|many|other)$/;
const catalogueOf = (code: texts.LanguageCode) => entriesOf(texts.languageOf(code).t as unknown as Group);
const ENGLISH = new Map(catalogueOf("en"));
const OTHERS = texts.LANGUAGE_CODES.filter((code) => code !== "en");

/** Words that these languages share with English, and texts of variables alone. */
const SAME: Partial<Record<texts.LanguageCode, string[]>> = {
  de: ["code", "personAndUserName", "passkeys"],
  fr: ["code", "personAndUserName", "applications"],
  tr: ["personAndUserName"],
  ar: ["personAndUserName"],
};

describe.each(OTHERS)("the texts in %s", (code) => {
  const entries = catalogueOf(code);

  test("have the variables of the English ones", () => {
    const differing = entries.flatMap(([key, text]) => {
      const english = ENGLISH.get(key) ?? ENGLISH.get(key.replace(FORM, ".other"))!;
      const [own, wanted] = [text, english].map((one) => texts.variablesOf(one).toSorted().join());
      return own === wanted ? [] : [{ key, own, wanted }];
    });
    expect(differing).toEqual([]);
  });

  test("have no English left", () => {
    const same = entries.filter(([key, text]) => ENGLISH.get(key) === text).map(([key]) => key);
    expect(same.toSorted()).toEqual((SAME[code] ?? []).toSorted());
  });

  test("have every form that a number up to 100 needs, or say it in one", () => {
    const rules = new Intl.PluralRules(code);
    const { codesLeft, recoveryLead } = texts.languageOf(code).t;
    for (let count = 0; count <= 100; count++) {
      for (const forms of [codesLeft, recoveryLead]) {
        const form = forms[rules.select(count)] ?? forms.other;
        expect(texts.plural(code, forms, count)).toBe(
          texts.fill(form, { count: new Intl.NumberFormat(code).format(count) }),
        );
      }
    }
    const named = Object.keys(codesLeft);
    const used = new Set(Array.from({ length: 101 }, (_, count) => rules.select(count)));
    // Arabic counts from 11 to 99 in a form of its own, which is `other` here: the noun is the same.
    expect([...used].filter((form) => !named.includes(form))).toEqual(code === "ar" ? ["many"] : []);
  });
});

test("errors that every request can get are the ones of the catalogue", () => {
  const { internal, busy } = texts.ERRORS;
  expect([asApiError(new Error("x")).errors, new ServiceBusy().errors]).toEqual([[internal], [busy]]);
});

test("a value cannot change the direction of its sentence", () => {
  const { t } = texts.languageOf("ar");
  expect(texts.fill(t.signInWith, { provider: "Acme (EU)" })).toContain("\u2068Acme (EU)\u2069");
  expect(texts.fill(texts.ENGLISH.t.signInWith, { provider: "\u202Eevil" })).toBe("Sign in with evil");
});

test.each([
  ["de-AT", "de"],
  ["DE", "de"],
  ["pt fr-CA en", "fr"],
  ["ar_EG", "ar"],
  ["x-de", undefined],
  ["", undefined],
  ["constructor __proto__", undefined],
  [`${"es ".repeat(1_000)}de`, undefined],
])("of the tags %s, the first known language is %p", (tags, code) => {
  expect(texts.bestOf(tags)).toBe(code as texts.LanguageCode | undefined);
});
