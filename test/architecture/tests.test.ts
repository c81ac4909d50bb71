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
 * Statements of test files. Tests ask the API, or use the named functions of test/world/rows.ts. The others look at
 * PostgreSQL itself: locks, sessions, partitions, sealed columns, earlier versions. A new one needs such a reason.
 */
const MAX_STATEMENTS = 341;
const MAX_ON_SHARED_DATABASE = 82;

test("tests have few statements, and no new ones", () => {
  const statement =
    /([\w.)]+)(?:<[^`;]*>)?`\s*(?:select|insert|update|delete|with|lock|create|alter|drop|truncate|analyze)\b/g;
  const found = tests
    .filter(({ path }) => path.endsWith(".test.ts"))
    .flatMap(({ text }) => [...withoutComments(text).matchAll(statement)].map(([, tag]) => tag));
  expect(found.length).toBeLessThanOrEqual(MAX_STATEMENTS);
  // `db()` is the shared database, of tests about the product.
  expect(found.filter((tag) => tag === ")").length).toBeLessThanOrEqual(MAX_ON_SHARED_DATABASE);
});
