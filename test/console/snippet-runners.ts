// How the programs of an application's page Connect are run, or read if their framework cannot be installed.

import { symlinkSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { frameworkPackages, javaPackages, printedBy, pythonPackages } from "../support/packages.ts";

interface Runner {
  /** Required programs. */
  tool: string;
  file: string;
  /** @param port of the redirect URI; undefined: it does not listen */
  command(folder: string, port: string | undefined): Promise<string[]> | string[];
}

const RUNNERS: Record<string, Runner> = {
  "Next.js (Node)": {
    tool: "node",
    file: "app/[[...path]]/route.js",
    async command(folder, port) {
      symlinkSync(join(await frameworkPackages(), "node_modules"), join(folder, "node_modules"));
      // Turbopack follows no link out of the folder.
      return [
        "node",
        "node_modules/next/dist/bin/next",
        "dev",
        "--webpack",
        "--hostname",
        "127.0.0.1",
        "--port",
        port!,
      ];
    },
  },
  "Spring (Java)": {
    tool: "javac",
    file: "Spring.java",
    async command() {
      const path = `${await javaPackages()}:.`;
      return ["sh", "-c", 'javac -cp "$0" Spring.java && exec java -cp "$0" Spring', path];
    },
  },
  "Node, Bun": { tool: "bun", file: "main.mjs", command: () => [process.execPath, "main.mjs"] },
  Python: { tool: "python3", file: "main.py", command: () => ["python3", "main.py"] },
  Go: { tool: "go", file: "main.go", command: () => ["go", "run", "-trimpath", "."] },
  curl: { tool: "curl", file: "main.sh", command: () => ["bash", "main.sh"] },
};

/** Frameworks that no registry of this repository's packages has: a parser of the language reads the programs. */
const READERS: Record<string, { tool: string; command(file: string): string[] }> = {
  "ASP.NET (C#)": { tool: "python3", command: (file) => ["python3", "-c", PARSE_CSHARP, file] },
  "Laravel (PHP)": { tool: "php", command: (file) => ["php", "-l", file] },
  "Rails (Ruby)": { tool: "ruby", command: (file) => ["ruby", "-c", file] },
};
const PARSE_CSHARP = `import sys, tree_sitter, tree_sitter_c_sharp as language
tree = tree_sitter.Parser(tree_sitter.Language(language.language())).parse(open(sys.argv[1], "rb").read())
sys.exit(str(tree.root_node) if tree.root_node.has_error else 0)`;

/** Selected by the program's name, or by the language or tool in it. */
export function runnerOf(name: string): Runner {
  return RUNNERS[name] ?? RUNNERS[/\((.*)\)$/.exec(name)![1]!]!;
}

/** The toolchains on this machine; CI has all. */
export const isHere = (name: string) => process.env.CI === "true" || Bun.which(runnerOf(name).tool) !== null;

/** Others are only read. */
export const isRun = (name: string) => !(name in READERS);

/** @throws Error unless its language's parser reads it */
export async function isRead(name: string, text: string, folder: string): Promise<void> {
  const reader = READERS[name];
  if (!reader || !(process.env.CI === "true" || Bun.which(reader.tool))) return;
  const file = join(folder, Bun.randomUUIDv7());
  await writeFile(file, text);
  await printedBy(reader.command(file), folder, { env: { PYTHONPATH: await pythonPackages() } });
}
