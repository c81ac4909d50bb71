import { expect, test } from "bun:test";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { Connection } from "@temporalio/client";
import { temporaryDirectory } from "../support/directories.ts";
import { isGone, partsOf, readiness, StartCommand } from "./start-command.ts";

/** The default of TEMPORAL_RETENTION. */
const ONE_DAY = 24 * 3_600;

test("a first start brings up everything, a second one in the same place fails, a later one finds its data", async () => {
  await using first = new StartCommand(temporaryDirectory("start"));
  const url = await first.ready();
  const order = ["PostgreSQL ", "migrations ", "Temporal ", "demo tenant ", "worker ", "API "].map((name) =>
    first.output.indexOf(name),
  );
  expect(order).toEqual(order.toSorted((a, b) => a - b));
  expect((await readiness(url)).body).toMatchObject({ postgresql: "up", temporal: "up", worker: "up" });
  expect((await fetch(first.address("Temporal UI"))).status).toBe(200);
  expect(await (await fetch(first.address("Settings"))).text()).toContain("<h1>Sign in</h1>");

  const demo = readDemo(first.dataDir);
  expect(demo.publicUrl).toBe(url);
  expect(demo.temporalUi).toBe(first.address("Temporal UI"));
  expect(demo.temporalAddress).toBe(first.address("Temporal"));
  expect(first.output).not.toContain(demo.admin.password);
  expect(first.output).not.toContain(demo.client.clientSecret);
  for (const name of ["demo.json", "master.key", "postgres.password"]) {
    expect(statSync(join(first.dataDir, name)).mode & 0o777).toBe(0o600);
  }
  // Before the first token was issued.
  expect((await (await fetch(`${url}/.well-known/jwks.json`)).json()).keys).not.toBeEmpty();
  expect(await retention(first.address("Temporal"))).toBe(ONE_DAY);
  expect(await hasToken(url, demo.client)).toBe(true);

  await using rival = new StartCommand(first.dataDir);
  expect(await rival.ended()).toBe(1);
  expect(rival.output).toContain(`Gatehouse is already running in ${first.dataDir} (process ${first.pid}, ${url})`);

  const parts = Object.values(await partsOf(first.dataDir, first.pid)).map((part) => part!);
  expect(parts).toHaveLength(4);
  expect(await first.stop()).toBe(0);
  for (const part of parts) expect(await isGone(part)).toBe(true);

  await using second = new StartCommand(first.dataDir);
  const secondUrl = await second.ready();
  expect(second.output).toContain("with its data");
  expect(readDemo(first.dataDir)).toEqual({
    ...demo,
    publicUrl: secondUrl,
    temporalUi: second.address("Temporal UI"),
    temporalAddress: second.address("Temporal"),
  });
  expect(await hasToken(secondUrl, demo.client)).toBe(true);
});

test("Ctrl-C during a start stops the parts already started", async () => {
  await using start = new StartCommand(temporaryDirectory("start"));
  await start.prints("migrations ");
  const parts = Object.values(await partsOf(start.dataDir, start.pid)).filter((part) => part !== undefined);
  expect(parts.length).toBeGreaterThan(0);
  start.signal("SIGINT");
  expect(await start.ended()).toBe(0);
  for (const part of parts) expect(await isGone(part)).toBe(true);
});

interface DemoClient {
  clientId: string;
  clientSecret: string;
}

function readDemo(dataDir: string) {
  return JSON.parse(readFileSync(join(dataDir, "demo.json"), "utf8")) as {
    publicUrl: string;
    temporalUi: string;
    temporalAddress: string;
    admin: { password: string };
    client: DemoClient;
  };
}

async function hasToken(url: string, { clientId, clientSecret }: DemoClient): Promise<boolean> {
  const answer = await fetch(`${url}/oAuth/rest/v2/Token`, {
    method: "POST",
    body: new URLSearchParams({ grant_type: "client_credentials", client_id: clientId, client_secret: clientSecret }),
  });
  return answer.ok && "access_token" in ((await answer.json()) as object);
}

async function retention(address: string): Promise<number> {
  const connection = await Connection.connect({ address });
  const { config } = await connection.workflowService.describeNamespace({ namespace: "default" });
  await connection.close();
  return Number(config?.workflowExecutionRetentionTtl?.seconds);
}
