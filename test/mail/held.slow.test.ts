// A mail server that is down, a worker that is killed, and many mails at once, with a Gatehouse of their own.

import { afterAll, expect, test } from "bun:test";
import { createMailer } from "../../server/identity/mail/mailer.ts";
import { connect } from "../../server/platform/db/sql.ts";
import { createLog } from "../../server/platform/log.ts";
import { createVault } from "../../server/platform/vault.ts";
import { startMailServer } from "../support/mail-server.ts";
import { startStack } from "../support/stack.ts";
import { type Api, ok, until } from "../world/api.ts";
import { newAddress } from "../world/mailbox.ts";
import { newTenant } from "../world/tenant.ts";

const RATE = 50;
const first = await startMailServer();
await using stack = await startStack({
  env: { SMTP_URL: first.smtpUrl, MAIL_RATE: String(RATE), WEBHOOK_PROBE_INTERVAL: "1s" },
});
const sql = connect(stack.databaseUrl, "gatehouse test", 2);
afterAll(() => sql.end());

const send = async (api: Api, To: string) => (await ok(api.call("POST", "/Mail", { To }))) as unknown as { Id: string };
const statesOf = async (api: Api) =>
  ((await ok(api.get("/Mail"))) as unknown as { Items: { State: string }[] }).Items.map(({ State }) => State);

test("while the mail server is down, mails are held; when it is up again, each is sent once", async () => {
  const api = await newTenant(stack);
  await first[Symbol.asyncDispose]();
  const addresses = [1, 2, 3].map(() => newAddress());
  for (const address of addresses) await send(api, address);
  await until("all to be held", async () => (await statesOf(api)).every((state) => state === "Held"));
  const late = newAddress();
  await send(api, late);
  await until("the new one to be held", async () => (await statesOf(api)).every((state) => state === "Held"));
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
  const count = 300;
  const mailer = createMailer(createVault(stack.masterKey), { smtp: {} } as never, createLog("silent", "test"));
  const { tenantId } = api.tenant;
  await using server = await startMailServer({}, first.port);
  const values = {
    name: "Ana",
    link: `${stack.url}/invitation`,
    expiresOn: new Date(Date.now() + 3_600_000),
    invitedBy: "",
  };
  const began = performance.now();
  await sql.beginFor(tenantId as never, async (tx) => {
    for (let at = 0; at < count; at++)
      await mailer.recordMail(tx, {
        tenantId: tenantId as never,
        kind: "Invitation",
        to: newAddress(),
        userId: null,
        values,
      });
  });
  const address = newAddress();
  await until("the first to arrive", () => server.mails.length > 0);
  await send(other, address);
  await until("the other tenant's mail", () => server.mails.some(({ to }) => to.includes(address)));
  expect(server.mails.length).toBeLessThan(count);
  await until("all to arrive", () => server.mails.length === count + 1);
  expect(performance.now() - began).toBeGreaterThan((1_000 * (count - RATE)) / RATE);
  expect(new Set(server.mails.flatMap(({ to }) => to)).size).toBe(count + 1);
});
