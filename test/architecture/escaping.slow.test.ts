import { expect, test } from "bun:test";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "../..");
const SCAN = ["--preload", join(import.meta.dir, "typescript-5.ts"), "node_modules/.bin/xss-scan", "--simplified"];
/** The scan type-checks all imports of the pages. */
const PATIENCE_MS = 300_000;

test(
  "every text in a page is escaped, and an unescaped one is found",
  async () => {
    const folder = join(ROOT, ".gatehouse", `escaping-${process.pid}`);
    mkdirSync(folder, { recursive: true });
    try {
      const bad = join(folder, "bad.tsx");
      await Bun.write(bad, `export const Bad = ({ name }: { name: string }) => <p>{name}</p>;\n`);
      const pages = await Array.fromAsync(new Bun.Glob("server/**/*.tsx").scan(ROOT));
      expect(pages.length).toBeGreaterThan(0);
      const found = (await scan(...pages, bad)).match(/^.*\): error .*$/gm) ?? [];
      expect(found).toEqual([expect.stringContaining("bad.tsx")]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
  PATIENCE_MS,
);

async function scan(...files: string[]): Promise<string> {
  const run = Bun.spawn([process.execPath, ...SCAN, ...files], { cwd: ROOT, stdout: "pipe", stderr: "pipe" });
  return (await Promise.all([new Response(run.stdout).text(), new Response(run.stderr).text()])).join("");
}
