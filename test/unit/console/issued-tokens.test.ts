// Wherever a page of Settings says that tokens end, it also says how long APIs without introspection accept them.

import { expect, test } from "bun:test";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "../../..");
/** Texts about ended tokens. */
const TOKENS_END = /"[^"\n]*(?:tokens[^"\n]*\bend\b|tokens[^"\n]*(?:become|are) invalid)[^"\n]*",/g;

test("every effect that ends tokens says how long APIs may still accept them", async () => {
  const found: string[] = [];
  for await (const path of new Bun.Glob("server/console/**/*.tsx").scan(ROOT)) {
    const text = await Bun.file(join(ROOT, path)).text();
    for (const { 0: sentence, index } of text.matchAll(TOKENS_END)) {
      if (/\b(?:off|on): $/.test(text.slice(0, index))) continue;
      found.push(path);
      expect([path, sentence, text.slice(index + sentence.length).trimStart()]).toEqual([
        ...[path, sentence],
        expect.stringMatching(/^ISSUED_TOKENS/),
      ]);
    }
  }
  expect(new Set(found).size).toBeGreaterThanOrEqual(4);
});
