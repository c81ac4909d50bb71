// Mails from their cause to the mailbox, by real SMTP.

import { expect, test } from "bun:test";
import { type Api, expectError, ok, until } from "../world/api.ts";
import { mailsTo, newAddress } from "../world/mailbox.ts";
import { newTenant } from "../world/tenant.ts";

interface Mail {
  Id: string;
  State: string;
  Reason: string | null;
  MessageId: string;
  Run: number;
  Attempts: { StatusCode: number | null; Failure: string | null; Response: string | null }[];
}

const send = async (api: Api, To: string) => (await ok(api.call("POST", "/Mail", { To }))) as unknown as Mail;

const ended = (api: Api, { Id }: Mail, run = 1) =>
  until("the mail to end", async () => {
    const now = (await ok(api.get(`/Mail/${Id}`))) as unknown as Mail;
    return now.State !== "Waiting" && now.Run === run && now;
  });

const sendTo = async (api: Api, address: string) => ended(api, await send(api, address));

test("a mail is sent once, as text and HTML, with the tenant's name and address for replies", async () => {
  const api = await newTenant();
  await ok(api.call("PATCH", "/TenantSettings", { DisplayName: "Acme & Söhne", ReplyTo: "help@acme.test" }));
  const address = newAddress();
  const sent = await sendTo(api, address);
  expect(sent).toMatchObject({ State: "Sent", Reason: null, To: address, WorkflowId: `Mail/Test/${sent.Id}` });
  const attempt = { Number: 1, StatusCode: 250, Failure: null, Response: "250 2.0.0 Queued" };
  expect(sent.Attempts).toMatchObject([attempt]);
  const [received, ...others] = await mailsTo(address);
  expect(others).toEqual([]);
  expect(received?.from?.value).toEqual([{ address: "noreply@gatehouse.test", name: "Acme & Söhne" }]);
  expect(received).toMatchObject({ messageId: sent.MessageId, subject: "Test mail of Acme & Söhne" });
  expect(received?.replyTo?.text).toBe("help@acme.test");
  expect(received?.text).toContain("This is a test mail of Acme & Söhne.");
  expect(received?.html).toContain("This is a test mail of Acme &amp; Söhne.");
  expect(received?.headers.get("auto-submitted")).toBe("auto-generated");
});

test("a temporary refusal is repeated, three at most; a permanent one ends the mail", async () => {
  const api = await newTenant();
  const of = async (name: string) => {
    const { State, Reason, Attempts } = await sendTo(api, newAddress(name));
    return [State, Reason, Attempts.map(({ StatusCode, Failure }) => Failure ?? StatusCode)];
  };
  const all = await Promise.all(["later", "full", "bounce", "spam"].map(of));
  expect(all).toEqual([
    ["Sent", null, ["deferred", 250]],
    ["Failed", "127.0.0.1 answered 452: deferred", ["deferred", "deferred", "deferred"]],
    ["Bounced", "127.0.0.1 answered 550: bounced", ["bounced"]],
    ["Failed", "127.0.0.1 answered 554: rejected", ["rejected"]],
  ]);
});

test("after a connection lost before the answer, the mail arrives again with its Message-ID", async () => {
  const api = await newTenant();
  const address = newAddress("cut");
  const { State, Attempts, MessageId } = await sendTo(api, address);
  expect([State, Attempts.map(({ Failure }) => Failure)]).toEqual(["Sent", ["reset", null]]);
  const received = await mailsTo(address);
  expect(received.map(({ messageId }) => messageId)).toEqual([MessageId, MessageId]);
});

test("a mail that was not sent is sent again by an administrator; a sent one is not", async () => {
  const api = await newTenant();
  const address = newAddress("bounce");
  const bounced = await sendTo(api, address);
  await ok(api.call("POST", `/Mail/${bounced.Id}/Resend`));
  expect((await ended(api, bounced, 2)).Attempts).toHaveLength(2);
  const sent = await sendTo(api, newAddress());
  expectError(await api.call("POST", `/Mail/${sent.Id}/Resend`), 409, "Conflict", /was sent/);
  const { Items } = (await ok(api.get("/AuditEvent?Kind=Mail.Resent"))) as unknown as { Items: object[] };
  expect(Items).toHaveLength(1);
});

test("mails are found by address and state, by their own tenant only", async () => {
  const [api, stranger] = await Promise.all([newTenant(), newTenant()]);
  const address = newAddress("bounce-Ana");
  const mail = await sendTo(api, address);
  await sendTo(api, newAddress());
  const found = async (by: Api, query: string) =>
    ((await ok(by.get(`/Mail?${query}`))) as unknown as { Items: Mail[] }).Items.map(({ Id }) => Id);
  expect(await found(api, `To=${address.toLowerCase()}`)).toEqual([mail.Id]);
  expect(await found(api, "State=Bounced&Kind=Test")).toEqual([mail.Id]);
  expect(await found(stranger, "")).toEqual([]);
  for (const path of [`/Mail/${mail.Id}`, `/Mail/${Bun.randomUUIDv7()}`])
    expect((await stranger.get(path)).status).toBe(404);
  expect((await stranger.call("POST", `/Mail/${mail.Id}/Resend`)).status).toBe(404);
});

test("text that is not one address is refused", async () => {
  const api = await newTenant();
  const address = newAddress();
  for (const To of ["", "ana", `${address}, ${address}`, `${address}\r\nBcc: ${address}`, `Ana <${address}>`, "a@b..c"])
    expectError(await api.call("POST", "/Mail", { To }), 400, "Bad Input", /To must be one mail address/);
  const ReplyTo = `help@acme.test\r\nBcc: ${address}`;
  expect((await api.call("PATCH", "/TenantSettings", { ReplyTo })).status).toBe(400);
});
