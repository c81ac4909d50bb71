import { expect, test } from "bun:test";
import { createTurns } from "../../server/access/policies/turns.ts";
import { ServiceBusy } from "../../server/errors.ts";
import type { TenantId } from "../../server/tenant-id.ts";

const [ONE, OTHER] = ["one", "other"] as TenantId[] as [TenantId, TenantId];

test("a tenant's long works run one after the other, another tenant's beside them, and failures hold nobody up", async () => {
  const inTurn = createTurns();
  const done: string[] = [];
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  const first = inTurn(ONE, () => gate.then(() => done.push("first")));
  const second = inTurn(ONE, async () => {
    done.push("second");
    throw new Error("second");
  });
  const third = inTurn(ONE, async () => done.push("third"));
  await inTurn(OTHER, async () => done.push("other"));
  open();
  await expect(second).rejects.toThrow("second");
  await Promise.all([first, third]);
  expect(done).toEqual(["other", "first", "second", "third"]);
});

test("who has waited too long is refused, without its work, and the next one is not", async () => {
  const inTurn = createTurns(20);
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  let worked = false;
  const long = inTurn(ONE, () => gate);
  const late = inTurn(ONE, async () => {
    worked = true;
  });
  setTimeout(open, 40);
  await expect(late).rejects.toBeInstanceOf(ServiceBusy);
  await long;
  expect(worked).toBe(false);
  expect(await inTurn(ONE, async () => "next")).toBe("next");
});
