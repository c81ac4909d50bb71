// The test files of a run: all but the slow ones, the slow ones, or those near a change.

import { importsOf, type Source } from "../architecture/imports.ts";

/** Tests below these folders start or kill their own Gatehouse. */
const SLOW_FOLDERS = /^test\/((chaos|crash|deploy|floods|start)\/|conformance\/mcp\b)/;
/** The suffix of tests that walk everything: every route, form or page, many generated inputs. */
const SLOW_NAME = /\.slow\.test\.ts$/;
const STARTS_ITS_OWN = /\bstart(Stack|Victim)\(/;

/** Folders of tests for code whose own folders have no tests of the same name. */
const TESTED_IN: [path: string, folders: string[]][] = [
  ["activities", ["webhooks", "logouts", "unit/webhooks"]],
  ["docs", ["documents"]],
  ["examples", ["documents", "receiver"]],
  ["packages/client", ["client"]],
  ["server/appliance", ["start", "unit/embedded"]],
  ["server/data", ["retention", "personal-data"]],
  ["server/identity/oauth/grants", ["token"]],
  ["server/identity/oauth/tokens", ["token"]],
  ["server/identity/signin/account", ["account"]],
  ["server/identity/signin/second-factor", ["account"]],
  ["server/identity/signin/upstream", ["identity-providers"]],
  ["server/platform/db", ["sql"]],
  ["server/platform/temporal", ["config", "webhooks"]],
  ["server/records", ["entities", "sequence"]],
  ["server/records/access", ["policies"]],
  ["server/ui", ["accessibility", "console", "signin"]],
  ["workflows", ["replay", "webhooks", "logouts", "redelivery"]],
];
/** These compose everything. */
const COMPOSING = /^server\/[^/]+$/;
/** test/world uses a complete Gatehouse. */
const SHARED = /^test\/(world|support)\//;
/** Files that no test of a running Gatehouse depends on. */
const UNTESTED = /^(bench|dev|deploy|temporal-cli|\.[a-z]+)\/|^(LICENSE|test\/timings\.json)$/;

export const isSlow = ({ path, text }: Source) =>
  SLOW_FOLDERS.test(path) || SLOW_NAME.test(path) || STARTS_ITS_OWN.test(text);

/**
 * Test files whose imports reach a changed file, or whose folder is named like a folder of one. Imports of the server's
 * code count only for test/unit and for direct imports: other tests reach it by requests, and any of it through
 * test/world.
 * @param sources every file of test/ and of the code that it imports
 * @param changed paths from the project's root
 * @returns undefined: a change is near no test in particular, so all should run
 */
export function nearChange(sources: Source[], changed: string[]): string[] | undefined {
  const tests = sources.map(({ path }) => path).filter((path) => path.endsWith(".test.ts"));
  const reachOfTest = reachOf(sources);
  const reached = new Map(tests.map((test) => [test, reachOfTest(test)]));
  const near = new Set<string>();
  for (const file of changed.filter((path) => !UNTESTED.test(path))) {
    if (COMPOSING.test(file)) return undefined;
    const found = tests.filter((test) => reached.get(test)!.has(file) || standsBy(test, file));
    if (found.length === 0 && !file.endsWith(".test.ts")) return undefined;
    for (const test of found) near.add(test);
  }
  return [...near].sort();
}

/** Files that a test imports, itself included. */
function reachOf(sources: Source[]): (test: string) => Set<string> {
  const targets = new Map(sources.map((source) => [source.path, importsOf(source).map(({ target }) => target)]));
  return (test) => {
    const reached = new Set<string>();
    const visit = (path: string): void => {
      if (reached.has(path)) return;
      reached.add(path);
      if (!path.startsWith("test/") && !test.startsWith("test/unit/")) return;
      const isShared = SHARED.test(path);
      for (const target of targets.get(path) ?? []) if (!isShared || target.startsWith("test/")) visit(target);
    };
    visit(test);
    return reached;
  };
}

/** Whether the folder of a test is named like a folder of the file. */
function standsBy(test: string, file: string): boolean {
  const isOf = (folder: string) => test.startsWith(`test/${folder}/`);
  const folders = file.split("/").slice(0, -1);
  // Helpers are found by their imports.
  if (folders[0] === "test") return !/\.tsx?$/.test(file) && folders.length > 1 && isOf(folders.slice(1).join("/"));
  const named = folders.flatMap((folder) => [folder, `unit/${folder}`]);
  const listed = TESTED_IN.filter(([path]) => file.startsWith(`${path}/`)).flatMap(([, names]) => names);
  const documents = file.endsWith(".md") ? ["documents"] : [];
  return [...named, ...listed, ...documents].some(isOf);
}
