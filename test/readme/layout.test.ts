// The README's account of the tree, and the command it gives for a cluster, against what is there.

import { expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { CLUSTER_ATTRIBUTES } from "../../server/embedded/search-attributes.ts";

const ROOT = join(import.meta.dir, "../..");
const text = await Bun.file(join(ROOT, "README.md")).text();
const [, table] = /\n## How the code is laid out\n([\s\S]*?)\n\n[^|\n]/.exec(text)!;
const paths = [...table!.matchAll(/^\| (`[^|]*) \|/gm)].flatMap(([, names]) =>
  [...names!.matchAll(/`([^`]+)`/g)].map(([, path]) => path!),
);

test("what it names is there, and each folder of the source is named", () => {
  expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  const folders = [...foldersOf("server").map((name) => `server/${name}`), ...foldersOf(".")];
  const isNamed = (folder: string) => paths.some((path) => path === folder || path.startsWith(`${folder}/`));
  expect(folders.filter((folder) => !isNamed(folder))).toEqual([]);
});

test("the search attributes it adds to a cluster are those we use", () => {
  const [, command] = /^temporal operator search-attribute create (.*\\\n.*)$/m.exec(text)!;
  const named = [...command!.matchAll(/--name (\w+) --type (\w+)/g)].map(([, name, type]) => `${name} ${type}`);
  expect(named.toSorted()).toEqual(CLUSTER_ATTRIBUTES.map(({ name, type }) => `${name} ${type}`).toSorted());
});

function foldersOf(path: string): string[] {
  return readdirSync(join(ROOT, path), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith(".") && entry.name !== "node_modules")
    .map(({ name }) => name);
}
