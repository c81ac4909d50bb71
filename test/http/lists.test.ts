// Each declared list of texts is a set, or its length is limited: 2,000 equal texts are one.

import { expect, test } from "bun:test";
import type { TSchema } from "@sinclair/typebox";
import { MAX_JSON_MEMBERS } from "../../server/platform/http/body.ts";
import { composedRoutes } from "../support/composed-app.ts";

type Sent = Record<string, unknown>;

interface Checked {
  schema: TSchema;
  check(body: Sent): { input: Sent; problems: { Field: string }[] };
}

/** Values for lists whose elements are no fixed words. */
const OTHERS = [
  ...["openid", "https://a.example.com/", "example.com", "ops@example.com"],
  "0b5e4a7e-3c1d-4f6a-9b2e-8d7c6f5a4b3c",
];

const variantsOf = (schema: TSchema): TSchema[] => schema.anyOf ?? [schema];
const wordsIn = (items: TSchema): string[] =>
  variantsOf(items).flatMap((one) => (typeof one.const === "string" ? [one.const] : []));

/** The lists of texts in a body's schema, also in its objects, with a body for each. */
function listsIn(schema: TSchema): { path: string[]; words: string[] }[] {
  return Object.entries((schema.properties ?? {}) as Record<string, TSchema>).flatMap(([name, property]) =>
    variantsOf(property).flatMap((one) => {
      if (one.type === "object") return listsIn(one).map(({ path, words }) => ({ path: [name, ...path], words }));
      const isOfTexts = one.type === "array" && variantsOf(one.items).every(({ type }) => type === "string");
      return isOfTexts ? [{ path: [name], words: [...wordsIn(one.items), ...OTHERS] }] : [];
    }),
  );
}

test("of equal texts in any list of any body, one is taken", () => {
  const bodies = new Map<string, Checked>();
  for (const { method, path, body } of composedRoutes()) {
    if (body) bodies.set(`${method} ${path}`, body as unknown as Checked);
  }
  const tried: string[] = [];
  for (const [operation, { schema, check }] of bodies) {
    for (const { path, words } of listsIn(schema)) {
      const send = (list: string[]) =>
        check(path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), list) as Sent);
      const isWrong = ({ problems }: ReturnType<Checked["check"]>) => problems.some(({ Field }) => Field === path[0]);
      const word = words.find((one) => !isWrong(send([one])));
      expect([operation, path, word]).toEqual([operation, path, expect.any(String)]);
      const many = send(Array(MAX_JSON_MEMBERS).fill(word));
      const taken = path.reduce<unknown>((value, name) => (value as Sent | undefined)?.[name], many.input);
      expect([operation, path, isWrong(many) || taken]).toEqual([operation, path, isWrong(many) || [word]]);
      const twice = path.reduce<unknown>(
        (value, name) => (value as Sent | undefined)?.[name],
        send([word!, word!]).input,
      );
      expect([operation, path, twice]).toEqual([operation, path, [word]]);
      tried.push(path.join("."));
    }
  }
  expect(tried).toEqual(expect.arrayContaining(["Scopes", "Entities", "RedirectUris", "Context.Scopes", "States"]));
});
