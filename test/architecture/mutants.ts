// `bun run mutants --seed=1 --count=20`: changes the committed code at random places, one place at a time, and tells
// which changes no test notices. Each survivor is a missing story, or needless code. Not a part of CI.

import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { $ } from "bun";
import ts from "typescript5";
import { createRandom } from "../chaos/random.ts";
import { importsOf, readSources, type Source } from "./imports.ts";

interface Mutant {
  kind: string;
  path: string;
  /** In the file's text. */
  start: number;
  end: number;
  text: string;
}

/** Folders whose tests have another name. Other folders have tests of their name, or those of their parent. */
const TESTS_OF: Record<string, string[]> = {
  activities: ["webhooks", "logouts"],
  workflows: ["webhooks", "logouts", "replay"],
  "server/appliance/commands": ["tenants", "start"],
  "server/appliance/embedded": ["start", "unit/embedded"],
  "server/identity/oauth/tokens": ["token", "oauth"],
  "server/identity/oauth/registration": ["registration"],
  "server/identity/signin/account": ["account"],
  "server/identity/signin/administration": ["account"],
  "server/identity/signin/second-factor": ["account"],
  "server/identity/signin/upstream": ["identity-providers"],
  "server/platform/db": ["sql", "unit/db"],
  "server/platform/limits": ["tenants", "http"],
  "server/records": ["entities", "http"],
  "server/records/access": ["policies", "oauth"],
  "server/records/events": ["webhooks"],
  "server/webhooks/connections": ["connections", "webhooks"],
  "server/webhooks/figures": ["connections", "console"],
  "server/ui": ["console", "unit/ui"],
};
const SQL: [kind: string, pattern: RegExp, text: string][] = [
  ["sql: clause", /\band (not )?[\w.]+ (=|<>|<|<=|>|>=|is|in|like) [^\n`]*?(?=\n| and |`)/g, ""],
  ["sql: or", /(?<!between [^\n]{1,40})\band\b/g, "or"],
  ["sql: compare", /(?<= )<(?= )/g, "<="],
  ["sql: compare", /(?<= )>(?= )/g, ">="],
  ["sql: compare", /<>/g, "="],
  ["sql: null", /\bis not null\b/g, "is null"],
  ["sql: order", /\bdesc\b/g, "asc"],
  ["lock: all", /<> all\b/g, "<> any"],
  ["lock", /\bfor (no key )?(update|share)( of \w+)?( skip locked)?/g, ""],
];
const OPERATORS: Record<string, string> = {
  ...{ "&&": "||", "||": "&&", "===": "!==", "!==": "===" },
  ...{ "<": "<=", "<=": "<", ">": ">=", ">=": ">" },
};
/** Files that run first, all of the folder, and then others. Most tests reach most code, so only the most alike run. */
const [MAX_NEAR, MAX_OTHERS] = [8, 12];
/** A mutant may make a test wait for ever. */
const MAX_MS = 8 * 60_000;

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    count: { type: "string", default: "10" },
    only: { type: "string" },
  },
});
const root = join(import.meta.dir, "../..");
const tree = join(mkdtempSync(join(tmpdir(), "gatehouse-mutants-")), "tree");
let isStopped = false;
// The tests get Ctrl-C as well.
process.on("SIGINT", () => {
  isStopped = true;
});
await $`git -C ${root} worktree add --quiet --detach ${tree} HEAD`;
try {
  symlinkSync(join(root, "node_modules"), join(tree, "node_modules"));
  const results: string[] = [];
  for await (const mutant of realMutants(Number(values.count))) {
    const result = await tryOut(mutant);
    if (isStopped) break;
    results.push(result);
  }
  for (const result of new Set(results)) console.log(`${result}: ${results.filter((one) => one === result).length}`);
} finally {
  await $`git -C ${root} worktree remove --force ${tree}`;
  rmSync(dirname(tree), { recursive: true, force: true });
}

async function* realMutants(count: number): AsyncGenerator<Mutant> {
  const random = createRandom(Number(values.seed));
  const pick = <T>(from: T[]) => from[Math.floor(random() * from.length)]!;
  const sources = await readSources(tree, ["server", "activities", "workflows"]);
  const all = sources.flatMap(mutantsOf).filter(({ path }) => path.startsWith(values.only ?? ""));
  const kinds = Object.entries(Object.groupBy(all, ({ kind }) => kind.split(":")[0]!));
  for (let made = 0; made < count; ) {
    // Each group of kinds is as likely as any other, or conditions would hide the few locks.
    const mutant = pick(pick(kinds)[1]!);
    // SQL and numbers have no types to break.
    if (!/^(sql|lock|number)/.test(mutant.kind) && !(await withMutant(mutant, typesAgree))) continue;
    made++;
    yield mutant;
  }
}

async function typesAgree(): Promise<boolean> {
  return (await $`node_modules/.bin/tsc --noEmit`.cwd(tree).quiet().nothrow()).exitCode === 0;
}

async function tryOut(mutant: Mutant): Promise<string> {
  const { near, others, isOwn } = await testsFor(mutant);
  const began = performance.now();
  const [result, by] = await withMutant(mutant, async () => {
    if (mutant.kind === "code: await") {
      const lint = await $`node_modules/.bin/biome lint ${mutant.path}`.cwd(tree).quiet().nothrow();
      if (lint.exitCode !== 0) return ["noticed by lint", ""];
    }
    const failure = (await failureOf(near)) ?? (await failureOf(others));
    if (!failure) return ["survived", ""];
    return [`noticed by ${isOwn(failure) ? "the folder's" : "other"} tests`, failure];
  });
  const seconds = Math.round((performance.now() - began) / 1000);
  const before = readFileSync(join(tree, mutant.path), "utf8");
  const line = before.slice(0, mutant.start).split("\n").length;
  console.log(`\n${result} after ${seconds} s: ${mutant.kind}, ${mutant.path}:${line}${by && `\n  ${by}`}`);
  console.log(`- ${before.slice(mutant.start, mutant.end)}\n+ ${mutant.text}`);
  return result!;
}

async function withMutant<T>({ path, start, end, text }: Mutant, work: () => Promise<T>): Promise<T> {
  const file = join(tree, path);
  const before = readFileSync(file, "utf8");
  writeFileSync(file, before.slice(0, start) + text + before.slice(end));
  try {
    return await work();
  } finally {
    writeFileSync(file, before);
  }
}

/** @returns the first failure, if any */
async function failureOf(files: string[]): Promise<string | undefined> {
  if (files.length === 0) return undefined;
  const run = Bun.spawn([process.execPath, "test/run.ts", "--bail", ...files], {
    cwd: tree,
    env: { ...process.env, NO_COLOR: "1" },
    stdout: "pipe",
    stderr: "pipe",
    timeout: MAX_MS,
  });
  const [out, errors, code] = await Promise.all([
    new Response(run.stdout).text(),
    new Response(run.stderr).text(),
    run.exited,
  ]);
  if (code === 0) return undefined;
  const failed = errors.search(/^\(fail\)/m);
  if (failed < 0) return `${run.signalCode ?? ""} ${(out + errors).slice(-500)}`;
  const [file] = errors
    .slice(0, failed)
    .match(/^test\/\S+:$/gm)!
    .slice(-1);
  return `${file} ${errors.slice(failed).split("\n")[0]}`;
}

/** The tests of the mutant's folder, then those that import its file; in each the most alike first. */
async function testsFor(mutant: Mutant) {
  const sources = await readSources(tree, ["server", "activities", "workflows", "test"]);
  const folders = foldersFor(dirname(mutant.path)).map((folder) => `test/${folder}/`);
  const isOwn = (path: string) => folders.some((folder) => path.startsWith(folder));
  const isSlow = /^test\/(chaos|crash|deploy|floods|start)\/|\bstart(Stack|Victim)\(/;
  const tests = sources.filter(
    ({ path, text }) => path.endsWith(".test.ts") && (isOwn(path) || !isSlow.test(path + text)),
  );
  const source = sources.find(({ path }) => path === mutant.path)!;
  const words = wordsOf(mutant.path + source.text.slice(Math.max(0, mutant.start - 600), mutant.end + 300));
  const rarity = (word: string) => 1 / tests.filter(({ text }) => text.includes(word)).length;
  const rarities = new Map([...words].map((word) => [word, rarity(word)]));
  const likeness = ({ text }: Source) =>
    [...words].reduce((sum, word) => sum + (text.includes(word) ? rarities.get(word)! : 0), 0);
  const sorted = tests.map((test) => ({ ...test, likeness: likeness(test) })).sort((a, b) => b.likeness - a.likeness);
  // The runner begins with the slowest files.
  const timings = sorted.map(({ path }, index) => [path, (sorted.length - index) * 1000]);
  writeFileSync(join(tree, "test/timings.json"), JSON.stringify({ version: 1, files: Object.fromEntries(timings) }));
  const reaching = importersOf(sources, mutant.path);
  const own = sorted.map(({ path }) => path).filter(isOwn);
  const reached = sorted.map(({ path }) => path).filter((path) => reaching.has(path) && !isOwn(path));
  return { near: own.slice(0, MAX_NEAR), others: [...own.slice(MAX_NEAR), ...reached].slice(0, MAX_OTHERS), isOwn };
}

function foldersFor(folder: string): string[] {
  if (folder.startsWith("server/console")) return ["console", "unit/console"];
  const name = folder.split("/").at(-1)!;
  const named = TESTS_OF[folder] ?? [name, `unit/${name}`].filter((test) => existsSync(join(tree, "test", test)));
  return named.length > 0 || !folder.includes("/") ? named : foldersFor(dirname(folder));
}

function wordsOf(text: string): Set<string> {
  return new Set(text.match(/[A-Z]?[a-z]{3,}/g)?.flatMap((word) => [word, word.toLowerCase()]));
}

function importersOf(sources: Source[], path: string): Set<string> {
  const imports = sources.map((source) => [source.path, importsOf(source).map(({ target }) => target)] as const);
  const found = new Set([path]);
  for (let size = 0; size !== found.size; ) {
    size = found.size;
    for (const [from, targets] of imports) if (targets.some((target) => found.has(target))) found.add(from);
  }
  return found;
}

function mutantsOf({ path, text: code }: Source): Mutant[] {
  const found: Mutant[] = [];
  const file = ts.createSourceFile(path, code, ts.ScriptTarget.Latest, true);
  const add = (kind: string, start: number, end: number, text: string) => found.push({ kind, path, start, end, text });
  const visit = (node: ts.Node): void => {
    const start = node.getStart();
    if (ts.isTaggedTemplateExpression(node) && /sql|tx/i.test(node.tag.getText())) {
      for (const [kind, pattern, text] of SQL)
        for (const match of node.getText().matchAll(pattern))
          add(kind, start + match.index, start + match.index + match[0].length, text);
    } else if (ts.isBinaryExpression(node) && OPERATORS[node.operatorToken.getText()]) {
      const { operatorToken: operator } = node;
      add("code: operator", operator.getStart(), operator.end, OPERATORS[operator.getText()]!);
    } else if (ts.isExpressionStatement(node) && ts.isAwaitExpression(node.expression)) {
      add("code: await", start, node.expression.expression.getStart(), "");
      add("dropped", start, node.end, "");
      if (/lock/i.test(node.getText())) add("lock", start, node.end, "");
    } else if (ts.isIfStatement(node) || ts.isConditionalExpression(node)) {
      const condition = ts.isIfStatement(node) ? node.expression : node.condition;
      add("negated", condition.getStart(), condition.end, `!(${condition.getText()})`);
    } else if (ts.isNumericLiteral(node) && /^[\d_]+$/.test(node.getText())) {
      add("number", start, node.end, String(Number(node.getText().replaceAll("_", "")) + (found.length % 2 ? 1 : -1)));
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}
