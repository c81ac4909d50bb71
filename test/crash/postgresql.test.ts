import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { makeChanges, settleLedger, untilLogSaysDelivered } from "../support/ledger.ts";
import { type Stack, startStack } from "../support/stack.ts";
import { type Api, until } from "../world/api.ts";
import { connected, startReceiver } from "../world/receiver.ts";
import { newTenant } from "../world/tenant.ts";

const CHANGES = 100;
/** Arrays so large that some of their bytes are always in transit to PostgreSQL. */
const LANES = 8;
const RECORDS = 100;
const FILLER = "y".repeat(3_000);
/** Failed queries of the worker: together longer than WEBHOOK_TIMEOUT and than a workflow task's ten seconds. */
const ASKED_IN_VAIN = 20;

let stack: Stack;
const dataDir = () => process.env.GATEHOUSE_TEST_DATA_DIR ?? stack.dataDir;

beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack?.stop());

test("changes answered 200 before, during and after a kill of PostgreSQL are delivered", async () => {
  const api = await newTenant(stack);
  await using receiver = await connected(api, 200, { dataDir: dataDir() });

  let back = false;
  const changing = makeChanges(api, (made) => back && made >= CHANGES, 2);
  await until("the load to be under way", () => receiver.calls.length >= CHANGES / 5);
  process.kill(stack.parts.postgresql.pid!, "SIGKILL");
  await until("PostgreSQL to go", async () => !(await isUp()));
  await until("PostgreSQL to come back", () => isUp());
  back = true;
  const committed = await changing;

  const ledger = await settleLedger("PostgreSQL killed in mid-load", committed, receiver);
  expect(ledger).toMatchObject({ committed: committed.length, lost: 0 });
  expect(committed.length).toBeGreaterThanOrEqual(CHANGES / 5);
  await untilLogSaysDelivered(api);
});

test("the API and the worker survive PostgreSQL stopping during large writes, and no array is lost or split", async () => {
  const api = await newTenant(stack);
  const { postgresql, api: server, worker } = stack.parts;
  const pids = [server.pid, worker.pid];
  const load = { written: 0, ended: false };
  const writing = Promise.all(Array.from({ length: LANES }, (_, lane) => writeArrays(api, lane, load)));

  // A crash, and PostgreSQL's own fast shutdown.
  for (const signal of ["SIGKILL", "SIGINT", "SIGKILL"] as const) {
    const before = load.written;
    await until("arrays to be written", () => load.written >= before + LANES);
    process.kill(postgresql.pid!, signal);
    await until("PostgreSQL to go", () => postgresql.pid === undefined);
    await postgresql.stop();
    await postgresql.start();
  }
  load.ended = true;

  const lanes = await writing;
  expect([server.pid, worker.pid]).toEqual(pids);
  for (const [lane, { answered, statuses }] of lanes.entries()) {
    expect([...statuses].filter((status) => status !== 200 && status !== 503)).toEqual([]);
    const { body } = await api.call<Record<string, unknown>[]>("PATCH", "/Application", names(lane));
    const versions = new Set(body.map(({ Description }) => parseInt(String(Description), 10)));
    expect(versions.size).toBe(1);
    expect([...versions][0]).toBeGreaterThanOrEqual(answered);
  }
});

/** Overwrites one array repeatedly. @returns the number of the last one answered 200, and all status codes */
async function writeArrays(api: Api, lane: number, load: { written: number; ended: boolean }) {
  const statuses = new Set<number>();
  let answered = 0;
  for (let version = 1; !load.ended || answered < version - 1; version++) {
    const array = names(lane).map((name) => ({ ...name, Description: `${version} ${FILLER}` }));
    const { status, body } = await api.call("PATCH", "/Application", array);
    statuses.add(status);
    if (status === 200) {
      answered = version;
      load.written++;
    } else expect(body).toMatchObject({ StatusCode: status, Errors: [expect.any(String)] });
  }
  return { answered, statuses };
}

function names(lane: number): { Name: string }[] {
  return Array.from({ length: RECORDS }, (_, index) => ({ Name: `lane ${lane}, record ${index}` }));
}

test("a worker started without PostgreSQL begins work when it is back", async () => {
  const api = await newTenant(stack);
  await using receiver = await connected(api, 200, { dataDir: dataDir() });
  const { postgresql, worker } = stack.parts;
  await worker.stop();
  await api.change({ Name: "Gate" });
  await postgresql.stop();
  const began = timesLogged(" is unavailable: ");
  await worker.start();
  const { pid } = worker;
  await until("the worker to ask", () => timesLogged(" is unavailable: ") > began, 60_000);
  await postgresql.start();

  await until("the delivery", () => receiver.calls.length === 1);
  expect(worker.pid).toBe(pid);
});

test("PostgreSQL going away during a receiver's answer uses no attempt and causes no second post", async () => {
  const api = await newTenant(stack);
  await using receiver = startReceiver(
    async () => {
      await stack.parts.postgresql.stop();
      return 200;
    },
    { dataDir: dataDir() },
  );
  await api.connect(receiver.url);
  const before = timesAskedInVain();
  await api.change({ Name: "Gate" });
  await until("the answer to wait for PostgreSQL", () => timesAskedInVain() - before >= ASKED_IN_VAIN, 60_000);
  await stack.parts.postgresql.start();
  await until("PostgreSQL to come back", isUp);

  const event = await until("the log to say Delivered", async () => {
    const found = await api.newestEvent().catch(() => undefined);
    return found?.State === "Delivered" && found;
  });
  expect(event.Deliveries[0]).toMatchObject({ AttemptCount: 1, Attempts: [{ Number: 1, StatusCode: 200 }] });
  expect(receiver.calls).toHaveLength(1);
  // Such a task may take longer.
  expect(readFileSync(stack.logFile, "utf8")).not.toContain("TMPRL1104");
});

const timesAskedInVain = () => timesLogged("PostgreSQL did not answer during an attempt");

function timesLogged(words: string): number {
  return readFileSync(stack.logFile, "utf8").split(words).length - 1;
}

async function isUp(): Promise<boolean> {
  const answer = await stack.readiness().catch(() => undefined);
  return answer?.postgresql === "up";
}
