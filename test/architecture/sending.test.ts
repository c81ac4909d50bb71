// The words of the sending engine: docs/sending.md has them all, and the code uses no others for the same things.

import { expect, test } from "bun:test";
import { ROOT, readPage } from "../support/pages.ts";
import { readSources, withoutComments } from "./imports.ts";

const MAX_WORDS = 12;
const ENGINE = /^(server\/webhooks\/deliveries|workflows|activities)\//;
/** Former names of places, queues, claims, attempts and their steps. */
const FORMER = /^(room|turn|lane|lanes|admits|admitted|entered|passed|fresh|stale|crowded|silent|aside|begun|spend)$/i;
/** Columns of the database keep their names. */
const COLUMNS = /\b(begun_on|attempt_opened_by|opened_by)\b/g;

const page = readPage("docs/sending.md");
const sources = await readSources(ROOT, ["server", "workflows", "activities"]);
const engine = sources.filter(({ path }) => ENGINE.test(path));

test(`the page has at most ${MAX_WORDS} words, with names that the code has`, () => {
  const rows = [...page.slice(page.indexOf("| word |")).matchAll(/^\| ([a-z]+) \| .* \| (.*) \|$/gm)].slice(1);
  expect(rows.length).toBeWithin(1, MAX_WORDS + 1);
  const code = sources.map(({ text }) => text).join(" ");
  const names = rows.flatMap(([, word, cell]) => [...cell!.matchAll(/`(\w+)`/g)].map(([, name]) => [word!, name!]));
  expect(names.filter(([, name]) => !new RegExp(`\\b${name}\\b`).test(code))).toEqual([]);
});

test("the page's files exist", () => {
  const named = [...page.matchAll(/`([\w/.-]+\.ts)`/g)].map(([, path]) => path!);
  expect(named.filter((name) => !sources.some(({ path }) => path.endsWith(name)))).toEqual([]);
});

test("the engine uses no former word", () => {
  expect(engine.length).toBeGreaterThan(30);
  expect(engine.flatMap(({ path, text }) => formerWordsIn(text).map((word) => `${path}: ${word}`))).toEqual([]);
  expect(formerWordsIn("windows.hasRoom(id); const begun = d.begun_on;")).toEqual(["Room", "begun"]);
});

/** Words of names, in camel case, and of texts. */
function formerWordsIn(text: string): string[] {
  const words =
    withoutComments(text)
      .replace(COLUMNS, "")
      .match(/[A-Z]?[a-z]+/g) ?? [];
  return words.filter((word) => FORMER.test(word));
}
