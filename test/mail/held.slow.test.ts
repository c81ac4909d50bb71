// A mail server that is down, a worker that is killed, and many mails at once, with a Gatehouse of their own.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { connect, type Sql } from "../../server/platform/db/sql.ts";
import type { TenantId } from "../../server/platform/ids.ts";
import { type MailServer, startMailServer } from "../support/mail-server.ts";
import { type Stack, startStack } from "../support/stack.ts";
import { type Api, ok, until } from "../world/api.ts";
import { newAddress } from "../world/mailbox.ts";
import { recordMails } from "../world/mails.ts";
import { newTenant } from "../world/tenant.ts";

const RATE = 50;
let first: MailServer;
let stack: Stack;
let sql: Sql;

beforeAll(async () => {
  first = await startMailServer();
  const env = { SMTP_URL: first.smtpUrl, MAIL_RATE: String(RATE), WEBHOOK_PROBE_INTERVAL: "1s" };
  stack = await startStack({ env });
  sql = connect(stack.databaseUrl, "gatehouse test", 2);
});
afterAll(async () => {
  await sql?.end();
  await stack?.stop();
});

const send = async (api: Api, To: string) => (await ok(api.call("POST", "/Mail", { To }))) as unknown as { Id: string };
const statesOf = async (api: Api) =>
  ((await ok(api.get("/Mail"))) as unknown as { Items: { State: string }[] }).Items.map(({ State }) => State);

const alerts = async (api: Api) =>
  ((await ok(api.get("/Alert?State=Open"))) as unknown as { Items: { Kind: string }[] }).Items.map(({ Kind }) => Kind);

test("while the mail server is down, mails are held; when it is up again, each is sent once", async () => {
  const api = await newTenant(stack);
  await first[Symbol.asyncDispose]();
  const addresses = [1, 2, 3].map(() => newAddress());
  for (const address of addresses) await send(api, address);
  await until("all to be held", async () => (await statesOf(api)).every((state) => state === "Held"));
  const late = newAddress();
  await send(api, late);
  await until("the new one to be held", async () => (await statesOf(api)).every((state) => state === "Held"));
  await until("the alert", async () => (await alerts(api)).some((kind) => kind === "MailHeld"));
  await using server = await startMailServer({}, first.port);
  await until("all to be sent", async () => (await statesOf(api)).every((state) => state === "Sent"));
  expect(server.mails.flatMap(({ to }) => to).toSorted()).toEqual([...addresses, late].toSorted());
});

test("a mail survives a killed worker, between its commit and its sending", async () => {
  const api = await newTenant(stack);
  await using server = await startMailServer({}, first.port);
  process.kill(stack.parts.worker.pid!, "SIGKILL");
  const address = newAddress();
  await send(api, address);
  await until("it to be sent", async () => (await statesOf(api))[0] === "Sent");
  expect(server.mails.map(({ to }) => to)).toEqual([[address]]);
});

test("many invitations leave within the rate, and the mail of another tenant overtakes them", async () => {
  const [api, other] = await Promise.all([newTenant(stack), newTenant(stack)]);
  const count = 1_000;
  const tenantId = api.tenantId as TenantId;
  await using server = await startMailServer({}, first.port);
  const expiresOn = new Date(Date.now() + 3_600_000);
  const values = { name: "Ana", link: `${stack.url}/invitation`, expiresOn, invitedBy: "" };
  const mails = Array.from({ length: count }, () => newAddress()).map((to) => ({
    ...{ tenantId, kind: "Invitation" as const, to, userId: null, values },
  }));
  const began = performance.now();
  await recordMails(mails, sql, stack.masterKey);
  const address = newAddress();
  await until("the first to arrive", () => server.mails.length > 0);
  const sent = performance.now();
  await send(other, address);
  await until("the other tenant's mail", () => server.mails.some(({ to }) => to.includes(address)));
  const overtook = performance.now() - sent;
  expect(server.mails.length).toBeLessThan(count / 2);
  await until("all to arrive", () => server.mails.length === count + 1, 180_000);
  const took = performance.now() - began;
  console.log(`${count} invitations left in ${took.toFixed(0)} ms, another tenant's mail in ${overtook.toFixed(0)} ms`);
  expect(took).toBeGreaterThan((1_000 * (count - RATE)) / RATE);
  expect(new Set(server.mails.flatMap(({ to }) => to)).size).toBe(count + 1);
});
