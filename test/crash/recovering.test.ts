// Processes that start while PostgreSQL recovers: a real one, which stays in recovery until it is promoted.

import { expect, test } from "bun:test";
import { appendFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { newMasterKey } from "../../server/appliance/embedded/data-directory.ts";
import { Part } from "../../server/appliance/embedded/part.ts";
import { nextFreePort } from "../../server/appliance/embedded/ports.ts";
import { preparePostgresql } from "../../server/appliance/embedded/postgresql.ts";
import { prepareDatabase } from "../../server/platform/process.ts";
import { newDataDirectory } from "../support/directories.ts";
import { startProcess } from "../support/process.ts";
import { until } from "../world/api.ts";

test("an API started while PostgreSQL recovers answers 503, and serves once PostgreSQL does", async () => {
  const [port, apiPort, workerPort] = await threePorts();
  const dataDir = newDataDirectory("recovering");
  const { signal } = new AbortController();
  const prepared = await preparePostgresql({ dataDir, say: () => {}, signal });
  const databaseUrl = prepared.url(port);
  const first = new Part(prepared.part(port), () => {});
  await first.start();
  await prepareDatabase(databaseUrl);
  await first.stop();

  // Such a standby answers all connections with 57P03.
  const cluster = realpathSync(join(dataDir, "postgres"));
  writeFileSync(join(cluster, "standby.signal"), "");
  appendFileSync(join(cluster, "postgresql.auto.conf"), "hot_standby = off\n");
  const standby = await prepared.part(port).spawn();
  const env = { DATABASE_URL: databaseUrl, MASTER_KEY: newMasterKey(), PORT: String(apiPort) };
  const url = `http://127.0.0.1:${apiPort}`;
  await using api = startProcess("server/serve.ts", env);
  await using worker = startProcess("activities/worker.ts", { ...env, WORKER_PORT: String(workerPort) });
  let back: Part | undefined;
  try {
    await api.said((msg) => msg.includes("not accepting connections") && msg.includes("retrying"));
    await worker.said((msg) => msg.includes("not accepting connections") && msg.includes("retrying"));
    for (const path of ["/Endpoint/rest/api/v1/Application", "/oAuth/rest/v2/Token", "/oauth2/token", "/settings"]) {
      const answer = await fetch(url + path, { method: path.endsWith("oken") ? "POST" : "GET" });
      expect([path, answer.status, answer.headers.get("retry-after")]).toEqual([path, 503, "2"]);
      const body = (await answer.json()) as Record<string, unknown>;
      if (path === "/oauth2/token") expect(body.error).toBe("temporarily_unavailable");
      else expect(body).toMatchObject({ StatusCode: 503, Type: "/Errors/Service Unavailable" });
    }
    expect(await health(url)).toEqual([200, 503, "unavailable"]);
    expect(await health(`http://127.0.0.1:${workerPort}`)).toEqual([200, 503, "unavailable"]);

    standby.kill("SIGINT");
    await standby.exited;
    rmSync(join(cluster, "standby.signal"));
    back = new Part(prepared.part(port), () => {});
    await back.start();
    await until("the API to serve", async () => (await fetch(`${url}/readyz`)).status === 200);
    expect((await fetch(`${url}/oauth2/token`, { method: "POST" })).status).toBe(400);
    expect([api.exitCode, worker.exitCode]).toEqual([null, null]);
  } finally {
    standby.kill("SIGKILL");
    await back?.stop();
  }
});

async function threePorts(): Promise<[number, number, number]> {
  const reserved = new Set<number>();
  const next = () => nextFreePort(0, "127.0.0.1", reserved);
  return [await next(), await next(), await next()];
}

/** The codes of /healthz and /readyz, and the latter's text. */
async function health(url: string): Promise<[number, number, string]> {
  const alive = await fetch(`${url}/healthz`);
  const ready = await fetch(`${url}/readyz`);
  return [alive.status, ready.status, ((await ready.json()) as { status: string }).status];
}
