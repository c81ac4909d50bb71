// The mails of each kind as bytes, read by a mail parser.

import { expect, test } from "bun:test";
import { simpleParser } from "mailparser";
import { MAIL_KINDS } from "../../server/identity/mail/kinds.ts";
import { messageOf } from "../../server/identity/mail/message.tsx";

const LINK = "https://id.example/account/x?token=a&b=%22";
const VALUES = {
  language: "en" as const,
  name: "Ana Silva",
  link: LINK,
  expiresOn: "2026-01-31T12:00:00.000Z",
  invitedBy: "Rui",
  device: "Firefox",
  address: "192.0.2.1",
  at: "2026-01-30T08:05:00.000Z",
  credential: "password",
  lines: ["ConnectionHeld: 410 Gone"],
  count: 1,
};
const SENDER = { tenantName: "acme", senderName: null, replyTo: null, texts: [] };

async function made(kind: (typeof MAIL_KINDS)[number], values: object = {}, sender: object = {}) {
  const bytes = await messageOf(
    kind,
    { ...VALUES, ...values },
    { ...SENDER, ...sender },
    {
      messageId: "<1@id.example>",
      createdOn: new Date("2026-01-30T08:05:00Z"),
      from: "noreply@id.example",
      to: "ana@mail.example",
    },
  );
  const mail = await simpleParser(bytes);
  const source = bytes.toString("utf8");
  const headers = source.slice(0, source.indexOf("\r\n\r\n"));
  return { ...mail, source, headers, html: mail.html || "", text: mail.text ?? "" };
}

test.each(MAIL_KINDS)("%s has the same words as text and as HTML, and loads nothing", async (kind) => {
  const { text, html, from, to, date } = await made(kind);
  expect([from?.text, (to as { text: string }).text]).toEqual(['"acme" <noreply@id.example>', "ana@mail.example"]);
  expect(date?.toISOString()).toBe("2026-01-30T08:05:00.000Z");
  const read = textIn(html);
  for (const line of text.split("\n\n").filter((one) => !one.includes(LINK))) expect(read).toContain(line.trim());
  expect(html.includes(LINK.replaceAll("&", "&amp;").replaceAll('"', "&#34;"))).toBe(kind !== "Test");
  expect(text.includes(LINK)).toBe(kind !== "Test");
  expect(html).not.toMatch(/<(img|script|iframe|link|form)\b|url\(|@import|\bon\w+=/i);
  expect(html).toContain("prefers-color-scheme:dark");
});

test("names cannot add headers, recipients, markup or links", async () => {
  const hostile = [
    "Ana\r\nBcc: eve@mail.example",
    'Ana" <eve@mail.example>',
    "<b onclick=x>Ana</b>",
    "\u202Enimda",
    "=?utf-8?q?x=0d=0aBcc:_eve?=",
  ];
  for (const name of hostile) {
    const mail = await made("Invitation", { name, invitedBy: name }, { senderName: name });
    expect(mail.headerLines.map(({ key }) => key).toSorted()).toEqual([
      ...["auto-submitted", "content-type", "date", "from", "message-id", "mime-version", "subject", "to"],
    ]);
    expect(mail.from?.value.map(({ address }) => address)).toEqual(["noreply@id.example"]);
    expect(mail.html).not.toContain("<b ");
    expect(mail.subject).not.toMatch(/[\r\n\u202E]/);
  }
  const { text } = await made("Invitation", { name: "Win at evil.example", invitedBy: "https://evil.example" });
  expect(text).not.toContain("evil");
  expect(text).toStartWith("Hello,\n\nAn administrator has invited you to acme.");
});

/** The text between tags, as a reader sees it. */
function textIn(html: string): string {
  const body = html.slice(html.indexOf("<body"));
  return body
    .replaceAll(/<[^>]+>/g, " ")
    .replaceAll(/\s+/g, " ")
    .replaceAll("&#34;", '"')
    .replaceAll("&amp;", "&");
}
