// `bun run tenant create NAME`, beside a running `start` and without one.

import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Demo } from "../../server/embedded/demo.ts";
import { closedPort } from "../egress/receiver.ts";
import { runEntry } from "../start/entry.ts";
import { signIn } from "../support/api.ts";
import { temporaryDirectory } from "../support/stack.ts";
import { setting } from "../support/tenant.ts";

const create = (name: string, dataDir: string) => runEntry("tenant", { DATA_DIR: dataDir }, ["create", name]);

test.concurrent("beside a running start it prints what demo.json holds, for a tenant that works", async () => {
  const dataDir = setting("GATEHOUSE_TEST_DATA_DIR");
  const name = `Tenant ${Bun.randomUUIDv7()}`;
  const { exitCode, printed } = await create(name, dataDir);
  expect(exitCode).toBe(0);

  const made = JSON.parse(printed) as Demo;
  const demo = JSON.parse(readFileSync(join(dataDir, "demo.json"), "utf8")) as Demo;
  expect(shapeOf(made)).toEqual(shapeOf(demo));
  const { tenantId, admin, client, ...addresses } = made;
  expect(addresses).toEqual({
    publicUrl: demo.publicUrl,
    temporalUi: demo.temporalUi,
    temporalAddress: demo.temporalAddress,
  });
  expect(tenantId).not.toBe(demo.tenantId);
  expect(admin.password).not.toBe(demo.admin.password);

  const api = await signIn(made.publicUrl, made);
  await api.change({ Name: "Front door" });
  expect((await api.newestEvent()).Payload.TenantId).toBe(tenantId);

  const again = await create(name, dataDir);
  expect(again.exitCode).toBe(1);
  expect(again.output.trim()).toBe(`There is a tenant named "${name}" already. Choose another name.`);
});

test.concurrent("without a running start it says so", async () => {
  const stopped = temporaryDirectory("stopped");
  const killed = temporaryDirectory("killed");
  const databaseUrl = `postgres://gatehouse:gone@127.0.0.1:${await closedPort()}/postgres`;
  writeFileSync(join(killed, "running.json"), JSON.stringify({ databaseUrl }));
  for (const dataDir of [stopped, killed]) {
    const { exitCode, output } = await create("Acme", dataDir);
    expect(exitCode).toBe(1);
    expect(output.trim()).toBe(
      `No Gatehouse runs in ${dataDir}. Leave \`bun run start\` running in another terminal, or set DATABASE_URL.`,
    );
  }
});

test.concurrent.each([
  [["create"], 2],
  [["create", "--name", "Acme"], 2],
  [["create", "-x"], 2],
  [["create", "--help"], 0],
])("%j is no name: it says how it is used", async (args, code) => {
  const { exitCode, output } = await runEntry("tenant", { DATA_DIR: setting("GATEHOUSE_TEST_DATA_DIR") }, args);
  expect(exitCode).toBe(code);
  expect(output).toStartWith("Usage: bun run tenant create NAME\n");
});

/** The names and their order, without the values. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value) || typeof value !== "object" || value === null) return typeof value;
  return Object.entries(value).map(([name, inner]) => [name, shapeOf(inner)]);
}
