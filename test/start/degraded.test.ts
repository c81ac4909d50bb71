// If deliveries cannot begin, changes are still accepted, and /readyz has the reason.

import { expect, test } from "bun:test";
import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { Client, Connection } from "@temporalio/client";
import { newMasterKey } from "../../server/appliance/embedded/data-directory.ts";
import { nextFreePort } from "../../server/appliance/embedded/ports.ts";
import { findTemporal } from "../../server/appliance/embedded/temporal-binary.ts";
import type { Readiness } from "../../server/platform/http/health.ts";
import { prepareDatabase } from "../../server/platform/process.ts";
import { SEARCH_ATTRIBUTES } from "../../workflows/contract.ts";
import { temporaryDirectory } from "../support/directories.ts";
import { newEmptyDatabase } from "../support/empty-database.ts";
import { newNamespace } from "../support/namespace.ts";
import { session } from "../support/postgresql.ts";
import { startPrivateApp } from "../support/private-app.ts";
import { startProcess } from "../support/process.ts";
import { startStack } from "../support/stack.ts";
import { until } from "../world/api.ts";
import { startReceiver } from "../world/receiver.ts";
import { expire } from "../world/rows.ts";
import { newTenant, setting } from "../world/tenant.ts";

/** Blocks of 512 bytes: the initial size of Temporal's store, and little more. */
const STORE_BLOCKS = 10_240;

test("a namespace without the search attributes is reported by API and worker until they exist", async () => {
  await using database = await newEmptyDatabase();
  await using namespace = await newNamespace();
  await prepareDatabase(database.url);
  const reserved = new Set<number>();
  const [port, workerPort] = [
    await nextFreePort(0, "127.0.0.1", reserved),
    await nextFreePort(0, "127.0.0.1", reserved),
  ];
  const dataDir = setting("GATEHOUSE_TEST_DATA_DIR");
  const env = {
    DATABASE_URL: database.url,
    MASTER_KEY: newMasterKey(),
    PORT: String(port),
    WORKER_PORT: String(workerPort),
    TEMPORAL_ADDRESS: setting("GATEHOUSE_TEST_TEMPORAL_ADDRESS"),
    TEMPORAL_NAMESPACE: namespace.name,
    EGRESS_ALLOW: "127.0.0.0/8",
    EGRESS_CA_FILE: `${dataDir}/receiver/ca.pem`,
  };
  await using _worker = startProcess("activities/worker.ts", env);
  await using api = startProcess("server/serve.ts", env);
  await api.said((message) => message === "api ready");
  await using receiver = startReceiver(200, { dataDir });
  const url = `http://127.0.0.1:${port}`;
  const client = await newTenant({ url, databaseUrl: database.url });
  await client.connect(receiver.url);
  await client.change({ Name: "Gate" });

  for (const place of [url, `http://127.0.0.1:${workerPort}`]) {
    const { status } = await until("/readyz to say why", async () => {
      const readiness = await readyz(place);
      return readiness.reasons.some((reason) => reason.includes("lacks a search attribute")) && readiness;
    });
    expect([place, status]).toEqual([place, "degraded"]);
  }
  await namespace.addSearchAttributes({ ...SEARCH_ATTRIBUTES, TenantId: "INT" });
  const wrongType =
    "Temporal's namespace has the search attribute TenantId of type Int, which Gatehouse needs with another type.";
  const hasReason = async () => (await readyz(url)).reasons.includes(`Deliveries cannot start: ${wrongType}`);
  await until("/readyz to name the attribute of a different type", hasReason, 60_000);
  const { operatorService } = await Connection.connect({ address: env.TEMPORAL_ADDRESS });
  await operatorService.removeSearchAttributes({ namespace: namespace.name, searchAttributes: ["TenantId"] });
  await namespace.addSearchAttributes({ TenantId: "KEYWORD" });
  await until("the delivery", () => receiver.calls.length === 1, 60_000);
  await until("/readyz to be ready", async () => (await readyz(url)).status === "ready");
  expect(await readyz(`http://127.0.0.1:${workerPort}`)).toMatchObject({ status: "ready", reasons: [] });
  const nothing = await fetch(`http://127.0.0.1:${workerPort}/Endpoint`);
  expect([nothing.status, (await fetch(`http://127.0.0.1:${workerPort}/healthz`)).status]).toEqual([404, 200]);
});

test("statements that PostgreSQL rejects are reported until it accepts them, and nothing is lost", async () => {
  await using stack = await startStack();
  await using database = session(stack.databaseUrl);
  await using receiver = startReceiver(200);
  const api = await newTenant(stack);
  await api.connect(receiver.url);
  await database`alter table deliveries_open drop constraint deliveries_open_id`;
  await database`create publication everything for all tables`;
  await api.change({ Name: "Gate" });
  const reason = await until("/readyz to say why", async () =>
    (await readyz(stack.url)).reasons.find((each) => each.startsWith("Deliveries wait: PostgreSQL rejects statements")),
  );
  expect(reason).toContain("deliveries_open");
  expect((await readyz(stack.url)).status).toBe("degraded");
  await database`alter table deliveries_open add primary key (id)`;
  await until("the delivery", () => receiver.calls.length === 1, 60_000);
  await until("/readyz to be ready", async () => (await readyz(stack.url)).status === "ready", 90_000);
});

test("a full Temporal store is reported, and changes are still accepted", async () => {
  const folder = join(temporaryDirectory("limited"), "bin");
  mkdirSync(folder);
  const { path } = await findTemporal({ env: process.env, say: () => {}, signal: AbortSignal.timeout(60_000) });
  const limited = join(folder, "temporal");
  await Bun.write(limited, `#!/bin/sh\nulimit -f ${STORE_BLOCKS}\nexec "${path}" "$@"\n`);
  chmodSync(limited, 0o755);
  await using stack = await startStack({ env: { PATH: `${folder}:${process.env.PATH}` } });
  const client = new Client({ connection: await Connection.connect({ address: stack.temporalAddress }) });
  const fill = () =>
    client.workflow.start("filling", {
      taskQueue: "nobody's",
      workflowId: Bun.randomUUIDv7(),
      args: ["x".repeat(400_000)],
    });
  await until(
    "it to be full",
    () =>
      fill().then(
        () => false,
        () => true,
      ),
    120_000,
  );
  await client.connection.close();
  const api = await newTenant(stack);
  await api.change({ Name: "Gate" });
  const readiness = await until(
    "/readyz to say why",
    async () => {
      const { status, reasons } = await readyz(stack.url);
      return reasons.some((reason) => reason.includes("Temporal cannot write to its store")) && status;
    },
    120_000,
  );
  expect(readiness).toBe("degraded");
  await api.change({ Name: "Door" });
  expect((await api.events()).Items).toHaveLength(2);
});

test("a delivery waiting over 60 s for its workflow is reported", async () => {
  await using database = await newEmptyDatabase();
  await prepareDatabase(database.url);
  await using app = startPrivateApp({}, "silent", { databaseUrl: database.url });
  const client = await newTenant({ url: app.url, databaseUrl: database.url });
  const told = async () => (await readyz(app.url)).reasons.filter((reason) => reason.includes("has waited"));
  await client.change({ Name: "Gate" });
  expect(await told()).toEqual([]);
  await expire("dispatches", {}, "created_on", "61 seconds", database.sql);
  expect(await told()).toEqual([expect.stringMatching(/^The oldest delivery has waited 6\d s for its workflow\.$/)]);
  expect((await readyz(app.url)).status).toBe("degraded");
});

async function readyz(url: string): Promise<Readiness> {
  const answer = await fetch(`${url}/readyz`).catch(() => undefined);
  return (answer ? await answer.json() : { status: "unavailable", reasons: [] }) as Readiness;
}
