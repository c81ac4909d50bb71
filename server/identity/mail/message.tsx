// A mail of a kind as text, as HTML, and as the bytes that are sent.

import { escapeHtml } from "@kitajs/html";
import MailComposer from "nodemailer/lib/mail-composer";
import { type sites, texts } from "../../ui/index.ts";
import { type Branding, darkColoursOf, faceOf } from "../branding/face.ts";
import type { MailKind, MailValues } from "./kinds.ts";
import { type MailText, oneLine, textOf } from "./texts.ts";

export interface Sender {
  /** The tenant's name, and what it has set instead. */
  tenantName: string;
  displayName: string | null;
  replyTo: string | null;
  branding: Omit<Branding, "displayName" | "welcome" | "darkLogo" | "favicon">;
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

const organisationOf = ({ displayName, tenantName }: Sender) => oneLine(displayName ?? tenantName, MAX_ORGANISATION);

/** @param scheme of a preview; undefined: the reader's */
function renderMail<Kind extends MailKind>(
  kind: Kind,
  values: MailValues[Kind],
  sender: Sender,
  language: texts.Language,
  scheme?: sites.colours.Scheme,
): RenderedMail {
  const mail = textOf(kind, values, organisationOf(sender), language);
  const subject = oneLine(mail.subject, MAX_SUBJECT);
  const { before, button, after } = mail;
  const { t } = language;
  const links = linksOf(sender).map(({ text, href }) => `${t[text]}: ${href}`);
  const text = [
    ...[...before, ...(button ? [`${button.label}:\n${button.link}`] : []), ...after],
    ...[...(links.length > 0 ? [links.join("\n")] : []), ...ownerOf(sender, t)],
  ].join("\n\n");
  return {
    subject,
    text: `${text}\n`,
    html: String(<Page mail={mail} subject={subject} sender={sender} language={language} scheme={scheme} />),
  };
}

/** @param values as JSON has them: dates are texts */
export function messageOf(kind: MailKind, values: MailContent, sender: Sender, envelope: Envelope): Promise<Buffer> {
  const { subject, text, html } = renderContent(kind, values, sender);
  const { messageId, createdOn, from, to } = envelope;
  const { logo: address } = sender.branding;
  const logo = address && Buffer.from(address.slice(address.indexOf(",") + 1), "base64");
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
    attachments: logo === null ? [] : [{ cid: LOGO, filename: "logo.png", contentType: "image/png", content: logo }],
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

export function renderContent(
  kind: MailKind,
  content: MailContent,
  sender: Sender,
  scheme?: sites.colours.Scheme,
): RenderedMail {
  return renderMail(kind, withDates(content), sender, texts.languageOf(content.language, sender.texts), scheme);
}

/** The HTML of a mail in one scheme, with its logo inside, for a page. */
export function drawnContent(
  kind: MailKind,
  content: MailContent,
  sender: Sender,
  scheme: sites.colours.Scheme,
): Pick<RenderedMail, "subject" | "html"> {
  const { subject, html } = renderContent(kind, content, sender, scheme);
  return { subject, html: html.replace(`"cid:${LOGO}"`, () => `"${sender.branding.logo ?? ""}"`) };
}

function withDates(values: object): never {
  const dates = Object.entries(values).filter(([name]) => name === "expiresOn" || name === "at");
  return { ...values, ...Object.fromEntries(dates.map(([name, value]) => [name, new Date(value)])) } as never;
}

/** The Content-ID: the logo is inside the mail, so nothing is loaded. */
const LOGO = "logo";

/** Below a chosen name, so that no organisation can pass for another. */
const ownerOf = ({ tenantName, displayName }: Sender, t: texts.Texts) =>
  displayName ? [texts.fill(t.owner.mail, { organisation: oneLine(tenantName, MAX_ORGANISATION) })] : [];

const linksOf = ({ tenantName, branding }: Sender) =>
  faceOf(tenantName, { ...branding, displayName: null, welcome: null, darkLogo: null, favicon: null }).links;

const FONT = "font-family:Arial,Helvetica,sans-serif;font-size:16px;line-height:24px";

/** Checked colours. */
function stylesOf({ branding }: Sender, scheme: sites.colours.Scheme | undefined): string {
  const { accent, background } = darkColoursOf(branding);
  const dark = `
.back{background:${background ?? "#16191f"}!important}.card{background:#181f2a!important;border-color:#3a404c!important}
.ink{color:#e6e8ec!important}.fine{color:#a9b0bd!important}.link{color:${accent ?? "#8ab4f8"}!important}`;
  if (scheme) return `:root{color-scheme:${scheme}}${scheme === "dark" ? dark : ""}`;
  return `:root{color-scheme:light dark}@media(prefers-color-scheme:dark){${dark}}`;
}

interface PageProps {
  mail: MailText;
  subject: string;
  sender: Sender;
  language: texts.Language;
  scheme: sites.colours.Scheme | undefined;
}

/** Tables and inline styles, for old mail programs. Nothing is loaded from elsewhere. */
function Page({ mail, subject, sender, language, scheme }: PageProps): JSX.Element {
  const { before, button, after } = mail;
  const { accent, background, logo } = sender.branding;
  const [ground, main] = [background ?? "#f2f4f7", accent ?? "#1f5fbf"];
  return (
    <html lang={language.code} dir={language.direction}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title safe>{subject}</title>
        <style>{stylesOf(sender, scheme) as "safe"}</style>
      </head>
      <body class="back" style={`margin:0;padding:0;background:${ground}`}>
        <table
          role="presentation"
          class="back"
          width="100%"
          cellpadding="0"
          cellspacing="0"
          border={0}
          bgcolor={ground}
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
                    <h1 class="ink" style="margin:0 0 20px;color:#1d2733;font-size:18px;line-height:24px">
                      {logo ? (
                        <img
                          src={`cid:${LOGO}`}
                          alt={organisationOf(sender)}
                          height="40"
                          style="max-width:240px;padding:4px;border-radius:4px;background:#ffffff"
                        />
                      ) : (
                        <span safe>{organisationOf(sender)}</span>
                      )}
                    </h1>
                    {before.map((line) => (
                      <p class="ink" style="margin:0 0 16px;color:#1d2733" safe>
                        {line}
                      </p>
                    ))}
                    {button ? <Button {...button} orOpen={language.t.orOpen} colour={main} /> : ""}
                    {after.map((line) => (
                      <p class="fine" style="margin:16px 0 0;color:#566173;font-size:14px;line-height:20px" safe>
                        {line}
                      </p>
                    ))}
                    <Footer sender={sender} colour={main} t={language.t} />
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

function Footer({ sender, colour, t }: { sender: Sender; colour: string; t: texts.Texts }): JSX.Element {
  const links = linksOf(sender).map(({ text, href }) => (
    <>
      <a class="link" href={href} style={`color:${colour}`} safe>
        {t[text]}
      </a>{" "}
    </>
  ));
  const lines = [...(links.length > 0 ? [links] : []), ...ownerOf(sender, t).map((line) => <span safe>{line}</span>)];
  return (
    <>
      {lines.map((line) => (
        <p class="fine" style="margin:16px 0 0;color:#566173;font-size:14px;line-height:20px">
          {line as "safe"}
        </p>
      ))}
    </>
  );
}

function Button({ label, link, orOpen, colour }: Record<"label" | "link" | "orOpen" | "colour", string>): JSX.Element {
  return (
    <>
      <table role="presentation" cellpadding="0" cellspacing="0" border={0} style="margin:8px 0 16px">
        <tr>
          <td style={`background:${colour};border-radius:6px;padding:12px 20px`}>
            <a href={link} style={`${FONT};color:#ffffff;text-decoration:none;font-weight:bold`} safe>
              {label}
            </a>
          </td>
        </tr>
      </table>
      <p class="fine" style="margin:0;color:#566173;font-size:14px;line-height:20px;word-break:break-all">
        {escapeHtml(orOpen) as "safe"}{" "}
        <a class="link" href={link} dir="ltr" style={`color:${colour}`} safe>
          {link}
        </a>
      </p>
    </>
  );
}
