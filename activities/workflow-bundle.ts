// Bundles the workflows into one script. Bundling takes seconds and is deterministic, so the script is cached beside
// the installed packages.

import { createHash } from "node:crypto";
import { mkdir, open, readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { bundleWorkflowCode, type Logger, type WorkflowBundle } from "@temporalio/worker";
import { PROJECT_ROOT } from "../server/platform/config/config.ts";

const CACHE = join(PROJECT_ROOT, "node_modules/.cache/gatehouse");
const PREFIX = "workflows-";
/** The inputs of a bundle: our code, and the packages' versions and patches. */
const MADE_FROM = ["workflows/**/*.ts", "bun.lock", "patches/*.patch"].map((pattern) => new Bun.Glob(pattern));

/** @param folder the cache; if it is not writable, bundling is repeated */
export async function bundleWorkflows(logger: Logger, folder = CACHE): Promise<WorkflowBundle> {
  try {
    return await keptBundle(logger, folder);
  } catch (error) {
    logger.info("The workflow bundle cannot be cached", { error });
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
    workflowInterceptorModules: [join(PROJECT_ROOT, "workflows/retry.ts")],
    logger,
  });
  return { code };
}

/**
 * A hash of a bundle's inputs. It includes the path, because stack traces contain file names.
 * @throws Error if an input is missing
 */
export async function fingerprint(root = PROJECT_ROOT): Promise<string> {
  const hash = createHash("sha256").update(root);
  for (const glob of MADE_FROM) {
    const paths = (await Array.fromAsync(glob.scan(root))).sort();
    if (paths.length === 0) throw new Error(`${root} contains no workflow sources.`);
    for (const path of paths) {
      const bytes = await readFile(join(root, path));
      hash.update(`\0${path}\0${bytes.length}\0`).update(bytes);
    }
  }
  return hash.digest("hex").slice(0, 32);
}

/** Writes atomically and durably, and removes bundles of other versions. */
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
