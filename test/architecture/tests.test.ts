// The rules of the tests themselves.

import { expect, test } from "bun:test";
import { join } from "node:path";
import { importsOf, readSources, type Source, withoutComments } from "./imports.ts";

/** Without this folder, where code stands in samples. */
const tests = (await readSources(join(import.meta.dir, "../.."), ["test"])).filter(
  ({ path }) => !path.startsWith("test/architecture/"),
);

/** test/world has the people and things of tests, test/support their processes, browsers and files. */
/** Also the runner reads the imports. */
const SHARED = /^test\/(world|support)\/|^test\/architecture\/imports\.ts$/;

const reachesAcross = (sources: Source[]) =>
  sources.flatMap((source) =>
    importsOf(source).flatMap(({ target }) => {
      const isOther = target.startsWith("test/") && target.split("/")[1] !== source.path.split("/")[1];
      return isOther && !SHARED.test(target) ? [`${source.path} imports ${target}, which stands in test/world.`] : [];
    }),
  );

test("helpers of several folders stand in test/world or test/support", () => {
  const sample = (text: string) => reachesAcross([{ path: "test/a/a.test.ts", text }]);
  expect(sample(`import { b } from "../b/b.ts";`)).toHaveLength(1);
  expect(sample(`import { b } from "./b.ts"; import { c } from "../world/c.ts";`)).toEqual([]);
  expect(reachesAcross(tests)).toEqual([]);
});

/**
 * Tests ask the API. If only PostgreSQL can say or do something, test/world has a named function for it: in `rows.ts`
 * (stored rows), `planted.ts` (records that requests cannot make), `locks.ts`, or `postgresql.ts` (sessions, schema,
 * settings). A new statement beside these says why it is needed.
 */
const MAX_STATEMENTS = 76;
const MAX_IN_TEST_FILES = 20;

test("tests have few statements, and no new ones", () => {
  const statement =
    /[\w.)](?:<[^`]*>)?`\s*(?:select|insert|update|delete|with|lock|create|alter|drop|truncate|analyze)\b/g;
  const found = tests.flatMap(({ path, text }) => [...withoutComments(text).matchAll(statement)].map(() => path));
  expect(found.length).toBeLessThanOrEqual(MAX_STATEMENTS);
  expect(found.filter((path) => path.endsWith(".test.ts")).length).toBeLessThanOrEqual(MAX_IN_TEST_FILES);
});
