// A worker starts fast because the workflows' script is cached. The cache must never return another version's script.

import { expect, test } from "bun:test";
import { appendFileSync, cpSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bundleWorkflows, fingerprint } from "../../activities/workflow-bundle.ts";
import { PROJECT_ROOT } from "../../server/platform/config/config.ts";
import { temporaryDirectory } from "../support/directories.ts";
import { logger } from "./runtime.ts";

test("workflows are bundled once, and bundles of other versions are neither used nor kept", async () => {
  const folder = temporaryDirectory("bundle");
  writeFileSync(join(folder, "workflows-of-another-version.js"), "throw new Error()");
  writeFileSync(join(folder, "workflows-of-who-was-killed.js.1.draft"), "thr");
  writeFileSync(join(folder, "somebody-elses.js"), "");

  const made = await bundleWorkflows(logger, folder);
  expect(made.code).toContain("deliverWebhook");
  const [others, own, ...more] = readdirSync(folder).sort();
  expect([others, more]).toEqual(["somebody-elses.js", []]);
  const { ino, mtimeMs } = statSync(join(folder, own!));
  expect(readFileSync(join(folder, own!), "utf8")).toBe(made.code);

  expect(await bundleWorkflows(logger, folder)).toEqual({ code: made.code });
  expect(statSync(join(folder, own!))).toMatchObject({ ino, mtimeMs });

  // A file truncated by a power failure.
  writeFileSync(join(folder, own!), "");
  expect(await bundleWorkflows(logger, folder)).toEqual({ code: made.code });
  expect(readFileSync(join(folder, own!), "utf8")).toBe(made.code);
});

test("without a writable cache a worker still has its workflows", async () => {
  const file = join(temporaryDirectory("bundle"), "file");
  writeFileSync(file, "");
  expect((await bundleWorkflows(logger, join(file, "below"))).code).toContain("deliverWebhook");
});

test("a change of any workflow, package or patch changes the version", async () => {
  const root = temporaryDirectory("version");
  for (const part of ["workflows", "bun.lock", "patches"]) {
    cpSync(join(PROJECT_ROOT, part), join(root, part), { recursive: true });
  }
  const files = ["workflows/*", "patches/*.patch"].flatMap((glob) => [...new Bun.Glob(glob).scanSync(root)]);
  expect(files).toEqual(expect.arrayContaining(["workflows/deliver-webhook.ts", "patches/postgres@3.4.9.patch"]));
  const found = [await fingerprint(root)];
  expect(await fingerprint(root)).toBe(found[0]!);
  for (const file of [...files, "bun.lock"]) {
    appendFileSync(join(root, file), " ");
    found.push(await fingerprint(root));
  }
  writeFileSync(join(root, "workflows/one-more.ts"), "");
  found.push(await fingerprint(root));
  expect(new Set(found).size).toBe(files.length + 3);

  rmSync(join(root, "workflows"), { recursive: true });
  await expect(fingerprint(root)).rejects.toThrow("contains no workflow sources");
});
