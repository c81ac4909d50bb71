// SIGTERM to an API with a request in progress, which waits for a lock that the test holds.

import { expect, test } from "bun:test";
import { type StartedProcess, startProcess } from "../support/process.ts";
import { API, until } from "../world/api.ts";
import { holdRows, waitingFor } from "../world/locks.ts";
import { newTenant, setting, shared } from "../world/tenant.ts";

const RECORDS = 1_000;

test("a PATCH of 1,000 records during SIGTERM is answered: /readyz says 503 first, the port closes last", async () => {
  await using api = await startApi({ SHUTDOWN_GRACE: "10m" });
  const { patching, release } = await patchBehindLock(api);
  api.signal("SIGTERM");

  const stopping = await until("/readyz to say so", async () => {
    const answer = await fetch(`${api.url}/readyz`);
    return answer.status === 503 && answer;
  });
  expect(await stopping.json()).toMatchObject({
    status: "unavailable",
    reasons: expect.arrayContaining(["The process is stopping."]),
  });
  // Requests before the port is closed are answered, with Connection: close.
  const late = await fetch(`${api.url}/healthz`);
  expect([late.status, late.headers.get("connection")]).toEqual([200, "close"]);

  await release();
  const answer = await patching;
  expect(answer.status).toBe(200);
  expect(await answer.json()).toHaveLength(RECORDS);
  expect(await api.exited).toBe(0);
});

test("a request longer than SHUTDOWN_GRACE is aborted and writes nothing", async () => {
  await using api = await startApi({ SHUTDOWN_GRACE: "200ms" });
  const { patching, release, name, caller } = await patchBehindLock(api);
  api.signal("SIGTERM");
  expect(await api.exited).toBe(0);
  expect(await patching.catch((error: Error) => error)).toBeInstanceOf(Error);
  await release();
  const { body } = await caller.get(`/Application?Name=${encodeURIComponent(name)}`);
  expect(body.Items).toMatchObject([{ Description: "" }]);
});

test("/readyz says 503 for SHUTDOWN_DELAY while requests are answered as before", async () => {
  await using api = await startApi({ SHUTDOWN_DELAY: "1440m" });
  const caller = await newTenant();
  const get = () => fetch(`${api.url}${API}/Application`, { headers: { authorization: `Bearer ${caller.token}` } });
  api.signal("SIGTERM");
  await until("/readyz to say so", async () => (await fetch(`${api.url}/readyz`)).status === 503);
  expect((await get()).status).toBe(200);
  api.signal("SIGKILL");
});

async function startApi(env: Record<string, string>): Promise<StartedProcess & { url: string }> {
  const { databaseUrl, url } = shared();
  const api = startProcess("server/serve.ts", {
    DATABASE_URL: databaseUrl,
    MASTER_KEY: setting("GATEHOUSE_TEST_MASTER_KEY"),
    // The issuer of the tokens.
    PUBLIC_URL: `http://localhost:${new URL(url).port}`,
    PORT: "0",
    ...env,
  });
  const { port } = await api.said((message) => message === "api ready");
  return Object.assign(api, { url: `http://127.0.0.1:${port}` });
}

/** Sends an array with one locked record, and waits until it blocks. */
async function patchBehindLock(api: { url: string }) {
  const caller = await newTenant();
  const names = Array.from({ length: RECORDS }, (_, index) => `record ${index}`);
  const { Id } = await caller.made("Application", { Name: names[0] });
  const lock = await holdRows("applications", { id: Id });
  const patching = fetch(`${api.url}${API}/Application`, {
    method: "PATCH",
    headers: { authorization: `Bearer ${caller.token}`, "content-type": "application/json" },
    body: JSON.stringify(names.map((Name) => ({ Name, Description: "new" }))),
  });
  patching.catch(() => {});
  await until("the request to wait for it", async () => (await waitingFor(lock)).length > 0);
  return {
    patching,
    caller,
    name: names[0]!,
    release: lock.release,
  };
}
