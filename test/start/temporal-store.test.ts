// Temporal's store, when it cannot be trusted any more: it is noticed before Temporal starts, which would start with some
// damages and serve nothing, and no delivery is lost.

import { constants, Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { basename } from "node:path";
import { temporalFiles } from "../../server/embedded/processes.ts";
import { checkStore } from "../../server/embedded/temporal-store.ts";
import { makeChanges, settleLedger, untilLogSaysDelivered } from "../crash/ledger.ts";
import { until } from "../support/api.ts";
import { makeDue } from "../support/due.ts";
import { startReceiver } from "../support/receiver.ts";
import { type Stack, startStack } from "../support/stack.ts";
import { newTenant } from "../support/tenant.ts";

const CHANGES = 8;
const SET_ASIDE = /^Temporal {6}its store is set aside in (.+): (.+)\. Deliveries under way begin again in a new one$/;

let stack: Stack;
let store: ReturnType<typeof temporalFiles>;

beforeAll(async () => {
  stack = await startStack({ env: { WEBHOOK_RECONCILE_INTERVAL: "1s" } });
  store = temporalFiles(stack.dataDir);
}, 180_000);
afterAll(() => stack?.stop());

describe("a store that cannot be trusted is set aside with all its files, and nothing is lost with it", () => {
  test.each([
    ["cut off in the middle", cutOff, /^\*\*\* in database main .*|.*malformed$/],
    ["scribbled over", scribble, /^\*\*\* in database main .*|.*malformed$/],
    ["emptied", empty, /^it has no tables$|malformed$/],
    ["open when the machine went down", markOfAnotherBoot, /^the machine went down while it was open$/],
  ])(
    "%s",
    async (title, hurt, reason) => {
      const api = await newTenant(stack);
      let busy = true;
      const later = new Response(null, { status: 503, headers: { "retry-after": "3600" } });
      await using receiver = startReceiver(() => (busy ? later.clone() : 200), {
        dataDir: process.env.GATEHOUSE_TEST_DATA_DIR ?? stack.dataDir,
      });
      await api.connect(receiver.url);
      const committed = await makeChanges(api, (made) => made >= CHANGES);
      await until("all to wait", async () => (await api.events("State=Retrying")).Items.length === CHANGES);
      await makeDue(api, stack);

      const { temporal } = stack.parts;
      await temporal.stop();
      leaveWalBehind();
      expect(filesOfStore()).toEqual(["temporal.db", "temporal.db-shm", "temporal.db-wal"]);
      hurt();
      const files = filesOfStore();
      busy = false;
      const from = stack.said.length;
      await temporal.start();

      const [, place, said] = stack.said.slice(from).flatMap((line) => SET_ASIDE.exec(line) ?? []);
      expect(basename(place!)).toMatch(/^set-aside-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d/);
      expect(said).toMatch(reason);
      expect(readdirSync(place!).toSorted()).toEqual(files);
      const ledger = await settleLedger(`Temporal's store ${title}`, committed, receiver);
      expect(ledger).toMatchObject({ committed: CHANGES, delivered: CHANGES, lost: 0 });
      await untilLogSaysDelivered(api);
    },
    120_000,
  );
});

test("a sound store is kept, whether Temporal was stopped or killed", async () => {
  const { temporal } = stack.parts;
  const from = stack.said.length;
  const before = statSync(store.database).ino;
  expect(existsSync(store.openMark)).toBe(true);
  await temporal.stop();
  expect(existsSync(store.openMark)).toBe(false);
  await temporal.start();
  const { pid } = temporal;
  process.kill(pid!, "SIGKILL");
  await until(
    "Temporal to be back",
    () => temporal.pid !== undefined && temporal.pid !== pid && stack.said.slice(from).includes("Temporal is back"),
  );
  expect(statSync(store.database).ino).toBe(before);
  expect(stack.said.slice(from).filter((line) => SET_ASIDE.test(line))).toEqual([]);
}, 180_000);

test("a check says how long it takes, and is given up when that is too long", async () => {
  const said: string[] = [];
  const options = { say: (line: string) => void said.push(line), signal: new AbortController().signal };
  // A check of a small store may be over before this process has its next turn; then there is nothing to say.
  const progress = await until("a check that takes a while", async () => {
    expect(await checkStore(store.database, options, 60_000, 1)).toBeUndefined();
    return said.pop();
  });
  expect(progress).toMatch(/^Temporal {6}its store of \d+ MB is checked for damage, \d+ s so far$/);
  const givenUp = await until("a check that takes too long", async () => {
    said.length = 0;
    expect(await checkStore(store.database, options, 1)).toBeUndefined();
    return said.pop();
  });
  expect(givenUp).toMatch(/ is taken as it is: to check it takes more than 0.001 s$/);
});

/** As a power cut may: all else is in the database, and of the newest a part is in the log beside it. */
function leaveWalBehind(): void {
  const database = new Database(store.database);
  database.run("PRAGMA wal_checkpoint(TRUNCATE)");
  database.fileControl(constants.SQLITE_FCNTL_PERSIST_WAL, 1);
  database.run("PRAGMA user_version = 1");
  database.close();
}

function cutOff(): void {
  truncateSync(store.database, statSync(store.database).size >> 1);
}

function scribble(): void {
  const half = statSync(store.database).size >> 1;
  const file = openSync(store.database, "r+");
  writeSync(file, Buffer.alloc(half, "scribbled over "), 0, half, half);
  closeSync(file);
}

/** What there was beside it went first: SQLite deletes the log of an empty database. */
function empty(): void {
  for (const suffix of ["-wal", "-shm"]) rmSync(store.database + suffix);
  truncateSync(store.database);
}

function markOfAnotherBoot(): void {
  writeFileSync(store.openMark, Bun.randomUUIDv7());
}

function filesOfStore(): string[] {
  return readdirSync(store.folder)
    .filter((name) => name.startsWith("temporal.db"))
    .toSorted();
}
