// Rules of the names that the code declares.

import { expect, test } from "bun:test";
import { join } from "node:path";
import { readSources, type Source, withoutComments } from "./imports.ts";

const ROOT = join(import.meta.dir, "../..");
const sources = await readSources(ROOT, ["server", "workflows", "activities", "examples", "packages", "dev", "bench"]);
const tests = await readSources(ROOT, ["test"]);

test("limits are named MAX_… or MIN_…", () => {
  expect(limitsOfOtherNames([...sources, ...tests])).toEqual([]);
  const named = (text: string) => limitsOfOtherNames([{ path: "server/a.ts", text }]);
  expect(named("export const MOST_KEYS = 20;\nconst SHORTEST = 8;")).toEqual([
    "server/a.ts: MOST_KEYS is called MAX_… or MIN_….",
    "server/a.ts: SHORTEST is called MAX_… or MIN_….",
  ]);
  expect(named("const MAX_KEYS = 20;\nconst ALMOST_FULL = 0.9;")).toEqual([]);
});

test("each exported type name of the server is declared once", () => {
  expect(typesOfOneName(sources)).toEqual([]);
  const named = (first: string, second: string) =>
    typesOfOneName([
      { path: "server/a.ts", text: first },
      { path: "server/b.ts", text: second },
    ]);
  expect(named("export interface Turn<T> {}", "export type Turn = string;")).toEqual(["Turn"]);
  expect(named("export class Turn {}", "export abstract class Turn {}")).toEqual(["Turn"]);
  expect(named("export interface Turn {}", 'export type { Turn } from "./a.ts";\ninterface Turn {}')).toEqual([]);
});

function limitsOfOtherNames(sources: Source[]): string[] {
  const limit =
    /^(?:export )?const ((?:MOST|LEAST|LONGEST|SHORTEST|FEWEST|LARGEST|SMALLEST|MAXIMUM|MINIMUM)(?:_\w+)?)\b/gm;
  return sources.flatMap(({ path, text }) =>
    [...withoutComments(text).matchAll(limit)].map(([, name]) => `${path}: ${name} is called MAX_… or MIN_….`),
  );
}

function typesOfOneName(sources: Source[]): string[] {
  const exported = /^export (?:abstract )?(?:interface|type|class|enum) (\w+)/gm;
  const names = sources
    .filter(({ path }) => path.startsWith("server/"))
    .flatMap(({ text }) => [...withoutComments(text).matchAll(exported)].map(([, name]) => name!));
  return [...new Set(names.filter((name, index) => names.indexOf(name) !== index))];
}
