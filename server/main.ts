// `bun run start`: Gatehouse on one machine. This process supervises; the API and the worker are separate processes.

import { relative } from "node:path";
import { createStatus, demoFile, Installation, type Running, watchLaunchers } from "./appliance/embedded/index.ts";
import { parseDatabaseUrl } from "./platform/db/address.ts";
import { createOutput, isText } from "./platform/output.ts";
import { endOnFault, exitCodeOf, refuseUsage } from "./platform/process.ts";

const USAGE = `Usage: bun run start [--allow-receiver] [--watch]

Starts PostgreSQL, Temporal, the worker and the API on this machine, and keeps their data in DATA_DIR (.gatehouse). On a terminal it shows their status and the last deliveries, and logs to DATA_DIR/logs; otherwise, or with LOG_FORMAT=json, it prints JSON lines. LOG_FORMAT=text prints text.

  --allow-receiver  webhooks may reach the example receiver at localhost:8443
  --watch restart the worker and the API when one of their files changes
  --help            this text

docs/configuration.md lists the environment variables.`;

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

await main(process.argv.slice(2));

async function main(args: string[]): Promise<void> {
  const status = createStatus(process.stdout);
  const output = createOutput(process.env, "start", status.say);
  endOnFault(output);
  const unknown = args.filter((arg) => !["--allow-receiver", "--watch", "--help"].includes(arg));
  if (unknown.length > 0) refuseUsage(output, `Unknown option ${unknown.join(" ")}\n\n${USAGE}`);
  if (args.includes("--help")) {
    console.log(USAGE);
    process.exit(0);
  }

  const began = performance.now();
  const stopping = new AbortController();
  const installation = new Installation({
    env: process.env,
    allowReceiver: args.includes("--allow-receiver"),
    watch: args.includes("--watch"),
    logToFile: isText(process.env, process.stdout),
    say: output.say,
    signal: stopping.signal,
  });
  onStopRequest((reason) => {
    status.end();
    output.say(`\n${reason}: stopping`);
    stopping.abort(new Error("stopped"));
    void installation.stop().then(() => {
      output.say("everything is stopped");
      process.exit(0);
    });
  });

  try {
    const running = await installation.start();
    const seconds = (performance.now() - began) / 1_000;
    output.say(table(running, seconds), addressesOf(running), `Gatehouse is ready after ${seconds.toFixed(1)} s`);
    const { localUrl, logFile } = running;
    const isDrawn = process.stdout.isTTY && process.env.TERM !== "dumb";
    if (logFile && isDrawn) status.show({ localUrl, logFile, logName: shortPath(logFile) });
    else if (logFile) output.say(`The log of the worker and the API is ${shortPath(logFile)}`);
  } catch (error) {
    if (stopping.signal.aborted) return;
    output.fail(`\n${(error as Error).message}`);
    await installation.stop();
    process.exit(exitCodeOf(error));
  }
}

/** Calls `stop` once. Ctrl-C arrives twice: from the terminal, and from `bun run`, which forwards it. */
function onStopRequest(stop: (reason: string) => void): void {
  let asked = false;
  const once = (reason: string) => {
    if (asked) return;
    asked = true;
    stop(reason);
  };
  for (const signal of SIGNALS) process.on(signal, () => once(signal));
  void watchLaunchers(process.env, () => once("the parent process has ended"));
}

function addressesOf({ config, publicUrl, temporalUi, temporalAddress, databaseUrl }: Running): object {
  const addresses = { settings: `${publicUrl}/settings`, openapi: `${publicUrl}/openapi`, temporalUi, temporalAddress };
  return { publicUrl, ...addresses, postgresql: parseDatabaseUrl(databaseUrl).place, demo: demoFile(config.dataDir) };
}

function table(running: Running, seconds: number): string {
  const { config, publicUrl, temporalUi, temporalAddress, databaseUrl, demoTenant } = running;
  const file = shortPath(demoFile(config.dataDir));
  const { place, options } = parseDatabaseUrl(databaseUrl);
  const rows = [
    ["Settings", `${publicUrl}/settings`],
    ["API", `${publicUrl}, described at ${publicUrl}/openapi`],
    ["Temporal UI", temporalUi],
    ["Temporal", `${temporalAddress}, namespace ${config.temporal.namespace}`],
    ["PostgreSQL", options.username ? `${place}, user ${options.username}` : place],
  ];
  const signIn =
    demoTenant === "unknown"
      ? "`bun run tenant create NAME` creates a tenant with an admin and a client."
      : `Sign in to Settings as admin (organisation demo). The password, and the client for API calls, are in\n` +
        `${file}. README.md has a tour; \`bun run tenant create NAME\` creates a second tenant.`;
  return [
    `\nGatehouse is ready after ${seconds.toFixed(1)} s.\n`,
    ...rows.map(([name, address]) => `  ${name?.padEnd(12)} ${address}`),
    `\n${signIn}\nCtrl-C stops everything.\n`,
  ].join("\n");
}

function shortPath(path: string): string {
  const short = relative(process.cwd(), path);
  return short.startsWith("..") ? path : short;
}
