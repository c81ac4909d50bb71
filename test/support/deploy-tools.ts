// Programs and schemas that check the files of deploy/. Their versions are in test/deploy/tools; they are installed once
// per machine.

import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cachedFolder, markOf } from "./cache.ts";
import { printedBy } from "./packages.ts";

const LISTS = join(import.meta.dir, "..", "deploy", "tools");

/** @returns the folder with the packages of package.json */
export async function npmTools(): Promise<string> {
  const folder = await cachedFolder(`npm-tools-${markOfLists("bun.lock")}`, async (draft) => {
    for (const name of ["package.json", "bun.lock"]) cpSync(join(LISTS, name), join(draft, name));
    await printedBy([process.execPath, "install", "--frozen-lockfile"], draft);
  });
  return join(folder, "node_modules");
}

/** The commands that go.mod lists as tools, and our own. */
const COMMANDS = ["tool", "./compose"];

/** Milliseconds for tests that may be the first to build them, on a slow machine. */
export const BUILD_TIMEOUT = 15 * 60_000;

/** @returns the folder with the programs that Go builds; the first time takes minutes */
export function goTools(): Promise<string> {
  return cachedFolder(`go-tools-${markOfLists("go.sum", "compose/main.go")}`, (draft) =>
    printedBy(["go", "build", "-trimpath", "-ldflags=-s -w", "-o", draft, ...COMMANDS], LISTS, {
      env: { CGO_ENABLED: "0" },
    }),
  );
}

/** @returns the folder with the JSON schemas of these Kubernetes versions, without unknown fields */
export function kubernetesSchemas(versions: readonly string[]): Promise<string> {
  return cachedFolder(`kubernetes-schemas-${markOfLists("requirements.txt")}-${versions.join("-")}`, async (draft) => {
    const packages = join(draft, "packages");
    const options = ["--quiet", "--disable-pip-version-check", "--retries", "10", "--no-compile", "--no-deps"];
    const list = join(LISTS, "requirements.txt");
    await printedBy(["python3", "-m", "pip", "install", ...options, "--target", packages, "-r", list]);
    for (const version of versions) {
      const name = `v${version}-local-strict`;
      const source = join(packages, "kubernetes_validate/kubernetes-json-schema", name);
      mkdirSync(join(draft, name));
      for (const file of readdirSync(source)) {
        const text = readFileSync(join(source, file), "utf8").replaceAll(
          '"/api/_definitions.json#',
          '"_definitions.json#',
        );
        // Without it, references would lead to the network.
        const { $id: _, ...schema } = JSON.parse(text);
        writeFileSync(join(draft, name, file), JSON.stringify(schema));
      }
    }
    rmSync(packages, { recursive: true });
  });
}

function markOfLists(...files: string[]): string {
  return markOf(...files.map((file) => readFileSync(join(LISTS, file))));
}
