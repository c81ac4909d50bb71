// Programs and schemas that check what is deployed, in their pinned versions: test/deploy/tools names them, and they are
// installed once on a machine.

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

function markOf(list: string): string {
  return createHash("sha256")
    .update(readFileSync(join(LISTS, list)))
    .digest("hex")
    .slice(0, 12);
}
