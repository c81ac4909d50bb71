// Checks of the documents that need no running service.

import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { ENV_EXAMPLE, envExample } from "../support/environment.ts";
import { GENERATED, withGenerated } from "../support/generated.ts";
import { anchorOf, type Block, blocksOf, headingsOf, linksOf, PAGES, ROOT, readPage } from "../support/pages.ts";
import { readSources } from "./imports.ts";
import { ROOMS_OF_WORDS } from "./rules.ts";

/** Languages of blocks that cannot be run. */
const PICTURES = ["mermaid", "text"];
/** Valid prefixes of a comment above a block; the tests of test/documents run all but the last. */
const WAYS = ["tour: ", "run: ", "verify: ", "by-key: ", "token: ", "sign-in: ", "receiver: ", "not run: "];

describe.each(PAGES)("%s", (path) => {
  const text = readPage(path);

  test("every link has a target", () => {
    expect(linksOf(text).filter((link) => !leadsSomewhere(path, link))).toEqual([]);
  });

  test("every block of code is run, or says why it is not", () => {
    expect(blocksOf(path).flatMap((block) => problemOf(block) ?? [])).toEqual([]);
  });

  test("generated parts are up to date; `bun run docs` writes them", () => {
    if (GENERATED[path]) expect(text === withGenerated(path, text)).toBe(true);
    else expect(text).not.toContain("<!-- generated: ");
  });
});

test(".env.example has the variables of docs/configuration.md; `bun run docs` writes it", async () => {
  expect(await Bun.file(join(ROOT, ENV_EXAMPLE)).text()).toBe(envExample());
});

test("these rules find a dead link, an untested block and invalid JSON", () => {
  expect(leadsSomewhere("README.md", "docs/none.md")).toBe(false);
  expect(leadsSomewhere("README.md", "docs/api.md#none")).toBe(false);
  expect(leadsSomewhere("docs/api.md", "../README.md#five-minute-tour")).toBe(true);
  const block = { path: "README.md", line: 1, mark: undefined };
  expect(problemOf({ ...block, language: "sh", text: "ls" })).toBeString();
  expect(problemOf({ ...block, language: "json", text: "{,}" })).toBeString();
  expect(problemOf({ ...block, language: "yaml", mark: "not run: no", text: "a: [" })).toBeString();
  expect(problemOf({ ...block, language: "", text: "ls" })).toBeString();
});

const OF_READERS = PAGES.filter((path) => path.startsWith("docs/for-"));

test.each(["README.md", ...OF_READERS])("%s has at most 150 lines", (path) => {
  expect(readPage(path).split("\n").length).toBeLessThanOrEqual(151);
});

test("README.md links to each reader's page, which links to the reference", () => {
  expect(OF_READERS).toHaveLength(5);
  expect(linksOf(readPage("README.md"))).toEqual(expect.arrayContaining(OF_READERS));
  for (const path of OF_READERS) expect(headingsOf(readPage(path)).at(-1)).toBe("Reference");
});

test("the glossary lists each word once, alphabetically", () => {
  const words = [...readPage("docs/glossary.md").matchAll(/^\| ([a-zA-Z ]+) \|/gm)].map(([, word]) => word!).slice(1);
  expect(words).toEqual([...new Set(words)].toSorted((a, b) => a.localeCompare(b, "en")));
  expect(Object.keys(ROOMS_OF_WORDS).filter((word) => !words.includes(word))).toEqual([]);
});

test("comments cite public documents only", async () => {
  const sources = await readSources(ROOT, ["server", "workflows", "activities", "examples"]);
  expect(sources.filter(({ text }) => text.includes("SPEC.md")).map(({ path }) => path)).toEqual([]);
});

test("documents cited by the code exist", async () => {
  const sources = await readSources(ROOT, ["server", "workflows", "activities", "examples", "test", "bench"]);
  const cited = sources.flatMap(({ path, text }) =>
    [...text.matchAll(/(?:docs\/[\w/-]+|README)\.md(?: "([^"\n]+)")?/g)]
      .filter(([page, heading]) => !hasHeading(page.split(" ")[0]!, heading))
      .map(([citation]) => `${path} cites ${citation}`),
  );
  expect(cited.filter((problem) => !problem.startsWith("test/architecture/documents.test.ts"))).toEqual([]);
});

test("the table of folders lists every source folder", () => {
  const [, table] = /<!-- table: layout -->\n\n([\s\S]*?)\n\n/.exec(readPage("docs/architecture.md"))!;
  const rows = [...table!.matchAll(/^\| (`[^|]*) \|/gm)].map(([, names]) => names!);
  const paths = rows.flatMap((names) => [...names.matchAll(/`([^`]+)`/g)].map(([, path]) => path!));
  expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  const folders = [...foldersOf("server").map((name) => `server/${name}`), ...foldersOf(".")];
  const isNamed = (folder: string) => paths.some((path) => path === folder || path.startsWith(`${folder}/`));
  expect(folders.filter((folder) => !isNamed(folder))).toEqual([]);
});

function leadsSomewhere(path: string, link: string): boolean {
  const [file = "", anchor] = link.split("#");
  const target = file === "" ? path : join(dirname(path), file);
  if (!existsSync(join(ROOT, target))) return false;
  return anchor === undefined || headingsOf(readPage(target)).map(anchorOf).includes(anchor);
}

function problemOf({ path, line, language, mark, text }: Block): string | undefined {
  const place = `${path}:${line}`;
  if (PICTURES.includes(language)) return undefined;
  if (language === "json") return parses(JSON.parse, text) ? undefined : `${place} is no JSON.`;
  if (language === "yaml" && !parses(Bun.YAML.parse, text)) return `${place} is no YAML.`;
  return WAYS.some((way) => mark?.startsWith(way)) ? undefined : `${place} says nothing of how it is run.`;
}

function parses(parse: (text: string) => unknown, text: string): boolean {
  try {
    parse(text);
    return true;
  } catch {
    return false;
  }
}

function hasHeading(page: string, heading: string | undefined): boolean {
  if (!existsSync(join(ROOT, page))) return false;
  return heading === undefined || headingsOf(readPage(page)).includes(heading);
}

function foldersOf(path: string): string[] {
  return readdirSync(join(ROOT, path), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith(".") && entry.name !== "node_modules")
    .map(({ name }) => name);
}
