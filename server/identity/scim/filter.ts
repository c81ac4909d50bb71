// Filters (RFC 7644 3.4.2.2) as a tree. Their length, depth and number of comparisons are limited.

import { ScimError } from "./errors.ts";

const COMPARISONS = ["eq", "ne", "co", "sw", "ew", "gt", "ge", "lt", "le"] as const;
export type Comparator = (typeof COMPARISONS)[number];
export type Value = string | number | boolean | null;

export type ScimFilter =
  | { kind: "and"; left: ScimFilter; right: ScimFilter }
  | { kind: "or"; left: ScimFilter; right: ScimFilter }
  | { kind: "not"; of: ScimFilter }
  | { kind: "present"; attribute: string }
  | { kind: "compare"; attribute: string; by: Comparator; value: Value };

/** Characters of a filter. */
const MAX_FILTER = 2_000;
const MAX_COMPARISONS = 20;
const MAX_DEPTH = 10;

const TOKEN = /\s*(?:("(?:[^"\\]|\\.)*")|([()[\]])|([^\s()[\]"]+))/y;
const ATTRIBUTE = /^[a-z][\w:.$-]*$/i;

/** The name of an attribute in lower case, without the schema's URN. */
export function attributeOf(name: string): string {
  return name
    .toLowerCase()
    .replace(/^urn:ietf:params:scim:schemas:(core:2\.0:(user|group)|extension:enterprise:2\.0:user):/, "");
}

/** @throws ScimError */
export function parseFilter(text: string): ScimFilter {
  if (text.length > MAX_FILTER) throw wrong(`has ${text.length} characters; the limit is ${MAX_FILTER}`);
  const tokens = tokensOf(text);
  let at = 0;
  let comparisons = 0;

  const isNext = (word: string) => tokens[at]?.toLowerCase() === word;
  function expect(token: string): void {
    if (tokens[at++] !== token) throw wrong(`needs ${token}`);
  }

  function either(prefix: string, depth: number): ScimFilter {
    let left = both(prefix, depth);
    while (isNext("or")) {
      at++;
      left = { kind: "or", left, right: both(prefix, depth) };
    }
    return left;
  }

  function both(prefix: string, depth: number): ScimFilter {
    let left = one(prefix, depth);
    while (isNext("and")) {
      at++;
      left = { kind: "and", left, right: one(prefix, depth) };
    }
    return left;
  }

  function one(prefix: string, depth: number): ScimFilter {
    if (depth > MAX_DEPTH) throw wrong(`is nested deeper than ${MAX_DEPTH} levels`);
    const isNot = isNext("not") && tokens[at + 1] === "(";
    if (isNot) at++;
    if (isNot || tokens[at] === "(") {
      at++;
      const of = either(prefix, depth + 1);
      expect(")");
      return isNot ? { kind: "not", of } : of;
    }
    return comparison(prefix, depth);
  }

  function comparison(prefix: string, depth: number): ScimFilter {
    if (++comparisons > MAX_COMPARISONS) throw wrong(`has more than ${MAX_COMPARISONS} comparisons`);
    const name = tokens[at++] ?? "";
    if (!ATTRIBUTE.test(name)) throw wrong("needs the name of an attribute");
    const attribute = prefix + attributeOf(name);
    if (tokens[at] === "[") {
      at++;
      const within = either(`${attribute}.`, depth + 1);
      expect("]");
      return within;
    }
    const by = tokens[at++]?.toLowerCase();
    if (by === "pr") return { kind: "present", attribute };
    const known = COMPARISONS.find((word) => word === by);
    if (!known) throw wrong(`needs one of ${COMPARISONS.join(", ")}, pr after an attribute`);
    return { kind: "compare", attribute, by: known, value: readValue(tokens[at++]) };
  }

  const filter = either("", 0);
  if (at < tokens.length) throw wrong("has text after its end");
  return filter;
}

function tokensOf(text: string): string[] {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  const end = text.trimEnd().length;
  while (TOKEN.lastIndex < end) {
    const [, quoted, bracket, word] = TOKEN.exec(text) ?? [];
    const token = quoted ?? bracket ?? word;
    if (token === undefined) throw wrong("has a text without an end");
    tokens.push(token);
  }
  return tokens;
}

function readValue(token = ""): Value {
  try {
    const value = JSON.parse(/^(true|false|null)$/i.test(token) ? token.toLowerCase() : token);
    if (value === null || typeof value !== "object") return value;
  } catch {
    // Not JSON.
  }
  throw wrong("needs a value after a comparison: a text in quotes, a number, true, false or null");
}

const wrong = (problem: string) => new ScimError("invalidFilter", `The filter ${problem}.`);
