// A free port may be taken before it is used.

import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { demoFile } from "../../server/appliance/embedded/demo.ts";
import { Part } from "../../server/appliance/embedded/part.ts";
import { nextFreePort } from "../../server/appliance/embedded/ports.ts";
import { temporalPart } from "../../server/appliance/embedded/temporal.ts";
import { findTemporal } from "../../server/appliance/embedded/temporal-binary.ts";
import { connect } from "../../server/platform/db/sql.ts";
import { newDataDirectory, temporaryDirectory } from "../support/directories.ts";
import { type Stack, startStack } from "../support/stack.ts";
import { signIn } from "../world/api.ts";
import { rowsOf } from "../world/rows.ts";
import { setting } from "../world/tenant.ts";

const LOOPBACK = "127.0.0.1";

test("two concurrent starts want the same ports, and each gets its own", async () => {
  const first = () => nextFreePort(0, LOOPBACK, new Set());
  const ports = { postgresql: await first(), temporal: await first(), temporalUi: await first() };
  const env = { PORT: undefined };
  const [one, other] = await Promise.all([startStack({ ports, env }), startStack({ ports, env })]);
  await using _one = one;
  await using _other = other;

  const addresses = (stack: Stack) => [stack.url, stack.temporalAddress, stack.temporalUi, databaseHost(stack)];
  expect(new Set([...addresses(one), ...addresses(other)]).size).toBe(8);
  for (const stack of [one, other]) {
    expect(await stack.readiness()).toMatchObject({ status: "ready" });
    expect(stack.demo).toMatchObject({ publicUrl: stack.publicUrl, temporalAddress: stack.temporalAddress });
    expect(await tenants(stack)).toEqual([stack.demo.tenantId]);
    // Each stack's own worker delivers its events.
    const api = await signIn(stack.url, stack.demo);
    await api.change({ Name: "Front door" });
    expect((await api.settledEvent()).EventType).toBe("Created");
  }
});

test("the API's port is taken at the last moment: the next one is used and reported", async () => {
  let thief: Bun.TCPSocketListener | undefined;
  const dataDir = newDataDirectory("stack");
  const stack = await startStack({
    dataDir,
    env: { PORT: undefined },
    say: (line) => {
      if (line.startsWith("worker ")) thief ??= listenAt(plannedPort(dataDir));
    },
  });
  await using _ = stack;
  expect(new URL(stack.url).port).not.toBe(String(thief!.port));
  expect(stack.said.join("\n")).toContain(`another process took port ${thief!.port} meanwhile; trying the next`);
  expect(stack.demo.publicUrl).toBe(stack.publicUrl);
  expect(new URL(stack.publicUrl).port).toBe(new URL(stack.url).port);
  expect(await stack.readiness()).toMatchObject({ status: "ready" });
  thief!.stop(true);
});

test("an explicit PORT that is taken at the last moment is an error", async () => {
  const port = await nextFreePort(0, LOOPBACK, new Set());
  let thief: Bun.TCPSocketListener | undefined;
  const starting = startStack({
    env: { PORT: String(port) },
    say: (line) => {
      if (line.startsWith("worker ")) thief ??= listenAt(port);
    },
  });
  await expect(starting).rejects.toThrow(`PORT is ${port}, which is already in use.`);
  thief!.stop(true);
});

test("another Temporal on the port is not used", async () => {
  const search = { env: process.env, say: () => {}, signal: new AbortController().signal };
  const binary = (await findTemporal(search)).path;
  const port = Number(new URL(`http://${setting("GATEHOUSE_TEST_TEMPORAL_ADDRESS")}`).port);
  const ui = { host: LOOPBACK, port: await nextFreePort(0, LOOPBACK, new Set()) };
  const dataDir = temporaryDirectory("temporal");
  const part = new Part(temporalPart({ dataDir, binary, port, ui, retention: 86_400_000, ...search }), () => {});
  await expect(part.start()).rejects.toThrow(/Temporal did not start: it stopped .*address already in use/s);
});

test("a Temporal that fails to start is restarted, and the reason is reported", async () => {
  const search = { env: process.env, say: () => {}, signal: new AbortController().signal };
  const { path } = await findTemporal(search);
  const dataDir = temporaryDirectory("temporal");
  // The real server after one crash, such as after a lost race for an internal port.
  const unlucky = join(dataDir, "temporal-unlucky");
  const script = [
    "#!/bin/sh",
    `[ -e ${dataDir}/died ] && exec ${path} "$@"`,
    `touch ${dataDir}/died`,
    'echo "panic: bad luck"; echo "goroutine 1 [running]:"; exit 2',
  ];
  writeFileSync(unlucky, `${script.join("\n")}\n`, { mode: 0o755 });
  const port = await nextFreePort(0, LOOPBACK, new Set());
  const ui = { host: LOOPBACK, port: await nextFreePort(0, LOOPBACK, new Set([port])) };
  const said: string[] = [];
  const say = (line: string) => void said.push(line);
  const part = new Part(
    temporalPart({ dataDir, binary: unlucky, port, ui, retention: 86_400_000, ...search, say }),
    say,
  );
  try {
    await part.start();
    expect(said).toHaveLength(1);
    expect(said[0]).toMatch(/^Temporal did not start: it stopped \(exit code 2\)\..*\n {4}panic: bad luck\n/);
    expect(said[0]).toEndWith("\nTemporal restarted");
  } finally {
    await part.stop();
  }
});

const databaseHost = (stack: Stack) => new URL(stack.databaseUrl).host;

async function tenants({ databaseUrl }: Stack): Promise<string[]> {
  const sql = connect(databaseUrl, "gatehouse test", 1);
  try {
    return (await rowsOf<{ id: string }>("tenants", {}, sql)).map(({ id }) => id);
  } finally {
    await sql.end();
  }
}

/** The port that this `start` has chosen for the API, but does not use yet. */
function plannedPort(dataDir: string): number {
  const { publicUrl } = JSON.parse(readFileSync(demoFile(dataDir), "utf8")) as { publicUrl: string };
  return Number(new URL(publicUrl).port);
}

function listenAt(port: number): Bun.TCPSocketListener {
  return Bun.listen({ hostname: LOOPBACK, port, socket: { data() {} } });
}
