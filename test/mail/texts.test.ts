// The mails of each kind as bytes, read by a mail parser.

import { expect, test } from "bun:test";
import { simpleParser } from "mailparser";
import { MAIL_KINDS } from "../../server/identity/mail/kinds.ts";
import { messageOf } from "../../server/identity/mail/message.tsx";

const LINK = "https://id.example/account/x?token=a&b=%22";
const PNG = Buffer.from("iVBORw0KGgo=", "base64");
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
const BRANDING = {
  logo: null,
  accent: null,
  darkAccent: null,
  background: null,
  darkBackground: null,
  helpUri: null,
  privacyUri: null,
  termsUri: null,
};
const SENDER = { tenantName: "acme", displayName: null, replyTo: null, texts: [], branding: BRANDING };

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
    const mail = await made("Invitation", { name, invitedBy: name }, { displayName: name });
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

test("the tenant's name, logo, colours and links are in the mail; the logo is inside, and nothing is loaded", async () => {
  const logo = `data:image/png;base64,${Buffer.from(PNG).toString("base64")}`;
  const branding = {
    ...BRANDING,
    logo,
    accent: "#7a1fa2",
    background: "#fff4e0",
    helpUri: "https://acme.example/help",
  };
  const mail = await made("VerifyAddress", {}, { displayName: "Acme Ltd", branding });
  expect(mail.from?.text).toBe('"Acme Ltd" <noreply@id.example>');
  expect(mail.attachments.map(({ cid, contentType, content }) => [cid, contentType, [...content]])).toEqual([
    ["logo", "image/png", [...PNG]],
  ]);
  // The parser puts the attachment in the place of its Content-ID.
  expect(mail.html).toMatch(/<img src="data:image\/png;base64,[^"]*" alt="Acme Ltd"/);
  for (const part of ["#7a1fa2", "#fff4e0", "https://acme.example/help", "This mail is from acme."])
    expect(mail.html).toContain(part);
  expect(mail.text).toContain("Help: https://acme.example/help\n\nThis mail is from acme.");
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
