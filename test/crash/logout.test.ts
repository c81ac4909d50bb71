import { expect, test } from "bun:test";
import { decodeJwt } from "jose";
import { startVictim } from "../support/victim.ts";
import { until } from "../world/api.ts";
import { Client } from "../world/client.ts";
import { setCredentials, tokensOf } from "../world/logouts.ts";
import { startReceiver } from "../world/receiver.ts";
import { newTenant } from "../world/tenant.ts";
import { Visitor } from "../world/visitor.ts";

const stack = await startVictim();
const dataDir = () => process.env.GATEHOUSE_TEST_DATA_DIR ?? stack.dataDir;

/** A user signed in with a browser. */
async function signedIn(uri: string): Promise<Visitor> {
  const api = await newTenant(stack);
  const client = new Client(api.tenant);
  await setCredentials(api, client, { BackchannelLogoutUri: uri });
  const visitor = new Visitor(stack.url);
  await client.code(visitor);
  return visitor;
}

async function signOut(visitor: Visitor): Promise<void> {
  const page = await visitor.submit(await visitor.open("/oauth2/logout"));
  expect(page.heading).toBe("Signed out");
}

test("a logout arrives though no worker ran when the user signed out", async () => {
  await using receiver = startReceiver(200, { dataDir: dataDir() });
  const visitor = await signedIn(receiver.url);
  process.kill(stack.parts.worker.pid!, "SIGKILL");
  await stack.parts.worker.stop();
  await signOut(visitor);
  expect(receiver.calls).toHaveLength(0);
  await stack.parts.worker.start();
  await until("the logout token", () => receiver.calls.length === 1);
});

test("a logout arrives though its worker was killed during the post", async () => {
  let isKilled = false;
  await using receiver = startReceiver(() => (isKilled ? 200 : "hang"), { dataDir: dataDir() });
  await signOut(await signedIn(receiver.url));
  await until("the post", () => receiver.calls.length === 1);
  isKilled = true;
  process.kill(stack.parts.worker.pid!, "SIGKILL");
  await until("another post", () => receiver.calls.length === 2);
  const [lost, taken] = tokensOf(receiver).map((token) => decodeJwt(token));
  expect(taken).toMatchObject({ sid: lost!.sid, sub: lost!.sub });
});
