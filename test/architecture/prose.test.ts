// Comments, texts for people, test names and documents are plain technical English. No sentence starts with a noun
// clause such as "What is left", and the words below are not used.

import { expect, test } from "bun:test";
import { join } from "node:path";
import { PAGES, readPage } from "../support/pages.ts";
import { commentsOf, proseOf, readSources, sentencesOf, sqlCommentsOf, testNamesOf, textsOf } from "./imports.ts";

const ROOT = join(import.meta.dir, "../..");

const OPENINGS =
  /(?:(^|[.:;] )(Who|Whom|Whose|What|Which|Of (which|these|those)|Those (that|who)|One that)|^(who|whom|whose|what|of (which|these|those)|those (that|who)|one that))\b(?!.*\?)/;
const WORDS =
  /\b(nobody|somebody|everybody|anybody|another one|another's|of (which|whom)|whom|as good as|good (any|no) (longer|more)|no more (than|good)|(comes?|came|coming) of|comes to nothing|(is|are|was|were|been) told|has its day|by now|by way of|as far as|whoever|go(es)? on|but for|under way|all the same|good (for|until|once)|(for|by|of|to|from) who|so that who)\b|, for (it|they|there|he|we|who|what|that)\b/i;

/** Folders of the code. */
const CODE = ["server", "workflows", "activities", "test", "packages", "examples", "dev", "bench", "deploy"];
/** Written by packages/client/build.ts. */
const GENERATED = "packages/client/schema.ts";

/** Folders with texts for people: errors, pages, descriptions, log messages and commands. */
const TEXTS = ["server", "activities", "workflows", "bench", "examples", "dev"];

/** Descriptions that SPEC.md gives. */
const FROM_SPEC = ["Who updated the record.", "Who created the record."];

const MAX_WORDS = 25;

function problemsIn(comment: string): string[] {
  return [OPENINGS, WORDS].flatMap((pattern) => pattern.exec(comment)?.[0].trim() ?? []);
}

test("comments start plainly and avoid the listed words", async () => {
  const sources = (await readSources(ROOT, CODE)).filter(({ path }) => path !== GENERATED);
  expect(sources.length).toBeGreaterThan(300);
  const problems = sources.flatMap(({ path, text }) =>
    commentsOf(text).flatMap((comment) => problemsIn(comment).map((words) => `${path}: "${words}" in "${comment}"`)),
  );
  expect(problems).toEqual([]);
});

test("comments of the schema are as plain", async () => {
  const paths = await Array.fromAsync(new Bun.Glob("server/platform/db/migrations/*.sql").scan(ROOT));
  const texts = await Promise.all(paths.map((path) => Bun.file(join(ROOT, path)).text()));
  const comments = texts.flatMap(sqlCommentsOf);
  expect(comments.length).toBeGreaterThan(200);
  expect(comments.flatMap((comment) => problemsIn(comment).map((words) => `"${words}" in "${comment}"`))).toEqual([]);
});

test("texts for people are as plain", async () => {
  const texts = (await readSources(ROOT, TEXTS)).flatMap((source) =>
    textsOf(source).map((text) => [source.path, text.replace(/\{\w+\}/g, "…")] as const),
  );
  expect(texts.length).toBeGreaterThan(3_000);
  const problems = texts.flatMap(([path, text]) =>
    FROM_SPEC.includes(text) ? [] : problemsIn(text).map((words) => `${path}: "${words}" in "${text}"`),
  );
  expect(problems).toEqual([]);
}, 300_000);

test("test names are as plain, and have at most 25 words", async () => {
  const names = (await readSources(ROOT, ["test"])).flatMap((source) =>
    testNamesOf(source).map((name) => [source.path, name] as const),
  );
  expect(names.length).toBeGreaterThan(2_000);
  const problems = names.flatMap(([path, name]) => [
    ...problemsIn(name).map((words) => `${path}: "${words}" in "${name}"`),
    ...(name.split(" ").length > MAX_WORDS ? [`${path}: too long: "${name}"`] : []),
  ]);
  expect(problems).toEqual([]);
}, 300_000);

test.each(PAGES)("%s is as plain, and its sentences have at most 25 words", (path) => {
  const parts = proseOf(readPage(path).replace(/<!-- generated: [\s\S]*?<!-- end -->/g, ""));
  const tooLong = parts.flatMap(sentencesOf).filter((sentence) => sentence.split(" ").length > MAX_WORDS);
  expect([...parts.flatMap((part) => problemsIn(part).map((words) => `"${words}" in "${part}"`)), ...tooLong]).toEqual(
    [],
  );
});

test.each([
  "What is left of it.",
  "Seconds. Who waits longer is refused.",
  "Two keys, of which one signs.",
  "Kept until another one is there.",
  "Nobody can read it.",
  "The former is good no more.",
  "Sealed, for it is a secret.",
])("%p is found", (comment) => {
  expect(problemsIn(comment)).not.toEqual([]);
});

test.each([
  "After authorization, so callers cannot probe values.",
  "Users who can sign in.",
  "Seconds for which a session is valid.",
])("%p is plain", (comment) => {
  expect(problemsIn(comment)).toEqual([]);
});

test("a comment is read across its lines, and strings are not comments", () => {
  expect(commentsOf("// one\n// two\nconst a = 1; // three\n  /** four */\n/**\n * five\n * six\n */\n")).toEqual([
    "one two",
    "three",
    "four",
    "five six",
  ]);
  expect(sqlCommentsOf("-- one\n-- two\ncreate table t (\n  a text, -- three\n  -- four\n  b text\n);\n")).toEqual([
    "one two",
    "three",
    "four",
  ]);
  expect(commentsOf('const url = "https://example.com"; const glob = "a/**/b";')).toEqual([]);
});

test("prose is found without code, and sentences end at a stop, a colon or a semicolon", () => {
  const page =
    "# A title\n\n- One, see\n  [two](three.md).\n- `four` it\n\n| a | b |\n|---|---|\n\n```sh\nls\n```\n<!-- five -->\n";
  expect(proseOf(page)).toEqual(["A title", "One, see two.", "… it", "a", "b"]);
  expect(sentencesOf("One. Two, e.g. this: three; four? Five")).toEqual([
    "One.",
    "Two, e.g. this:",
    "three;",
    "four?",
    "Five",
  ]);
});

test("texts and test names are found, without SQL and imports", () => {
  const text = 'import "a b";\nconst a = <p>Nobody is here</p>;\nconst b = `To whom`;\nsql`select a from b`;\n';
  expect(textsOf({ path: "a.tsx", text })).toEqual(["Nobody is here", "To whom"]);
  const tests = 'describe("who may", () => { test.each([1])("what %d does", () => { f("no name"); }); });';
  expect(testNamesOf({ path: "a.test.ts", text: tests })).toEqual(["who may", "what %d does"]);
});
