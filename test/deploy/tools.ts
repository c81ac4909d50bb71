// Programs and schemas that check the files of deploy/. Their versions are in test/deploy/tools; they are installed once
// per machine.

import { createHash } from "node:crypto";
import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { cachedFolder } from "../support/cache.ts";
import { printedBy } from "../support/packages.ts";

const LISTS = join(import.meta.dir, "tools");

/** @returns the folder with the packages of package.json */
export async function npmTools(): Promise<string> {
  const folder = await cachedFolder(`npm-tools-${markOf("bun.lock")}`, async (draft) => {
    for (const name of ["package.json", "bun.lock"]) cpSync(join(LISTS, name), join(draft, name));
    await printedBy([process.execPath, "install", "--frozen-lockfile"], draft);
  });
  return join(folder, "node_modules");
}

/** @returns the folder with the programs that Go builds */
export function goTools(): Promise<string> {
  return cachedFolder(`go-tools-${markOf("go.sum", "compose/main.go")}`, (draft) =>
    printedBy(["go", "build", "-trimpath", "-o", draft, "./compose"], LISTS, { env: { CGO_ENABLED: "0" } }),
  );
}

function markOf(...files: string[]): string {
  const hash = createHash("sha256");
  for (const file of files) hash.update(readFileSync(join(LISTS, file)));
  return hash.digest("hex").slice(0, 12);
}
