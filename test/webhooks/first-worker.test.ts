// Several workers use PostgreSQL to agree on the one that checks an event first.

import { expect, test } from "bun:test";
import { type Heartbeat, startWorkerHeartbeat } from "../../server/platform/db/installation-parts.ts";
import { newEmptyDatabase } from "../support/empty-database.ts";
import { until } from "../world/api.ts";

const KEYS = Array.from({ length: 200 }, () => Bun.randomUUIDv7());

test("one worker of three is first for each event, and no one else's events move when it ends", async () => {
  await using database = await newEmptyDatabase();
  const [one, two, three] = [1, 2, 3].map(() => startWorkerHeartbeat(database.url)) as [
    Heartbeat,
    Heartbeat,
    Heartbeat,
  ];
  const left = [one, two];
  try {
    await until("all to know all", () => KEYS.every((key) => firstOf([one, two, three], key).length === 1));
    const shares = [one, two, three].map((worker) => KEYS.filter((key) => worker.isFirst(key)));
    for (const { length } of shares) expect(length).toBeGreaterThan(KEYS.length / 10);

    await three.stop();
    await until("the others to notice", () => KEYS.every((key) => firstOf(left, key).length === 1));
    for (const [index, worker] of left.entries()) {
      for (const key of shares[index]!) expect(worker.isFirst(key)).toBe(true);
    }
  } finally {
    await Promise.all(left.map((worker) => worker.stop()));
  }
});

test("a worker whose database is gone counts on no other", async () => {
  const database = await newEmptyDatabase();
  const workers = [startWorkerHeartbeat(database.url), startWorkerHeartbeat(database.url)];
  try {
    await until("both to know both", () => KEYS.every((key) => firstOf(workers, key).length === 1));
    await database[Symbol.asyncDispose]();
    await until("each to be first", () => KEYS.every((key) => firstOf(workers, key).length === 2), 30_000);
  } finally {
    await Promise.all(workers.map((worker) => worker.stop()));
  }
});

function firstOf(workers: Heartbeat[], key: string): Heartbeat[] {
  return workers.filter((worker) => worker.isFirst(key));
}
