// The steps whose time can grow faster than a text are behind its limits: parsing addresses, and normalization.

import { expect, test } from "bun:test";
import { ROOT } from "../support/pages.ts";
import { readSources, type Source, withoutComments } from "./imports.ts";

const product = await readSources(ROOT, ["server", "workflows", "activities"]);
const source = (path: string, text: string): Source => ({ path, text });

/** The reader of addresses; the others parse only a path, below an address of their own. */
const PARSE_ADDRESSES = ["server/platform/address.ts", "server/platform/http/request.ts", "server/console/visit.ts"];
/** The files of a thread are named relative to the module. */
const PARSING = /\bURL\.(canParse|parse)\b|\bnew URL\((?!"[^"]*", import\.meta\.url\))/;

/** The forms of texts; the others have limits of their own. */
const NORMALIZE = [
  "server/platform/text.ts",
  "server/platform/mail-address.ts",
  "server/platform/password-hash/formats.ts",
  "server/identity/oauth/authorize/device.ts",
  "server/identity/oauth/distinguished-name.ts",
  "server/identity/signin/password.ts",
  "server/identity/signin/second-factor/codes.ts",
  "server/identity/signin/strength.ts",
];

function uses(sources: readonly Source[], pattern: RegExp, permitted: readonly string[]): string[] {
  return sources
    .filter(({ path, text }) => pattern.test(withoutComments(text)) && !permitted.includes(path))
    .map(({ path }) => path);
}

test("addresses are parsed by readUrl and urlOf, which check their length", () => {
  expect(uses(product, PARSING, PARSE_ADDRESSES)).toEqual([]);
  const bad = ["new URL(metadata.issuer)", "URL.canParse(uri)", "[uri].map(URL.parse)", `new URL("./a", base)`];
  for (const code of bad) expect(uses([source("server/a.ts", code)], PARSING, PARSE_ADDRESSES)).toHaveLength(1);
  const thread = source("server/a.ts", `new Worker(new URL("./a-thread.ts", import.meta.url));`);
  expect(uses([thread], PARSING, PARSE_ADDRESSES)).toEqual([]);
});

test("texts are normalized only behind their limits", () => {
  expect(uses(product, /\.normalize\(/, NORMALIZE)).toEqual([]);
  expect(uses([source("server/a.ts", `name.normalize("NFKC")`)], /\.normalize\(/, NORMALIZE)).toHaveLength(1);
});

test("each permitted file still needs its permission", () => {
  const needed = (pattern: RegExp) => uses(product, pattern, []);
  expect(needed(PARSING)).toEqual(expect.arrayContaining(PARSE_ADDRESSES));
  expect(needed(/\.normalize\(/)).toEqual(expect.arrayContaining(NORMALIZE));
});
