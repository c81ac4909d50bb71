import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { patchedDependencies } from "../../package.json";
import { PROJECT_ROOT } from "../../server/platform/config/config.ts";

const read = (path: string) => Bun.file(join(PROJECT_ROOT, path)).text();
const filesOf = (folder: string) => readdirSync(join(PROJECT_ROOT, folder)).toSorted();

test("a package with several patches gets them in their order, and each is described", async () => {
  const series = filesOf("patches").filter((name) => !name.includes("."));
  expect(series).toEqual(["postgres"]);
  const readme = await read("patches/README.md");
  for (const name of series) {
    const [, file] = Object.entries(patchedDependencies).find(([dependency]) => dependency.startsWith(`${name}@`))!;
    const files = filesOf(`patches/${name}`);
    const patches = await Promise.all(files.map((each) => read(`patches/${name}/${each}`)));
    expect(await read(file)).toBe(patches.join(""));
    expect([...readme.matchAll(/^### (\d\d) /gm)].map(([, number]) => number)).toEqual(
      files.map((each) => each.slice(0, 2)),
    );
  }
});
