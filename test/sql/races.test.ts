// Transactions that are repeated: server/platform/db/sql.ts.

import { expect, test } from "bun:test";
import { Raced } from "../../server/platform/db/failures.ts";
import { Conflict } from "../../server/platform/errors.ts";
import type { TenantId } from "../../server/platform/ids.ts";
import { lockNumber } from "../world/locks.ts";
import { db } from "../world/tenant.ts";

const TENANT = Bun.randomUUIDv7() as TenantId;

test("two transactions that deadlock both commit", async () => {
  const [one, other] = [1, 2].map(() => Math.floor(Math.random() * 1e15)) as [number, number];
  const first = Promise.withResolvers<void>();
  const second = Promise.withResolvers<void>();
  const lock = async (mine: number, theirs: number, isMine: typeof first, isTheirs: typeof first) =>
    db().beginFor(TENANT, async (tx) => {
      await lockNumber(mine, tx);
      isMine.resolve();
      await isTheirs.promise;
      await lockNumber(theirs, tx);
      return mine;
    });
  expect(await Promise.all([lock(one, other, first, second), lock(other, one, second, first)])).toEqual([one, other]);
});

test("a race that another caller has won is repeated, and one that continues is a conflict", async () => {
  const refusal = new Conflict("Another caller keeps changing the same Thing. Try again.");
  let tries = 0;
  const raced = (wins: number) =>
    db().beginFor(TENANT, async () => {
      tries++;
      if (tries <= wins) throw new Raced(refusal);
      return tries;
    });
  expect(await raced(2)).toBe(3);
  tries = 0;
  await expect(raced(1_000)).rejects.toBe(refusal);
  expect(tries).toBe(10);
});
