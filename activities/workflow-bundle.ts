// The workflows as the one script that a worker runs them from. Bundling takes seconds, and gives the same
// until code changes, so the script is kept with the installed packages for the next worker.

import { createHash } from "node:crypto";
import { mkdir, open, readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { bundleWorkflowCode, type Logger, type WorkflowBundle } from "@temporalio/worker";
import { PROJECT_ROOT } from "../server/config.ts";

const CACHE = join(PROJECT_ROOT, "node_modules/.cache/gatehouse");
const PREFIX = "workflows-";
/** All that a bundle is made from: our code, and the packages' versions with what we patch of them. */
const MADE_FROM = ["workflows/**/*.ts", "bun.lock", "patches/*"].map((pattern) => new Bun.Glob(pattern));

/** @param folder where it is kept; one that cannot be written to costs no more than the work */
export async function bundleWorkflows(logger: Logger, folder = CACHE): Promise<WorkflowBundle> {
  try {
    return await keptBundle(logger, folder);
  } catch (error) {
    logger.info("The workflow bundle cannot be kept", { error });
    return bundle(logger);
  }
}

async function keptBundle(logger: Logger, folder: string): Promise<WorkflowBundle> {
  const name = `${PREFIX}${await fingerprint()}.js`;
  const kept = await readFile(join(folder, name), "utf8").catch(() => "");
  if (kept) return { code: kept };
  await mkdir(folder, { recursive: true });
  const made = await bundle(logger);
  await keep(folder, name, made.code);
  return made;
}

async function bundle(logger: Logger): Promise<WorkflowBundle> {
  const { code } = await bundleWorkflowCode({
    workflowsPath: join(PROJECT_ROOT, "workflows/index.ts"),
    workflowInterceptorModules: [join(PROJECT_ROOT, "workflows/attempts.ts")],
    logger,
  });
  return { code };
}

/**
 * Differs wherever a bundle might. The place counts as well, for a workflow's stack traces name its files.
 * @throws Error if a part of what a bundle is made from is not there
 */
export async function fingerprint(root = PROJECT_ROOT): Promise<string> {
  const hash = createHash("sha256").update(root);
  for (const glob of MADE_FROM) {
    const paths = (await Array.fromAsync(glob.scan(root))).sort();
    if (paths.length === 0) throw new Error(`${root} has nothing of what workflows are bundled from.`);
    for (const path of paths) {
      const bytes = await readFile(join(root, path));
      hash.update(`\0${path}\0${bytes.length}\0`).update(bytes);
    }
  }
  return hash.digest("hex").slice(0, 32);
}

/** It is never seen half-written, whatever else writes it and whatever power fails. Bundles of other versions go. */
async function keep(folder: string, name: string, code: string): Promise<void> {
  const others = (await readdir(folder)).filter((other) => other.startsWith(PREFIX));
  const draft = join(folder, `${name}.${process.pid}.draft`);
  try {
    const file = await open(draft, "w");
    try {
      await file.writeFile(code);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, join(folder, name));
  } finally {
    await rm(draft, { force: true });
  }
  for (const other of others) if (other !== name) await rm(join(folder, other), { force: true });
}
