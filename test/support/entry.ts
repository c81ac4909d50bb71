// Runs one of package.json's commands to its end.

import { PROJECT_ROOT } from "../../server/platform/config/config.ts";
import { temporaryDirectory } from "./directories.ts";
import { withoutSettings } from "./stack.ts";

export const FILES = {
  start: "server/main.ts",
  server: "server/serve.ts",
  worker: "activities/worker.ts",
  tenant: "server/appliance/commands/tenant.ts",
  keys: "server/appliance/commands/keys.ts",
  backup: "server/appliance/commands/backup.ts",
  restore: "server/appliance/commands/restore.ts",
  migrate: "server/appliance/commands/migrate.ts",
};

export type Entry = keyof typeof FILES;

/** @returns its whole output, and its standard output */
export async function runEntry(
  entry: Entry,
  env: Record<string, string> = {},
  args: string[] = [],
): Promise<{ exitCode: number; output: string; printed: string }> {
  const child = Bun.spawn([process.execPath, FILES[entry], ...args], {
    cwd: PROJECT_ROOT,
    env: { ...withoutSettings(process.env), DATA_DIR: temporaryDirectory("entry"), LOG_FORMAT: "text", ...env },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [printed, complaint] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { exitCode: await child.exited, output: printed + complaint, printed };
}
