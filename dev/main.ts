// `bun run dev [--seed]`: `bun run start` for development. The worker and the API restart when their files change, the
// example receiver runs too, and the log is readable. --seed adds users, applications and a week of deliveries to the
// demo tenant.

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import pretty from "pino-pretty";
import type { Demo } from "../server/appliance/embedded/demo.ts";
import { PROJECT_ROOT } from "../server/platform/config/config.ts";
import { serveAccounts } from "./accounts.ts";
import { seed } from "./seed.ts";

const READY = "Gatehouse is ready";

const args = process.argv.slice(2);
const unknown = args.find((arg) => arg !== "--seed");
if (unknown) {
  console.error(`Unknown option ${unknown}. Usage: bun run dev [--seed]`);
  process.exit(2);
}

const SAID = ["part", "method", "route", "status", "durationMs"];
const lines = pretty({
  colorize: process.stdout.isTTY === true,
  ignore: ["pid", "hostname", "requestKey", "traceId", "tenantId", ...SAID].join(","),
  messageFormat: "{part} {msg}{if route} {method} {route} {status}, {durationMs} ms{end}",
  singleLine: true,
  translateTime: "SYS:HH:MM:ss",
});
const start = run(["server/main.ts", "--allow-receiver", "--watch"], "pipe");
// Some calls fail, so the demo shows retries.
const receiver = run(["examples/receiver/main.ts", "--fail", "10%"], "ignore");
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => start.kill(signal));

let rest = "";
for await (const chunk of start.stdout!.pipeThrough(new TextDecoderStream())) {
  const parts = (rest + chunk).split("\n");
  rest = parts.pop()!;
  for (const line of parts) {
    lines.write(`${line}\n`);
    if (line.includes(READY)) void begin(line);
  }
}
receiver.kill();
process.exit(await start.exited);

function run(command: string[], stdout: "pipe" | "ignore") {
  return Bun.spawn([process.execPath, ...command], {
    cwd: PROJECT_ROOT,
    env: { ...process.env, LOG_FORMAT: "json" },
    // A separate process group, so Ctrl-C is delivered once, by this process.
    detached: true,
    stdin: "ignore",
    stdout,
    stderr: "inherit",
  }) as Bun.Subprocess<"ignore", "pipe", "inherit">;
}

/** @param ready the log line that contains the addresses */
async function begin(ready: string): Promise<void> {
  try {
    const { demo: file } = JSON.parse(ready) as { demo: string };
    const demo = JSON.parse(readFileSync(resolve(PROJECT_ROOT, file), "utf8")) as Demo;
    if (args.includes("--seed")) await seed(demo, console.log);
    console.log(`Accounts      ${serveAccounts(demo)}`);
  } catch (error) {
    console.error(error);
  }
}
