// The cost of one change on this machine: the warm start, memory at rest, the time from the request to the receiver's
// first byte, and CPU per change of the API and the worker. Starts its own service in a new folder.
//
//   bun run bench

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { allocated, childrenOf, cpuSeconds, describeProcess, residentMiB } from "./processes.ts";

const RATES = [10, 30, 50];
const SECONDS_PER_RATE = 10;
const READY_TIMEOUT_MS = 600_000;
const RECEIVER_PORT = 8443;
const ROOT = join(import.meta.dir, "..");

const dataDir = await mkdtemp(join(tmpdir(), "gatehouse-bench-"));
try {
  const cold = await startService();
  console.log(`first start to /readyz   ${(cold.readyMs / 1000).toFixed(1)} s (Temporal server in the cache)`);
  await stop(cold.process);
  const warm = await startService();
  console.log(`second start to /readyz  ${(warm.readyMs / 1000).toFixed(1)} s`);
  try {
    await measure(warm.process.pid);
  } finally {
    await stop(warm.process);
  }
} finally {
  await rm(dataDir, { recursive: true, force: true });
}

async function startService() {
  const startedAt = performance.now();
  const child = Bun.spawn([process.execPath, "run", join(ROOT, "server/main.ts"), "--allow-receiver"], {
    env: { ...process.env, DATA_DIR: dataDir, LOG_LEVEL: "warn" },
    stdout: Bun.file(join(dataDir, "start.log")),
    stderr: "inherit",
  });
  while (performance.now() - startedAt < READY_TIMEOUT_MS) {
    if (child.exitCode !== null) throw new Error(`start ended with ${child.exitCode}`);
    if (await isReady()) return { process: child, readyMs: performance.now() - startedAt };
    await Bun.sleep(50);
  }
  throw new Error("the service did not become ready");
}

async function isReady(): Promise<boolean> {
  try {
    const { publicUrl } = await demo();
    const answer = await fetch(`${publicUrl}/readyz`);
    return ((await answer.json()) as { status: string }).status === "ready";
  } catch {
    return false;
  }
}

async function stop(child: Bun.Subprocess): Promise<void> {
  const startedAt = performance.now();
  child.kill("SIGTERM");
  await child.exited;
  console.log(`stopped in               ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
}

async function demo(): Promise<{ publicUrl: string; client: { clientId: string; clientSecret: string } }> {
  return Bun.file(join(dataDir, "demo.json")).json();
}

async function measure(supervisor: number): Promise<void> {
  const { publicUrl, client } = await demo();
  const parts = await childrenOf(supervisor);
  await Bun.sleep(3_000);
  console.log("\nmemory at rest (resident, and without shared pages)");
  let total = 0;
  for (const pid of [supervisor, ...parts]) {
    const own = await allocated(pid);
    total += own;
    const name = await describeProcess(pid);
    console.log(`  ${name.padEnd(40)} ${(await residentMiB(pid)).toFixed(0)} MiB  ${own.toFixed(0)} MiB`);
  }
  console.log(`  ${"together".padEnd(40)} ${total.toFixed(0)} MiB`);

  const arrivals = new Map<string, number>();
  const receiver = Bun.serve({
    port: RECEIVER_PORT,
    hostname: "localhost",
    tls: {
      cert: Bun.file(join(dataDir, "receiver/cert.pem")),
      key: Bun.file(join(dataDir, "receiver/key.pem")),
    },
    async fetch(request) {
      const at = performance.now();
      const { Data } = (await request.json()) as { Data: { ExternalId: string } };
      arrivals.set(Data.ExternalId, at);
      return new Response("ok");
    },
  });
  try {
    const call = await authorizedCaller(publicUrl, client);
    await call("WebhookConnection", {
      Name: "bench",
      URL: `https://localhost:${RECEIVER_PORT}/`,
      Entities: ["Application"],
      Events: ["Created"],
      Secret: "bench",
    });
    await burst(call, arrivals, 10, 3, []);
    console.log("\nrequest to receiver, and CPU per change");
    for (const rate of RATES) await burst(call, arrivals, rate, SECONDS_PER_RATE, parts);
  } finally {
    await receiver.stop(true);
  }
}

type Call = (path: string, body: unknown) => Promise<void>;

async function authorizedCaller(publicUrl: string, client: { clientId: string; clientSecret: string }): Promise<Call> {
  const answer = await fetch(`${publicUrl}/oAuth/rest/v2/Token`, {
    method: "POST",
    body: new URLSearchParams({
      grant_type: "client_credentials",
      client_id: client.clientId,
      client_secret: client.clientSecret,
      scope: "*",
    }),
  });
  const { access_token: token } = (await answer.json()) as { access_token: string };
  return async (path, body) => {
    const response = await fetch(`${publicUrl}/Endpoint/rest/api/v1/${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
    await response.arrayBuffer();
  };
}

/** Sends changes at a fixed rate, without waiting for answers. */
async function burst(call: Call, arrivals: Map<string, number>, rate: number, seconds: number, parts: number[]) {
  const before = await Promise.all(parts.map(cpuSeconds));
  const sent = new Map<string, number>();
  const committed = new Map<string, number>();
  const pending: Promise<void>[] = [];
  const startedAt = performance.now();
  for (let index = 0; index < rate * seconds; index++) {
    await Bun.sleep(Math.max(0, startedAt + (index * 1000) / rate - performance.now()));
    const id = Bun.randomUUIDv7();
    sent.set(id, performance.now());
    pending.push(call("Application", { ExternalId: id }).then(() => void committed.set(id, performance.now())));
  }
  await Promise.all(pending);
  const deadline = performance.now() + 30_000;
  while ([...sent.keys()].some((id) => !arrivals.has(id)) && performance.now() < deadline) await Bun.sleep(20);
  const lost = [...sent.keys()].filter((id) => !arrivals.has(id)).length;
  if (parts.length === 0) return;

  const after = await Promise.all(parts.map(cpuSeconds));
  const fromRequest = spread([...sent].map(([id, at]) => (arrivals.get(id) ?? Number.NaN) - at));
  const fromAnswer = spread([...committed].map(([id, at]) => (arrivals.get(id) ?? Number.NaN) - at));
  console.log(`  ${rate}/s: request to receiver ${fromRequest}; answer to receiver ${fromAnswer}; missing ${lost}`);
  for (const [index, pid] of parts.entries()) {
    const perChange = ((after[index]! - before[index]!) * 1000) / sent.size;
    console.log(`    ${(await describeProcess(pid)).padEnd(40)} ${perChange.toFixed(1)} ms CPU per change`);
  }
}

function spread(values: number[]): string {
  const sorted = values.filter((value) => !Number.isNaN(value)).sort((a, b) => a - b);
  const at = (share: number) =>
    (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN).toFixed(0);
  return `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`;
}
