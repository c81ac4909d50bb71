// Attempts at mail servers with and without TLS, by the code of the worker.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { SMTPServerOptions } from "smtp-server";
import { createSendMessage } from "../../server/identity/mail/smtp.ts";
import type { SmtpConfig } from "../../server/platform/config/mail.ts";
import { createEgress } from "../../server/platform/egress/index.ts";
import type { TenantId } from "../../server/platform/ids.ts";
import { startMailServer } from "../support/mail-server.ts";
import { newAddress } from "../world/mailbox.ts";
import { setting } from "../world/tenant.ts";

const folder = join(setting("GATEHOUSE_TEST_DATA_DIR"), "receiver");
const CA = join(folder, "ca.pem");
const read = (name: string) => readFileSync(join(folder, name), "utf8");
/** Its certificate is valid for localhost. */
const trusted = { key: read("key.pem"), cert: read("cert.pem") };
const LOGIN = { user: "gatehouse", password: "right word" };
const authenticated: SMTPServerOptions = {
  authOptional: false,
  onAuth: ({ username, password }, _, callback) =>
    password === LOGIN.password ? callback(null, { user: username! }) : callback(new Error(`not ${password}`)),
};
const TENANT = Bun.randomUUIDv7() as TenantId;

async function send(smtp: Partial<SmtpConfig> & { port: number }, allow = ["127.0.0.0/8"], host = "localhost") {
  const egress = createEgress({ allow, deny: [], dns: [], caFile: undefined }, async () => ["127.0.0.1"]);
  const config = { host, tls: "required", login: undefined, caFile: CA, ...smtp } as const;
  const message = {
    tenantId: TENANT,
    from: "noreply@gatehouse.test",
    to: newAddress(),
    source: Buffer.from("Subject: test\r\n\r\nhello\r\n"),
    secrets: ["right"],
  };
  const result = await createSendMessage(egress, config, message)(message, new AbortController().signal);
  return { failure: result.failure, isServing: result.isServing, response: result.response };
}

test("STARTTLS and TLS from the first byte work with a trusted certificate and a login", async () => {
  for (const [tls, secure] of [
    ["required", false],
    ["implicit", true],
  ] as const) {
    await using server = await startMailServer({ ...trusted, ...authenticated, secure });
    expect(await send({ port: server.port, tls, login: LOGIN })).toMatchObject({ failure: null });
    expect(server.mails).toMatchObject([{ isSecure: true, user: "gatehouse" }]);
  }
});

test("an untrusted certificate, and one for another name, are refused before the login", async () => {
  await using server = await startMailServer({ ...trusted, ...authenticated });
  const { port } = server;
  const refused = { failure: "tls", isServing: false };
  expect(await send({ port, login: LOGIN, caFile: undefined })).toMatchObject(refused);
  expect(await send({ port, login: LOGIN }, ["127.0.0.0/8"], "mail.example")).toMatchObject(refused);
  expect(server.mails).toEqual([]);
});

test("without STARTTLS nothing is sent, unless the address allows it", async () => {
  await using server = await startMailServer();
  const { port } = server;
  expect(await send({ port })).toMatchObject({ failure: "tls", isServing: false });
  expect(await send({ port, tls: "offered" })).toMatchObject({ failure: null });
  expect(await send({ port, tls: "none" })).toMatchObject({ failure: null });
  expect(server.mails.map(({ isSecure }) => isSecure)).toEqual([false, false]);
});

test("wrong credentials are a failure of the server, whose line is kept without the password", async () => {
  await using server = await startMailServer({ ...trusted, ...authenticated });
  const result = await send({ port: server.port, login: { ...LOGIN, password: "wrong word" } });
  expect(result).toEqual({ failure: "credentials", isServing: false, response: "535 not …" });
});

test("a refused sender is a failure of the server, because it concerns every mail", async () => {
  const refusal = Object.assign(new Error("5.7.1 not you"), { responseCode: 550 });
  await using server = await startMailServer({ onMailFrom: (_, __, callback) => callback(refusal) });
  const result = await send({ port: server.port, tls: "none" });
  expect(result).toEqual({ failure: "sender", isServing: false, response: "550 5.7.1 not you" });
});

test("a server that is late with one recipient does not count as down", async () => {
  const late = Promise.withResolvers<void>();
  await using server = await startMailServer({ onRcptTo: (_, __, callback) => late.promise.then(() => callback()) });
  const result = await send({ port: server.port, tls: "none" });
  late.resolve();
  expect(result).toMatchObject({ failure: "timeout", isServing: true });
}, 60_000);

test("a private address needs an entry of EGRESS_ALLOW, and a closed port is a failure of the server", async () => {
  const server = await startMailServer();
  const { port } = server;
  expect(await send({ port, tls: "none" }, [])).toMatchObject({ failure: "blocked-address", isServing: false });
  expect(await send({ port, tls: "none" }, [`localhost:${port}`])).toMatchObject({ failure: null });
  await server[Symbol.asyncDispose]();
  expect(await send({ port, tls: "none" })).toMatchObject({ failure: "refused", isServing: false });
});
