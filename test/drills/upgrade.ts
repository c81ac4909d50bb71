// The previous version and this one side by side under load: the database is migrated while the previous version runs.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { nextFreePort } from "../../server/appliance/embedded/ports.ts";
import type { NewTenant } from "../../server/identity/tenants/index.ts";
import { PROJECT_ROOT } from "../../server/platform/config/config.ts";
import { connect } from "../../server/platform/db/sql.ts";
import { temporaryDirectory } from "../support/directories.ts";
import { type Drill, describeStatuses, type Load, percentile, startLoad } from "../support/drill.ts";
import { followed, type StartedProcess } from "../support/process.ts";
import { startStack, withoutSettings } from "../support/stack.ts";
import { signIn, until } from "../world/api.ts";
import { startReceiver } from "../world/receiver.ts";

const LANES = 4;
const PHASE_MS = 10_000;
const PATIENCE_MS = 180_000;
/** One of so many events fails at its first attempt, so its workflow is continued later, by either version. */
const FAILING = 5;
/** Levels of the log from which a line is a fault. */
const ERROR_LEVEL = 50;
const DATABASE = "upgraded";

export const upgrade: Drill = {
  what: "the previous version and this one side by side under load; REF: a commit, by default the newest tag",
  async run(say, ref = newestTag()) {
    if (!ref) return { passed: false, summary: "there is no tag; name a commit: bun run drill upgrade REF" };
    const previous = checkOut(ref);
    if (previous instanceof Error) return { passed: false, summary: previous.message };
    await using stack = await startStack();
    await Promise.all([stack.parts.api.stop(), stack.parts.worker.stop()]);
    await using running = new AsyncDisposableStack();
    const address = new URL(stack.databaseUrl);
    address.pathname = `/${DATABASE}`;
    const admin = connect(stack.databaseUrl, "gatehouse drill", 1);
    await admin.unsafe(`create database ${DATABASE}`);
    await admin.end();
    const reserved = new Set<number>();
    const ports = [await nextFreePort(0, "127.0.0.1", reserved), await nextFreePort(0, "127.0.0.1", reserved)] as const;
    const env = {
      ...withoutSettings(process.env),
      ...{ DATABASE_URL: address.href, MASTER_KEY: stack.masterKey, TEMPORAL_ADDRESS: stack.temporalAddress },
      ...{ HOST: "127.0.0.1", PUBLIC_URL: `http://127.0.0.1:${ports[0]}`, WEBHOOK_RETRY_INITIAL_INTERVAL: "2s" },
      ...{ RATE_LIMIT: "100000", RATE_LIMIT_BURST: "100000", EGRESS_ALLOW: "127.0.0.0/8", LOG_FORMAT: "json" },
      EGRESS_CA_FILE: join(stack.dataDir, "receiver", "ca.pem"),
    };
    const command = (root: string, entry: string, ...args: string[]) => {
      const { success, stdout, stderr } = Bun.spawnSync([process.execPath, join(root, entry), ...args], {
        cwd: root,
        env,
      });
      if (!success) throw new Error(`${entry}: ${stdout}${stderr}`);
      return stdout.toString();
    };
    const processes: StartedProcess[] = [];
    const begin = async (root: string, entry: string, message: string, port: number) => {
      const child = Bun.spawn([process.execPath, join(root, entry)], {
        ...{ cwd: root, env: { ...env, PORT: String(port) } },
        ...{ stdin: "ignore", stdout: "pipe", stderr: "inherit" },
      });
      const started = running.use(followed(child));
      processes.push(started);
      await until(`"${message}"`, () => started.lines.some(({ msg }) => msg === message), PATIENCE_MS);
      return started;
    };
    const start = async (root: string, port: number) => [
      await begin(root, "server/serve.ts", "api ready", port),
      await begin(root, "activities/worker.ts", "worker ready", port),
    ];

    command(previous, "server/appliance/commands/migrate.ts");
    const tenant: NewTenant = JSON.parse(command(previous, "server/appliance/commands/tenant.ts", "create", "drill"));
    await using receiver = startReceiver(
      ({ count, payload }) => (count === 1 && Number(Bun.hash(payload.EventId)) % FAILING === 0 ? 503 : 200),
      { dataDir: stack.dataDir },
    );
    const old = await start(previous, ports[0]);
    const [oldUrl, newUrl] = ports.map((port) => `http://127.0.0.1:${port}`) as [string, string];
    const api = await signIn(oldUrl, tenant);
    await api.connect(receiver.url);
    const loads: Load[] = [startLoad(api, LANES, oldUrl)];
    await Bun.sleep(PHASE_MS / 2);
    say(`migrated under the previous version: ${command(PROJECT_ROOT, "server/appliance/commands/migrate.ts").trim()}`);
    await start(PROJECT_ROOT, ports[1]);
    loads.push(startLoad(api, LANES, newUrl));
    await Bun.sleep(PHASE_MS);
    for (const [index, load] of loads.entries()) say(`${index === 0 ? "previous" : "this"}: ${describeStatuses(load)}`);
    await loads[0]!.end();
    for (const process of old) process.signal("SIGTERM");
    await Promise.all(old.map(({ exited }) => exited));
    await Bun.sleep(PHASE_MS / 2);
    await loads[1]!.end();

    const changed = loads.reduce((sum, { statuses }) => sum + (statuses.get(200) ?? 0), 0);
    const refused = loads.flatMap(({ statuses }) => [...statuses].filter(([status]) => status !== 200));
    const arrived = () =>
      new Set(receiver.calls.filter(({ status }) => status === 200).map(({ payload }) => payload.EventId));
    await until("all to arrive", () => arrived().size >= changed, PATIENCE_MS).catch(() => {});
    const lost = changed - arrived().size;
    const retried = receiver.calls.filter(({ status }) => status === 503).length;
    const faults = processes.flatMap(({ lines }) => lines.filter(({ level }) => Number(level) >= ERROR_LEVEL));
    for (const { msg } of faults.slice(0, 5)) say(`fault: ${msg}`);
    const refusals = refused.reduce((sum, [, count]) => sum + count, 0);
    const p99 = loads.map(({ milliseconds }) => percentile(milliseconds, 0.99)).join(" and ");
    return {
      passed: lost === 0 && refusals === 0 && faults.length === 0 && retried > 0,
      summary:
        `${refusals} of ${changed + refusals} changes refused, p99 ${p99} ms; ${lost} lost; ` +
        `${retried} first attempts failed and were repeated; ${faults.length} faults in the logs`,
    };
  },
};

/** @returns undefined if there is none before this commit */
function newestTag(): string | undefined {
  const tag = Bun.spawnSync(["git", "describe", "--tags", "--abbrev=0", "HEAD^"], {
    cwd: PROJECT_ROOT,
    stderr: "ignore",
  });
  return tag.success ? tag.stdout.toString().trim() : undefined;
}

/** @returns a folder with the files of the commit and their packages */
function checkOut(ref: string): string | Error {
  const folder = join(temporaryDirectory("previous"), "gatehouse");
  mkdirSync(folder);
  const steps = [
    `git -C "${PROJECT_ROOT}" archive "$1" | tar -x -C "${folder}"`,
    `cd "${folder}" && "${process.execPath}" install --frozen-lockfile --silent`,
  ];
  const script = `set -e -o pipefail\n${steps.join("\n")}`;
  const { success, stderr } = Bun.spawnSync(["bash", "-c", script, "bash", ref]);
  return success ? folder : new Error(`${ref} cannot be checked out: ${stderr.toString().trim()}`);
}
