// The normal form of typed text, and its limits.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { HOST_LIMIT, readUrl, URL_LIMIT, urlOf } from "../../server/platform/address.ts";
import { MAX_JSON_DEPTH, parseJson } from "../../server/platform/http/json.ts";
import {
  asTyped,
  hasShortTexts,
  isText,
  KEY_LIMIT,
  MAX_MARKS,
  MAX_TEXT,
  usernameKey,
} from "../../server/platform/text.ts";

const MAX = 1_000;

/** The definition, step by step; the expression for the ends is too slow for long texts. */
const defined = (text: string) =>
  text
    .replace(/[\u00ad\u200b\u2060\ufeff]/g, "")
    .replace(/\p{Zs}/gu, " ")
    .normalize("NFC")
    .replace(/^[\s\p{Bidi_Control}]+|[\s\p{Bidi_Control}]+$/gu, "");

describe("typed text", () => {
  const odd = fc.constantFrom(
    ..." \t\n\r\u00a0\u2028\u3000\u200b\u00ad\ufeff\u200d\u200e\u202e\u061c\u0301\u0323\u0958aé",
  );
  const texts = fc.oneof(
    fc.string({ unit: "binary", maxLength: 40 }),
    fc.string({ unit: "grapheme", maxLength: 40 }),
    fc.array(odd, { maxLength: MAX_MARKS }).map((parts) => parts.join("")),
  );

  test("has the defined normal form", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const wanted = isText(text, MAX) ? { text: defined(text) } : { problem: expect.any(String) };
        expect(asTyped(text, MAX)).toEqual(wanted as never);
      }),
      { numRuns: 1_000 },
    );
  });

  test("is unchanged when it is normalized again", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const once = asTyped(text, MAX).text;
        if (once !== undefined) expect(asTyped(once, MAX).text).toBe(once);
      }),
    );
  });

  test("is measured before it is normalized, and after", () => {
    expect(asTyped(" ".repeat(11), 10).problem).toBe("has 11 characters; the limit is 10.");
    // Each becomes two characters.
    expect(asTyped("\u0958".repeat(6), 10).problem).toBe("has 12 characters; the limit is 10.");
    expect(asTyped("\u0958".repeat(5), 10).text).toHaveLength(10);
  });

  test("has at most 30 combining marks in a row, also across characters without width", () => {
    const problem = `has more than ${MAX_MARKS} combining marks in a row.`;
    expect(asTyped(`a${"\u0301".repeat(MAX_MARKS + 1)}`, MAX)).toEqual({ problem });
    expect(asTyped(`a${"\u0301\u200b".repeat(MAX_MARKS + 1)}`, MAX)).toEqual({ problem });
    expect(asTyped(`a${"\u0301".repeat(MAX_MARKS)}`, MAX).text).toHaveLength(MAX_MARKS);
    expect(isText("a\u0301".repeat(MAX / 2), MAX)).toBe(true);
  });

  test("has no NUL and no unpaired surrogate", () => {
    const problem = "contains a character that is not text (NUL or an unpaired surrogate).";
    for (const text of ["a\0", "\ud800", "\udc00b"]) expect(asTyped(text, MAX)).toEqual({ problem });
  });
});

test("an address is one of limited length", () => {
  const longest = `https://example.com/${"a".repeat(URL_LIMIT - 20)}`;
  expect(readUrl(longest)?.hostname).toBe("example.com");
  expect(readUrl(`${longest}a`)).toBeUndefined();
  expect(readUrl(`https://a${"\u0301\u0323".repeat(MAX_MARKS)}.example`)).toBeUndefined();
  expect(readUrl("example.com")).toBeUndefined();
});

test("an address has a host of limited length, in any spelling that URL accepts", () => {
  const [longest, longer] = ["a".repeat(HOST_LIMIT), "a".repeat(HOST_LIMIT + 1)];
  for (const start of ["https://", "HTTPS:", " ht\ttps:\\\\", "wss://ana:secret@", "ftp:///"]) {
    expect(readUrl(`${start}${longest}:443/${longer}?${longer}#${longer}`)?.hostname).toBe(longest);
    expect(readUrl(`${start}${longer}/`)).toBeUndefined();
  }
  // These hosts stay as they are.
  expect(readUrl(`urn:${longer}`)?.href).toBe(`urn:${longer}`);
  expect(readUrl(`com.example.app://${longer}/`)?.hostname).toBe(longer);
  expect(readUrl(`/${longest}`, "https://example.com")?.pathname).toBe(`/${longest}`);
  expect(() => urlOf(`https://${longer}/`)).toThrow(TypeError);
});

test("marks on both sides of a character without width are in a row", () => {
  for (const ignorable of ["\u00ad", "\u2064", "\u034f", "\u200d", "\u3164"]) {
    const marks = `a${"\u0316\u0301".repeat(MAX_MARKS / 2)}${ignorable}`;
    expect(isText(marks, MAX)).toBe(ignorable !== "\u034f");
    expect(isText(`${marks}\u0301`, MAX)).toBe(false);
    expect(readUrl(`https://${marks}\u0301/`)).toBeUndefined();
  }
});

test("a username is measured again in its compatibility form", () => {
  expect(usernameKey("\ufdfa".repeat(27))).toHaveLength(486);
  expect(usernameKey("\ufdfa".repeat(28))).toBeUndefined();
  expect(usernameKey("A".repeat(KEY_LIMIT))).toBe("a".repeat(KEY_LIMIT));
});

test("JSON from outside is parsed up to a depth", () => {
  const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;
  expect(parseJson(nested(MAX_JSON_DEPTH))).toBeArray();
  for (const depth of [MAX_JSON_DEPTH + 1, 120_000]) expect(parseJson(nested(depth))).toBeUndefined();
  expect(parseJson(`{"a":"${"[".repeat(100)}\\"${"{".repeat(100)}"}`)).toEqual({
    a: `${"[".repeat(100)}"${"{".repeat(100)}`,
  });
  expect(parseJson("{")).toBeUndefined();
});

test("a value is searched for long texts at any depth, and in its members' names", () => {
  const long = "a".repeat(MAX_TEXT + 1);
  for (const value of [long, [[long]], { a: { b: [long] } }, { [long]: 1 }]) expect(hasShortTexts(value)).toBe(false);
  for (const value of [null, 1, true, "a".repeat(MAX_TEXT), [{ a: ["a"] }]]) expect(hasShortTexts(value)).toBe(true);
});
