// Names that hang, fail or change, with a real name server.

import { afterAll, expect, test } from "bun:test";
import { getServers, setServers } from "node:dns";
import { createEgress } from "../../server/platform/egress/index.ts";
import type { TenantId } from "../../server/platform/ids.ts";
import { startNameServer } from "../support/dns.ts";
import { certificate, failureOf, request, startReceiver } from "../support/egress.ts";
import { idOf } from "../world/api.ts";

/** Name servers are set for the whole process. */
const system = getServers();
afterAll(() => setServers(system));

const egressBy = (dns: string, deny: string[] = []) =>
  createEgress({ allow: ["127.0.0.0/8"], deny, dns: [dns], caFile: certificate.caFile });
const LOOPBACK = { address: "127.0.0.1" };
const posts = (egress: ReturnType<typeof egressBy>, tenantId: string, names: string[], port: number) =>
  names.map((name) => egress.post(request(`https://${name}:${port}/`, { tenantId: idOf<TenantId>(tenantId) })));

test("forty hanging names of one tenant delay no post of another", async () => {
  using names = await startNameServer((name) => (name.startsWith("hang") ? "hang" : LOOPBACK));
  await using receiver = startReceiver(() => new Response());
  const egress = egressBy(names.address);
  const hanging = Array.from({ length: 40 }, (_, at) => `hang${at}.test`);
  let ended = 0;
  const attack = posts(egress, "one", hanging, receiver.port).map((post) =>
    post.then((outcome) => {
      if (outcome.kind !== "unsent") ended++;
      return failureOf(outcome);
    }),
  );
  // The receiver's certificate does not have the name, so the name was resolved and reached.
  const [other] = posts(egress, "other", ["quick.test"], receiver.port);
  expect(failureOf(await other!)).toBe("tls");
  expect(failureOf(await egress.post(request(`https://localhost:${receiver.port}/`)))).toBe("answered 200");
  expect(ended).toBe(0);
  // A tenant can resolve this number of names at a time. The other posts were not sent, and can be sent later.
  const outcomes = await Promise.all(attack);
  expect(outcomes.filter((outcome) => outcome === "dns")).toHaveLength(20);
  expect(outcomes.filter((outcome) => outcome === "unsent")).toHaveLength(20);
});

test("a name is resolved once for concurrent posts, and again after its TTL", async () => {
  using names = await startNameServer((name) => (name === "kept.test" ? { ...LOOPBACK, ttl: 60 } : LOOPBACK));
  await using receiver = startReceiver(() => new Response());
  const egress = egressBy(names.address);
  const ask = (name: string, count: number) =>
    Promise.all(posts(egress, "one", Array<string>(count).fill(name), receiver.port));
  await ask("kept.test", 30);
  await ask("kept.test", 1);
  expect(names.asked.filter((name) => name === "kept.test")).toHaveLength(1);
  await ask("fleeting.test", 1);
  await ask("fleeting.test", 1);
  expect(names.asked.filter((name) => name === "fleeting.test")).toHaveLength(2);
});

test.each(["nowhere", "fails"] as const)("a name server's answer '%s' is cached for seconds", async (reply) => {
  using names = await startNameServer(() => reply);
  const egress = egressBy(names.address);
  const [first] = posts(egress, "one", ["gone.test"], 443);
  expect(await first!).toMatchObject({ failure: "dns", detail: expect.stringMatching(/cannot be resolved \(E\w+\)/) });
  const asked = names.asked.length;
  const [second] = posts(egress, "one", ["gone.test"], 443);
  expect(failureOf(await second!)).toBe("dns");
  expect(names.asked).toHaveLength(asked);
});

test("resolved addresses are vetted like any other", async () => {
  using names = await startNameServer((name) => ({ address: name === "inside.test" ? "10.1.2.3" : "168.63.129.16" }));
  const egress = egressBy(names.address, ["refused.test"]);
  const outcomes = await Promise.all(posts(egress, "one", ["inside.test", "platform.test", "refused.test"], 443));
  expect(outcomes.map(failureOf)).toEqual(["blocked-address", "blocked-address", "blocked-address"]);
  expect(JSON.stringify(outcomes)).not.toContain("10.1.2.3");
  expect(names.asked).not.toContain("refused.test");
});

test("the hosts file and localhost need no name server", async () => {
  using names = await startNameServer(() => "fails");
  await using receiver = startReceiver(() => new Response());
  expect(failureOf(await egressBy(names.address).post(request(`https://localhost:${receiver.port}/`)))).toBe(
    "answered 200",
  );
  expect(names.asked).toEqual([]);
});
