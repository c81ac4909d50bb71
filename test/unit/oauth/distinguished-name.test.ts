// Distinguished names in the format of RFC 4514, and their comparison.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { distinguishedName, isSameName, type RelativeName } from "../../../server/identity/oauth/distinguished-name.ts";
import { TEXT_LIMIT } from "../../../server/platform/text.ts";

const TYPES = ["2.5.4.3", "2.5.4.10", "2.5.4.11", "2.5.4.6", "1.2.3.4"];
const value = fc
  .string({ unit: "grapheme", minLength: 1, maxLength: 20 })
  .filter((one) => one.trim() !== "" && !one.includes("\0") && one.normalize("NFKC").trim() !== "");
const name = fc.array(
  fc.dictionary(fc.constantFrom(...TYPES), fc.array(value, { minLength: 1, maxLength: 2 }), { minKeys: 1, maxKeys: 3 }),
  { minLength: 1, maxLength: 4 },
);

/** RFC 4514 2.4, with every permitted character escaped. */
const escaped = (text: string) =>
  text
    .replace(/[\\"#+,;<=> ]/g, (special) => `\\${special}`)
    .replace(/[^\x20-\x7e]/gu, (one) =>
      [...Buffer.from(one)].map((byte) => `\\${byte.toString(16).padStart(2, "0")}`).join(""),
    );
const written = (parts: RelativeName[]) =>
  parts
    .map((part) =>
      Object.entries(part)
        .flatMap(([type, values]) => values.map((one) => `${type}=${escaped(one)}`))
        .join("+"),
    )
    .join(",");

test("formatting and parsing are inverse", () => {
  const short = name.filter((parts) => written(parts).length <= TEXT_LIMIT);
  fc.assert(fc.property(short, (parts) => expect(isSameName(distinguishedName(written(parts))!, parts)).toBe(true)));
  expect(distinguishedName(`CN=${"a".repeat(TEXT_LIMIT)}`)).toBeUndefined();
});

test("another value, order or additional part is another name", () => {
  fc.assert(
    fc.property(name, value, (parts, more) => {
      const [first, ...rest] = parts;
      expect(isSameName(parts, [...parts, { "2.5.4.3": [more] }])).toBe(false);
      expect(isSameName(parts, [{ ...first, "2.5.4.99": [more] }, ...rest])).toBe(false);
      const turned = parts.toReversed();
      expect(isSameName(parts, turned)).toBe(isSameName(turned, parts));
    }),
  );
});

test("no text causes a failure, and none is parsed as two names", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 60 }), (text) => {
      const read = distinguishedName(text);
      if (read) expect(isSameName(read, distinguishedName(written(read))!)).toBe(true);
    }),
  );
}, 300_000);

test.each([
  "",
  "CN",
  "=a",
  "CN=",
  "CN=a,",
  "CN=a+",
  "CN=#0c0161",
  'CN="a"',
  "CN=a;O=b",
  "CN=a\\",
  "CN=\\zz",
  "CN=\\ff",
  "CN=\\00",
  "X=a",
])("%j is not a name", (text) => expect(distinguishedName(text)).toBeUndefined());

test.each([
  ["cn=A, o = B", "CN=a,O=b"],
  ["CN=a  b", "CN=A B"],
  ["OU=x+CN=a", "CN=a+OU=x"],
  ["2.5.4.3=a", "CN=a"],
  ["CN=\\C3\\A9", "CN=É"],
  ["CN=a\\2Cb", "CN=a\\,b"],
])("%s is %s", (one, other) => expect(isSameName(distinguishedName(one)!, distinguishedName(other)!)).toBe(true));
