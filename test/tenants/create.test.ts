// `bun run tenant create NAME`, with a running `start` and without one.

import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Demo } from "../../server/appliance/embedded/demo.ts";
import { temporaryDirectory } from "../support/directories.ts";
import { closedPort } from "../support/egress.ts";
import { runEntry } from "../support/entry.ts";
import { signIn } from "../world/api.ts";
import { rowsOf } from "../world/rows.ts";
import { setting } from "../world/tenant.ts";

const create = (name: string, dataDir: string) => runEntry("tenant", { DATA_DIR: dataDir }, ["create", name]);

test.concurrent("beside a running start it prints the contents of demo.json, for a working tenant", async () => {
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

test.concurrent.each([
  ["https://gate.example.com", [], []],
  ["https://gate.example.com", ["https://app.example.com/callback"], ["https://app.example.com/callback"]],
  ["http://localhost:3000", [], ["http://localhost:3001/callback"]],
])("with PUBLIC_URL %s and %j its client has the redirect URI %j", async (PUBLIC_URL, asked, redirectUris) => {
  const env = { DATABASE_URL: setting("GATEHOUSE_TEST_DATABASE_URL"), PUBLIC_URL };
  const { exitCode, printed } = await runEntry("tenant", env, ["create", `Tenant ${Bun.randomUUIDv7()}`, ...asked]);
  expect(exitCode).toBe(0);
  expect((JSON.parse(printed) as Demo).client.redirectUris).toEqual(redirectUris);
});

test.concurrent("an invalid redirect URI is reported, and no tenant is created", async () => {
  const env = { DATABASE_URL: setting("GATEHOUSE_TEST_DATABASE_URL") };
  const { exitCode, output } = await runEntry("tenant", env, ["create", "Acme", "http://app.example.com/callback"]);
  expect(exitCode).toBe(1);
  expect(output.trim()).toBe(
    "http://app.example.com/callback must begin with https://; http is only for 127.0.0.1, [::1] or localhost.",
  );
  expect(await rowsOf("tenants", { name: "Acme" })).toHaveLength(0);
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
])("%j is an invalid name: it prints the usage", async (args, code) => {
  const { exitCode, output } = await runEntry("tenant", { DATA_DIR: setting("GATEHOUSE_TEST_DATA_DIR") }, args);
  expect(exitCode).toBe(code);
  expect(output).toStartWith("Usage: bun run tenant create NAME [REDIRECT_URI ...]\n");
});

/** The names and their order, without the values. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value) || typeof value !== "object" || value === null) return typeof value;
  return Object.entries(value).map(([name, inner]) => [name, shapeOf(inner)]);
}
