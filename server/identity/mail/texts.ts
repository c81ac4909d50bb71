// The texts of each kind of mail. Text and HTML are made from the same declaration.

import type { MailKind, MailValues } from "./kinds.ts";

export interface MailText {
  subject: string;
  /** Paragraphs before the button. */
  before: string[];
  button?: { label: string; link: string };
  after: string[];
}

const IGNORE = "If you did not ask for this, you can ignore this mail: nothing changes.";
const NOT_ME = "This was not me";

/** @param organisation its name, as people see it */
export function textOf<Kind extends MailKind>(kind: Kind, values: MailValues[Kind], organisation: string): MailText {
  return TEXTS[kind](values, organisation);
}

const TEXTS: { [Kind in MailKind]: (values: MailValues[Kind], organisation: string) => MailText } = {
  VerifyAddress: ({ name, link, expiresOn }, organisation) => ({
    subject: `Confirm your mail address for ${organisation}`,
    before: [hello(name), `Please confirm that this address is yours, for your account at ${organisation}.`],
    button: { label: "Confirm this address", link },
    after: [validUntil(expiresOn), IGNORE],
  }),
  ForgottenPassword: ({ name, link, expiresOn }, organisation) => ({
    subject: `Set a new password for ${organisation}`,
    before: [hello(name), `A new password was requested for your account at ${organisation}.`],
    button: { label: "Set a new password", link },
    after: [validUntil(expiresOn), IGNORE],
  }),
  Invitation: ({ name, link, expiresOn, invitedBy }, organisation) => ({
    subject: `Your invitation to ${organisation}`,
    before: [hello(name), `${plain(invitedBy) || "An administrator"} has invited you to ${organisation}.`],
    button: { label: "Accept the invitation", link },
    after: [validUntil(expiresOn), "If you do not know why you were invited, you can ignore this mail."],
  }),
  NewDevice: ({ name, link, expiresOn, device, address, at }, organisation) => ({
    subject: `New sign-in to ${organisation}`,
    before: [
      hello(name),
      `Your account at ${organisation} was used on a device that it has not been used on before.`,
      `${plain(device) || "Unknown device"}, network address ${plain(address)}, ${dateTime(at)}.`,
      "If this was you, there is nothing to do. If not, end all sessions and set a new password:",
    ],
    button: { label: NOT_ME, link },
    after: [validUntil(expiresOn)],
  }),
  CredentialChanged: ({ name, link, expiresOn, credential, at }, organisation) => ({
    subject: `${CHANGED[credential][0]} for ${organisation} was ${CHANGED[credential][1]}`,
    before: [
      hello(name),
      `${CHANGED[credential][0]} for ${organisation} was ${CHANGED[credential][1]}, ${dateTime(at)}.`,
      "If this was you, there is nothing to do. If not, end all sessions and set a new password:",
    ],
    button: { label: NOT_ME, link },
    after: [validUntil(expiresOn)],
  }),
  Test: ({ name }, organisation) => ({
    subject: `Test mail of ${organisation}`,
    before: [hello(name), `This is a test mail of ${organisation}. The mail server has accepted it.`],
    after: [],
  }),
};

const CHANGED: Record<MailValues["CredentialChanged"]["credential"], readonly [what: string, how: string]> = {
  password: ["Your password", "changed"],
  "second factor": ["Your second factor", "changed"],
  "added passkey": ["A passkey", "added"],
  "removed passkey": ["A passkey", "removed"],
  "mail address": ["Your mail address", "changed"],
};

const MAX_NAME = 100;
/** Mail programs make links of such texts, and strangers may choose names. */
const LINK_LIKE = /:\/\/|www\.|\.\p{L}{2,}/iu;

/** A text from outside on one line; empty if a mail program would make a link of it. */
function plain(text: string): string {
  const line = oneLine(text, MAX_NAME);
  return LINK_LIKE.test(line) ? "" : line;
}

/** Without control characters and marks that reverse text, so that it stays within its header and its sentence. */
export function oneLine(text: string, max: number): string {
  return (
    text
      .toWellFormed()
      .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu, " ")
      // RFC 2047: readers would decode it.
      .replaceAll("=?", "= ?")
      .trim()
      .slice(0, max)
      .toWellFormed()
  );
}

const hello = (name: string) => (plain(name) ? `Hello ${plain(name)},` : "Hello,");

const FORMAT = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeStyle: "short", timeZone: "UTC" });
const dateTime = (date: Date) => `${FORMAT.format(date)} UTC`;
const validUntil = (date: Date) => `The link can be used once, until ${dateTime(date)}.`;
