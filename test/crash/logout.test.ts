import { beforeAll, expect, test } from "bun:test";
import { decodeJwt } from "jose";
import { Client } from "../authorize/client.ts";
import { Visitor } from "../authorize/visitor.ts";
import { setCredentials, tokensOf } from "../logouts/clients.ts";
import { until } from "../support/api.ts";
import { startReceiver } from "../support/receiver.ts";
import type { Stack } from "../support/stack.ts";
import { newTenant } from "../support/tenant.ts";
import { startVictim } from "../support/victim.ts";

let stack: Stack;
const dataDir = () => process.env.GATEHOUSE_TEST_DATA_DIR ?? stack.dataDir;

beforeAll(async () => {
  stack = await startVictim();
}, 180_000);

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
}, 180_000);

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
}, 180_000);
