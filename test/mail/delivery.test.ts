// Mails from their cause to the mailbox, by real SMTP.

import { expect, test } from "bun:test";
import { type Api, ok, until } from "../world/api.ts";
import { arrived, mailsTo, newAddress } from "../world/mailbox.ts";
import { newTenant } from "../world/tenant.ts";

interface Mail {
  Id: string;
  State: string;
  Reason: string | null;
  MessageId: string;
  To: string;
  WorkflowId: string;
  Attempts: { Number: number; StatusCode: number | null; Failure: string | null; Response: string | null }[];
}

const send = async (api: Api, To: string) => (await ok(api.call("POST", "/Mail", { To }))) as unknown as Mail;
const read = async (api: Api, { Id }: Mail) => (await ok(api.get(`/Mail/${Id}`))) as unknown as Mail;
const ended = (api: Api, mail: Mail) =>
  until("the mail to end", async () => {
    const now = await read(api, mail);
    return now.State !== "Waiting" && now;
  });

test("a mail is sent once, as text and HTML, with the tenant's name and address for replies", async () => {
  const api = await newTenant();
  await ok(api.call("PATCH", "/TenantSettings", { SenderName: "Acme & Söhne", ReplyTo: "help@acme.test" }));
  const address = newAddress();
  const mail = await send(api, address);
  const [received] = await arrived(address);
  const sent = await ended(api, mail);
  expect(sent).toMatchObject({ State: "Sent", Reason: null, To: address, WorkflowId: `Mail/Test/${mail.Id}` });
  expect(sent.Attempts).toMatchObject([{ Number: 1, StatusCode: 250, Failure: null, Response: "250 2.0.0 Queued" }]);
  expect(received.from?.value).toEqual([{ address: "noreply@gatehouse.test", name: "Acme & Söhne" }]);
  expect(received.replyTo?.text).toBe("help@acme.test");
  expect(received.messageId).toBe(sent.MessageId);
  expect(received.subject).toBe("Test mail of Acme & Söhne");
  expect(received.text).toContain("This is a test mail of Acme & Söhne.");
  expect(received.html).toContain("This is a test mail of Acme &amp; Söhne.");
  expect(received.headers.get("auto-submitted")).toBe("auto-generated");
  expect(await mailsTo(address)).toHaveLength(1);
});
