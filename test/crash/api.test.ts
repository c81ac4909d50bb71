import { expect, test } from "bun:test";
import { makeChanges, settleLedger, untilLogSaysDelivered } from "../support/ledger.ts";
import { startVictim } from "../support/victim.ts";
import { until } from "../world/api.ts";
import { connected } from "../world/receiver.ts";
import { newTenant } from "../world/tenant.ts";

const CHANGES = 100;

test("changes committed by the API are delivered after it was killed before dispatching", async () => {
  const stack = await startVictim();
  const api = await newTenant(stack);
  await using receiver = await connected(api, 200, { dataDir: process.env.GATEHOUSE_TEST_DATA_DIR ?? stack.dataDir });
  await stack.parts.worker.stop();

  const changing = makeChanges(api, (made) => made >= CHANGES);
  await until("half of the changes", async () => (await api.events("Limit=200")).Items.length >= CHANGES / 2);
  process.kill(stack.parts.api.pid!, "SIGKILL");
  const committed = await changing;
  expect(receiver.calls).toHaveLength(0);
  await until("the API to come back", () => stack.readiness().catch(() => undefined));
  await stack.parts.worker.start();

  const ledger = await settleLedger("API killed between commit and dispatch", committed, receiver);
  expect(ledger).toMatchObject({ committed: committed.length, lost: 0 });
  expect(committed.length).toBeGreaterThanOrEqual(CHANGES / 2 - 4);
  await untilLogSaysDelivered(api);
});

test("a consumer gets every event once in order though the API is killed between leases and acknowledgements", async () => {
  const stack = await startVictim();
  const api = await newTenant(stack);
  const fields = { Kind: "Pull", Name: "consumer", Entities: ["Application"], Events: ["Created"] };
  const { Id } = await api.made("WebhookConnection", fields);
  const names = Array.from({ length: 30 }, (_, index) => `Gate ${index}`);
  for (const Name of names) await api.change({ Name });

  const done: string[] = [];
  const seen: string[] = [];
  let kills = 0;
  await until("all events to be acknowledged", async () => {
    try {
      const { status, body } = await api.get(`/WebhookConnection/${Id}/Events?Limit=10&Wait=2&Lease=1`);
      if (status !== 200) return false;
      const got = body.Items.map(({ Body }: { Body: string }) => JSON.parse(Body).Data.Name);
      seen.push(...got);
      if (kills++ < 2) process.kill(stack.parts.api.pid!, "SIGKILL");
      const upto = body.Items.at(-1)?.EventId;
      if (upto && (await api.call("POST", `/WebhookConnection/${Id}/Ack`, { Upto: upto })).status === 200)
        done.push(...got);
    } catch {
      // The API is away.
    }
    return done.length >= names.length;
  });
  expect(done).toEqual(names);
  expect(seen.length).toBeGreaterThan(names.length);
  await untilLogSaysDelivered(api);
}, 120_000);
