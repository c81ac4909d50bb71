// Sign-ins at invented names share one budget of password hashes, and take as long as those at existing ones.

import { expect, test } from "bun:test";
import { randomUUID } from "node:crypto";
import { availableParallelism } from "node:os";
import { createPlaceholderTenant } from "../../../server/identity/oauth/console-client.ts";
import { createPasswords } from "../../../server/identity/signin/password.ts";
import { newId, type TenantId } from "../../../server/platform/ids.ts";
import { createVault } from "../../../server/platform/vault.ts";

const placeholderTenant = createPlaceholderTenant(createVault(Buffer.alloc(32).toString("base64")));
const FLOOD = 40;
const ROUNDS = 9;

const median = (times: number[]) => times.toSorted((one, other) => one - other)[Math.floor(times.length / 2)]!;

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

test("a flood of invented names makes no tenant wait for its turn", async () => {
  const passwords = createPasswords();
  const wrong = (tenantId: TenantId) => passwords.verify(tenantId, "a wrong guess", undefined);
  const under = async (flood: () => TenantId[]) => {
    const times: number[] = [];
    for (let round = 0; round < 3; round++) {
      const pending = flood().map(wrong);
      times.push(await timed(() => wrong(newId<TenantId>())));
      await Promise.all(pending);
    }
    return median(times);
  };
  const flood = () => Array.from({ length: FLOOD }, () => placeholderTenant(randomUUID()));
  // Existing tenants take turns, so the flood would cost about 20 hashes on two cores each time. Others use the machine.
  let least = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < 5 && least >= 5; tries++) {
    const idle = await under(() => []);
    least = Math.min(least, (await under(flood)) / Math.max(idle, 20));
  }
  expect(least).toBeLessThan(5);
}, 300_000);

test("an invented name takes as long as an existing one, at rest and during a flood of invented names", async () => {
  const passwords = createPasswords();
  const wrong = (tenantId: TenantId) => passwords.verify(tenantId, "a wrong guess", undefined);
  const compare = async (flood: () => Promise<unknown>[]) => {
    const known: number[] = [];
    const unknown: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const pending = flood();
      known.push(await timed(() => wrong(newId<TenantId>())));
      unknown.push(await timed(() => wrong(placeholderTenant(randomUUID()))));
      await Promise.all(pending);
    }
    return median(unknown) / median(known);
  };
  const near = (ratio: number) => {
    expect(ratio).toBeGreaterThan(1 / 3);
    expect(ratio).toBeLessThan(3);
  };
  near(await compare(() => []));
  near(await compare(() => Array.from({ length: 10 }, () => wrong(placeholderTenant(randomUUID())))));
}, 300_000);

test("an invented name takes as long as an existing one while other tenants use all cores", async () => {
  const passwords = createPasswords();
  const wrong = (tenantId: TenantId) => passwords.verify(tenantId, "a wrong guess", undefined);
  let measuring = true;
  const busy = async (tenantId: TenantId) => {
    while (measuring) await wrong(tenantId);
  };
  const tenants = Array.from({ length: 4 }, () => newId<TenantId>());
  // More than a tenant may run at once, so each always has one waiting.
  const others = tenants.flatMap((id) => Array.from({ length: availableParallelism() }, () => busy(id)));
  const known: number[] = [];
  const unknown: number[] = [];
  for (let round = 0; round < 6; round++) {
    const pairs = Array.from({ length: 3 }, () => [
      timed(() => wrong(newId<TenantId>())).then((time) => known.push(time)),
      timed(() => wrong(placeholderTenant(randomUUID()))).then((time) => unknown.push(time)),
    ]);
    await Promise.all(pairs.flat());
  }
  measuring = false;
  await Promise.all(others);
  const ratio = median(unknown) / median(known);
  expect(ratio).toBeGreaterThan(0.6);
  expect(ratio).toBeLessThan(1.6);
}, 300_000);
