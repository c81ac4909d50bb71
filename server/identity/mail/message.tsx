// A mail of a kind as text, as HTML, and as the bytes that are sent.

import { escapeHtml } from "@kitajs/html";
import MailComposer from "nodemailer/lib/mail-composer";
import { texts } from "../../ui/index.ts";
import type { MailKind, MailValues } from "./kinds.ts";
import { type MailText, oneLine, textOf } from "./texts.ts";

export interface Sender {
  /** The tenant's name, and what it has set instead. */
  tenantName: string;
  senderName: string | null;
  replyTo: string | null;
  texts: readonly texts.OwnText[];
}

export interface Envelope {
  messageId: string;
  /** The same for all attempts. */
  createdOn: Date;
  from: string;
  to: string;
}

export interface RenderedMail {
  subject: string;
  text: string;
  /** Without the doctype. */
  html: string;
}

const MAX_ORGANISATION = 100;
const MAX_SUBJECT = 200;

const organisationOf = ({ senderName, tenantName }: Sender) => oneLine(senderName ?? tenantName, MAX_ORGANISATION);

function renderMail<Kind extends MailKind>(
  kind: Kind,
  values: MailValues[Kind],
  sender: Sender,
  language: texts.Language,
): RenderedMail {
  const mail = textOf(kind, values, organisationOf(sender), language);
  const subject = oneLine(mail.subject, MAX_SUBJECT);
  const { before, button, after } = mail;
  const text = [...before, ...(button ? [`${button.label}:\n${button.link}`] : []), ...after].join("\n\n");
  return {
    subject,
    text: `${text}\n`,
    html: String(<Page mail={mail} subject={subject} sender={sender} language={language} />),
  };
}

/** @param values as JSON has them: dates are texts */
export function messageOf(kind: MailKind, values: MailContent, sender: Sender, envelope: Envelope): Promise<Buffer> {
  const { subject, text, html } = renderContent(kind, values, sender);
  const { messageId, createdOn, from, to } = envelope;
  const composer = new MailComposer({
    from: { name: organisationOf(sender), address: from },
    to: { name: "", address: to },
    ...(sender.replyTo && { replyTo: { name: "", address: sender.replyTo } }),
    subject,
    text,
    html: `<!doctype html>${html}`,
    messageId,
    date: createdOn,
    // RFC 3834: no vacation notes are sent to it.
    headers: { "Auto-Submitted": "auto-generated" },
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return composer.compile().build();
}

/** The values of a mail as JSON has them, and its language. */
export interface MailContent {
  language: texts.LanguageCode;
  [value: string]: unknown;
}

export function renderContent(kind: MailKind, content: MailContent, sender: Sender): RenderedMail {
  return renderMail(kind, withDates(content), sender, texts.languageOf(content.language, sender.texts));
}

function withDates(values: object): never {
  const dates = Object.entries(values).filter(([name]) => name === "expiresOn" || name === "at");
  return { ...values, ...Object.fromEntries(dates.map(([name, value]) => [name, new Date(value)])) } as never;
}

const FONT = "font-family:Arial,Helvetica,sans-serif;font-size:16px;line-height:24px";
const DARK = `:root{color-scheme:light dark}@media(prefers-color-scheme:dark){
.back{background:#16191f!important}.card{background:#20242c!important;border-color:#3a404c!important}
.ink{color:#e6e8ec!important}.fine{color:#a9b0bd!important}.link{color:#8ab4f8!important}}`;

interface PageProps {
  mail: MailText;
  subject: string;
  sender: Sender;
  language: texts.Language;
}

/** Tables and inline styles, for old mail programs. Nothing is loaded from elsewhere. */
function Page({ mail, subject, sender, language }: PageProps): JSX.Element {
  const { before, button, after } = mail;
  return (
    <html lang={language.code} dir={language.direction}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title safe>{subject}</title>
        <style>{DARK}</style>
      </head>
      <body class="back" style="margin:0;padding:0;background:#f2f4f7">
        <table
          role="presentation"
          class="back"
          width="100%"
          cellpadding="0"
          cellspacing="0"
          border={0}
          bgcolor="#f2f4f7"
        >
          <tr>
            <td align="center" style="padding:24px 12px">
              <table
                role="presentation"
                class="card"
                width="100%"
                cellpadding="0"
                cellspacing="0"
                border={0}
                bgcolor="#ffffff"
                style="max-width:560px;background:#ffffff;border:1px solid #d8dde5;border-radius:8px"
              >
                <tr>
                  <td dir={language.direction} style={`padding:24px;${FONT}`}>
                    <h1 class="ink" style="margin:0 0 20px;color:#1d2733;font-size:18px;line-height:24px" safe>
                      {organisationOf(sender)}
                    </h1>
                    {before.map((line) => (
                      <p class="ink" style="margin:0 0 16px;color:#1d2733" safe>
                        {line}
                      </p>
                    ))}
                    {button ? <Button {...button} orOpen={language.t.orOpen} /> : ""}
                    {after.map((line) => (
                      <p class="fine" style="margin:16px 0 0;color:#566173;font-size:14px;line-height:20px" safe>
                        {line}
                      </p>
                    ))}
                  </td>
                </tr>
              </table>
            </td>
          </tr>
        </table>
      </body>
    </html>
  );
}

function Button({ label, link, orOpen }: { label: string; link: string; orOpen: string }): JSX.Element {
  return (
    <>
      <table role="presentation" cellpadding="0" cellspacing="0" border={0} style="margin:8px 0 16px">
        <tr>
          <td style="background:#1f5fbf;border-radius:6px;padding:12px 20px">
            <a href={link} style={`${FONT};color:#ffffff;text-decoration:none;font-weight:bold`} safe>
              {label}
            </a>
          </td>
        </tr>
      </table>
      <p class="fine" style="margin:0;color:#566173;font-size:14px;line-height:20px;word-break:break-all">
        {escapeHtml(orOpen) as "safe"}{" "}
        <a class="link" href={link} dir="ltr" style="color:#1f5fbf" safe>
          {link}
        </a>
      </p>
    </>
  );
}
