// The parts of each kind of mail. Text and HTML are made from the same declaration.

import { texts } from "../../ui/index.ts";
import type { MailKind, MailValues } from "./kinds.ts";

const { fill } = texts;

export interface MailText {
  subject: string;
  /** Paragraphs before the button. */
  before: string[];
  button?: { label: string; link: string };
  after: string[];
}

/** @param organisation its name, as people see it */
export function textOf<Kind extends MailKind>(
  kind: Kind,
  values: MailValues[Kind],
  organisation: string,
  language: texts.Language,
): MailText {
  return TEXTS[kind](values, organisation, language);
}

type TextOf<Kind extends MailKind> = (
  values: MailValues[Kind],
  organisation: string,
  language: texts.Language,
) => MailText;

const TEXTS: { [Kind in MailKind]: TextOf<Kind> } = {
  VerifyAddress: ({ name, link, expiresOn }, organisation, { t, locale }) => ({
    subject: fill(t.verifySubject, { organisation }),
    before: [hello(name, t), fill(t.verifyText, { organisation })],
    button: { label: t.verifyButton, link },
    after: [validUntil(expiresOn, t, locale), t.ignoreMail],
  }),
  ForgottenPassword: ({ name, link, expiresOn }, organisation, { t, locale }) => ({
    subject: fill(t.resetSubject, { organisation }),
    before: [hello(name, t), fill(t.resetText, { organisation })],
    button: { label: t.resetButton, link },
    after: [validUntil(expiresOn, t, locale), t.ignoreMail],
  }),
  Invitation: ({ name, link, expiresOn, invitedBy }, organisation, { t, locale }) => ({
    subject: fill(t.invitationSubject, { organisation }),
    before: [hello(name, t), fill(t.invitationText, { inviter: plain(invitedBy) || t.anAdministrator, organisation })],
    button: { label: t.invitationButton, link },
    after: [validUntil(expiresOn, t, locale), t.invitationNote],
  }),
  SignUp: ({ name, link, expiresOn }, organisation, { t, locale }) => ({
    subject: fill(t.signUpSubject, { organisation }),
    before: [hello(name, t), fill(t.signUpText, { organisation })],
    button: { label: t.makeTheAccount, link },
    after: [validUntil(expiresOn, t, locale), t.ignoreMail],
  }),
  AccountExists: ({ name, link }, organisation, { t }) => ({
    subject: fill(t.existsSubject, { organisation }),
    before: [hello(name, t), fill(t.existsText, { organisation })],
    button: { label: t.signIn, link },
    after: [t.existsNote, t.ignoreMail],
  }),
  AccountReady: ({ name, link }, organisation, { t }) => ({
    subject: fill(t.readySubject, { organisation }),
    before: [hello(name, t), fill(t.readyText, { organisation })],
    button: { label: t.signIn, link },
    after: [],
  }),
  NewDevice: ({ name, link, expiresOn, device, address, at }, organisation, { t, locale }) => ({
    subject: fill(t.deviceSubject, { organisation }),
    before: [
      hello(name, t),
      fill(t.deviceText, { organisation }),
      fill(t.deviceFacts, {
        device: plain(device) || t.unknownDevice,
        address: plain(address),
        time: dateTime(at, locale),
      }),
      t.ifThisWasYou,
    ],
    button: { label: t.notMe, link },
    after: [validUntil(expiresOn, t, locale)],
  }),
  CredentialChanged: ({ name, link, expiresOn, credential, at }, organisation, { t, locale }) => {
    const [subject, text] = changeIn(credential, organisation, dateTime(at, locale), t);
    return {
      subject,
      before: [hello(name, t), text, t.ifThisWasYou],
      button: { label: t.notMe, link },
      after: [validUntil(expiresOn, t, locale)],
    };
  },
  // For administrators, in English like Settings.
  Alert: ({ lines, count, link, at }, organisation) => ({
    subject: count === 1 ? `Alert of ${organisation}: ${lines[0]}` : `${count} alerts of ${organisation}`,
    before: [`Raised on ${dateTime(at, "en-GB")}:`, ...lines.map((line) => oneLine(line, MAX_LINE))],
    button: { label: "Open the alerts", link },
    after: ["The page Organisation of Settings has the addresses that get these mails."],
  }),
  Test: ({ name }, organisation, { t }) => ({
    subject: fill(t.testSubject, { organisation }),
    before: [hello(name, t), fill(t.testText, { organisation })],
    after: [],
  }),
};

/** The subject and the sentence. */
function changeIn(credential: Credential, organisation: string, time: string, t: texts.Texts): [string, string] {
  const values = { organisation, time };
  if (credential === "added passkey") return [fill(t.passkeyAddedSubject, values), fill(t.passkeyAddedText, values)];
  if (credential === "removed passkey")
    return [fill(t.passkeyRemovedSubject, values), fill(t.passkeyRemovedText, values)];
  const changed = { ...values, credential: t.credentials[credential] };
  return [fill(t.changedSubject, changed), fill(t.changedText, changed)];
}
type Credential = MailValues["CredentialChanged"]["credential"];

const MAX_NAME = 100;
const MAX_LINE = 300;
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

const hello = (name: string, t: texts.Texts) => (plain(name) ? fill(t.hello, { name: plain(name) }) : t.helloNobody);

function dateTime(date: Date, locale: string): string {
  return `${new Intl.DateTimeFormat(locale, { dateStyle: "long", timeStyle: "short", timeZone: "UTC" }).format(date)} UTC`;
}

const validUntil = (date: Date, t: texts.Texts, locale: string) => fill(t.linkOnce, { time: dateTime(date, locale) });
