// `bun run start`, and `npx bun run start` above it: what stands between the person's signal and us.

import { commandLine, parentOf } from "./processes.ts";

const POLL = 500;
const LONGEST_CHAIN = 4;

/**
 * Calls `gone` when a launcher ends without having passed on why: `bun run` cannot when it is killed, and the shell npx
 * puts between does not for SIGTERM. Does nothing when a person's own shell or a service manager started us directly.
 */
export async function watchLaunchers(env: Record<string, string | undefined>, gone: () => void): Promise<void> {
  if (!env.npm_lifecycle_event) return;
  const launchers = await launchersOf(process.pid, (env.npm_config_user_agent ?? "").startsWith("npm/"));
  const timer = setInterval(async () => {
    if (await isWhole(launchers)) return;
    clearInterval(timer);
    gone();
  }, POLL);
  timer.unref();
}

/** Our parent; with npx, every process up to npx itself, but no further: closing a terminal is not our end. */
async function launchersOf(pid: number, npx: boolean): Promise<number[]> {
  const chain = [pid];
  while (chain.length <= LONGEST_CHAIN) {
    const parent = await parentOf(chain.at(-1) as number);
    if (!parent) break;
    chain.push(parent);
    if (!npx || (await commandLine(parent)).startsWith("npm ")) return chain;
  }
  return chain.slice(0, 2);
}

async function isWhole(chain: number[]): Promise<boolean> {
  const parents = await Promise.all(chain.slice(0, -1).map(parentOf));
  return parents.every((parent, i) => parent === chain[i + 1]);
}
