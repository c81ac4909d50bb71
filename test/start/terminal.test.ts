// `start` on a terminal: a status line below its output, and a log in a file.

import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { newMasterKey, readRunning } from "../../server/appliance/embedded/data-directory.ts";
import { PROJECT_ROOT } from "../../server/platform/config/config.ts";
import { temporaryDirectory } from "../support/directories.ts";
import { newEmptyDatabase } from "../support/empty-database.ts";
import { newNamespace } from "../support/namespace.ts";
import { withoutSettings } from "../support/stack.ts";
import { until } from "../world/api.ts";
import { connected } from "../world/receiver.ts";
import { newTenant, setting } from "../world/tenant.ts";

const COLUMNS = 100;

test("shows its parts and the last deliveries, and Ctrl-C leaves that readable", async () => {
  await using place = await newPlace();
  await using start = startOnTerminal(place.env);
  await until("the status", () => start.screen().includes("No deliveries yet"));
  expect(start.screen()).toContain("  PostgreSQL up   Temporal up   worker up   API up\n");
  expect(start.screen()).toContain("\nCtrl-C stops everything.\n");
  expect(start.output()).not.toContain('{"level"');
  const log = join(place.env.DATA_DIR!, "logs", "gatehouse.log");
  expect(readFileSync(log, "utf8")).toContain('"msg":"api ready"');

  const api = await newTenant({
    url: readRunning(place.env.DATA_DIR!)!.publicUrl,
    databaseUrl: place.env.DATABASE_URL!,
  });
  await using _ = await connected(api, [503, 200]);
  const { EventId } = await api.settledChange({ Name: "Gate" });
  const lines = ["Delivered  attempt 2  localhost answered 200", "Retrying   attempt 1  localhost answered 503"];
  const shown = lines.map((line) => `  \\d\\d:\\d\\d:\\d\\d  ${line}  event ${EventId}\n`).join("");
  await until("the delivery", () => new RegExp(`\n  Last deliveries\n${shown}$`).test(start.screen()));
  expect(start.screen().match(/PostgreSQL up/g)).toHaveLength(1);
  const [, status] = start.screen().split("Ctrl-C stops everything.\n");
  for (const line of status!.split("\n")) expect(line.length).toBeLessThanOrEqual(COLUMNS);

  start.type("\x03");
  expect(await start.ended()).toBe(0);
  expect(start.screen()).toContain(`event ${EventId}\n`);
  expect(start.screen()).toEndWith("SIGINT: stopping\neverything is stopped\n");
});

test("prints JSON lines instead with LOG_FORMAT=json", async () => {
  await using place = await newPlace();
  await using start = startOnTerminal({ ...place.env, LOG_FORMAT: "json" });
  await until("it to be ready", () => start.output().includes('"msg":"Gatehouse is ready after '));
  start.type("\x03");
  expect(await start.ended()).toBe(0);
  const lines = start
    .output()
    .replace("^C", "")
    .trim()
    .split("\r\n")
    .map((line) => JSON.parse(line));
  expect(lines).toContainEqual(expect.objectContaining({ part: "api", msg: "api ready" }));
  expect(lines).toContainEqual(
    expect.objectContaining({ part: "start", settings: expect.stringContaining("/settings") }),
  );
  expect(lines.at(-1)).toMatchObject({ part: "start", msg: "everything is stopped" });
  expect(existsSync(join(place.env.DATA_DIR!, "logs", "gatehouse.log"))).toBe(false);
});

/** Its own database and namespace, on the shared servers. */
async function newPlace() {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await newEmptyDatabase());
  const namespace = stack.use(await newNamespace());
  await namespace.addSearchAttributes();
  const env: Record<string, string | undefined> = {
    ...withoutSettings(process.env),
    DATA_DIR: temporaryDirectory("start"),
    DATABASE_URL: database.url,
    MASTER_KEY: newMasterKey(),
    TEMPORAL_ADDRESS: setting("GATEHOUSE_TEST_TEMPORAL_ADDRESS"),
    TEMPORAL_NAMESPACE: namespace.name,
    EGRESS_ALLOW: "127.0.0.0/8,::1/128",
    EGRESS_CA_FILE: join(setting("GATEHOUSE_TEST_DATA_DIR"), "receiver", "ca.pem"),
    WEBHOOK_RETRY_INITIAL_INTERVAL: "200ms",
    NO_COLOR: "1",
    TERM: "xterm",
  };
  const kept = stack.move();
  return { env, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

function startOnTerminal(env: Record<string, string | undefined>) {
  let output = "";
  const decoder = new TextDecoder();
  const command = Bun.spawn([process.execPath, join(PROJECT_ROOT, "server", "main.ts")], {
    cwd: PROJECT_ROOT,
    env,
    terminal: {
      cols: COLUMNS,
      rows: 50,
      data: (_, bytes) => {
        output += decoder.decode(bytes, { stream: true });
      },
    },
  });
  return {
    output: () => output,
    screen: () => drawn(output),
    type: (keys: string) => command.terminal!.write(keys),
    ended: () => command.exited,
    async [Symbol.asyncDispose]() {
      if (command.exitCode === null) command.kill("SIGTERM");
      await command.exited;
      command.terminal!.close();
    },
  };
}

/** The content of a terminal of any height after all output. */
function drawn(output: string): string {
  const lines = [""];
  let row = 0;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal is controlled by them
  for (const [, up, text, end] of output.matchAll(/\x1b\[(\d+)A\x1b\[J|([^\x1b\r\n]+)|(\r?\n)/g)) {
    if (up) {
      row -= Number(up);
      lines.length = row + 1;
      lines[row] = "";
    } else if (end) {
      row++;
      lines[row] ??= "";
    } else lines[row] = `${lines[row]}${text}`;
  }
  return lines.join("\n");
}
