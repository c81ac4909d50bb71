// Names with silent name servers delay no other tenant's deliveries and no sign-in.

import { afterAll, expect, test } from "bun:test";
import { startNameServer } from "../support/dns.ts";
import { startStack } from "../support/stack.ts";
import { type Api, until } from "../world/api.ts";
import { startForgedProvider } from "../world/forged-provider.ts";
import { startReceiver } from "../world/receiver.ts";
import { newTenant } from "../world/tenant.ts";

const names = await startNameServer((name) => (name.startsWith("hang") ? "hang" : "nowhere"));
// The first retry waits longer than any test, so the attack does not end.
const stack = await startStack({ env: { EGRESS_DNS: names.address, WEBHOOK_RETRY_INITIAL_INTERVAL: "60m" } });
afterAll(async () => {
  await stack?.stop();
  names?.[Symbol.dispose]();
});

const PROVIDER = { Type: "OpenIDConnect", ClientId: "gatehouse", ClientSecret: "a secret", Provisioning: "LinkOnly" };

async function testProvider(api: Api, Name: string, Issuer: string): Promise<{ Outcome: string; Message: string }[]> {
  const made = await api.call<{ Id: string }>("POST", "/IdentityProvider", { ...PROVIDER, Name, Issuer });
  expect(made.status).toBe(200);
  const { body } = await api.call<{ Checks: { Outcome: string; Message: string }[] }>(
    "POST",
    `/IdentityProvider/${made.body.Id}/Test`,
  );
  return body.Checks;
}

test.each([4, 25])("%d hanging names of one tenant delay no delivery or provider of another", async (count) => {
  const [attacker, other] = await Promise.all([newTenant(stack), newTenant(stack)]);
  await using receiver = startReceiver();
  await using provider = await startForgedProvider();
  const hanging = Array.from({ length: count }, (_, at) => `hang${at}-of-${count}.test`);
  for (const name of hanging) await attacker.connect(`https://${name}/hook`);
  await other.connect(receiver.url);

  const ended: string[] = [];
  const probes = hanging.map((name) =>
    testProvider(attacker, name, `https://${name}`).then(([check]) => {
      ended.push(name);
      return check!;
    }),
  );
  await attacker.change({ Name: "Gate" });
  await until("names to be asked for", () => names.asked.some((name) => name.endsWith(`of-${count}.test`)));
  await other.change({ Name: "Door" });
  const [metadata] = await testProvider(other, "Example ID", provider.issuer);
  expect(metadata).toMatchObject({ Outcome: "Passed" });
  await until("the delivery", () => receiver.calls.length === 1);
  // Requests above the tenant's share are rejected at once.
  expect(ended.length).toBeLessThan(count);
  expect((await attacker.newestEvent()).Deliveries).toHaveLength(count);

  for (const { Outcome } of await Promise.all(probes)) expect(Outcome).toBe("Failed");
  // Posts above the tenant's share are not sent at first, which does not count as an attempt.
  const attempted = await until(
    "all names to be given up once",
    async () => {
      const { Deliveries } = await attacker.newestEvent();
      // In an answer, states may be older than attempts.
      return Deliveries.every(({ State, Attempts }) => State !== "Pending" && Attempts.length > 0) && Deliveries;
    },
    60_000,
  );
  for (const { State, Attempts } of attempted) {
    expect(State).toBe("Retrying");
    expect(Attempts.map((made) => [made.Number, made.Failure])).toEqual([[1, "dns"]]);
  }
});
