// SMTP_URL and the other variables of mails.

import { readUrl } from "../address.ts";
import { isMailAddress } from "../mail-address.ts";
import { parseCertificatesFile, parseInteger, type Read } from "./values.ts";

export interface MailConfig {
  /** Undefined: no mail is sent. */
  smtp: SmtpConfig | undefined;
  /** The address of the sender of all mails. */
  from: string;
  /** Mails that are sent in a second, over all tenants. */
  rate: number;
  /** Under `start` without SMTP_URL (process.ts): mails stay in Settings, with their links. */
  isKept: boolean;
}

export interface SmtpConfig {
  host: string;
  port: number;
  /** TLS from the first byte; STARTTLS is required; STARTTLS if the server offers it (loopback); none. */
  tls: "implicit" | "required" | "offered" | "none";
  login: { user: string; password: string } | undefined;
  caFile: string | undefined;
}

const MAX_RATE = 1_000;
const URL_FORM =
  "smtps://USER:PASSWORD@HOST (TLS), smtp://… (STARTTLS) or smtp+insecure://… (no TLS), with a port if it is not 465, 587 or " +
  "25, and with percent-encoded user name and password";
const HOST = /^([a-z\d]([a-z\d.-]*[a-z\d])?|\[[\da-f:.]+\])$/i;
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;
const SCHEMES = new Map<string, { port: number; tls: SmtpConfig["tls"] }>(
  Object.entries({
    "smtps:": { port: 465, tls: "implicit" },
    "smtp:": { port: 587, tls: "required" },
    "smtp+insecure:": { port: 25, tls: "none" },
  }),
);

export function readMail(read: Read, env: Record<string, string | undefined>, problems: string[]): MailConfig {
  const url = read<Omit<SmtpConfig, "caFile"> | undefined>("SMTP_URL", undefined, parseSmtpUrl);
  const caFile = read<string | undefined>("SMTP_CA_FILE", undefined, parseCertificatesFile);
  const from = read("MAIL_FROM", "", parseFrom);
  if (url && !env.MAIL_FROM)
    problems.push("MAIL_FROM is missing; with SMTP_URL it must be the address that mails come from");
  return {
    smtp: url && { ...url, caFile },
    from,
    rate: read("MAIL_RATE", 10, (text) =>
      parseInteger(text, 1, MAX_RATE, `a whole number of mails in a second from 1 to ${MAX_RATE}`),
    ),
    isKept: false,
  };
}

function parseSmtpUrl(text: string): Omit<SmtpConfig, "caFile"> {
  const url = readUrl(text);
  const scheme = url && SCHEMES.get(url.protocol);
  if (!scheme || !HOST.test(url.hostname) || !/^\/?$/.test(url.pathname) || url.search || url.hash)
    throw new Error(URL_FORM);
  const isLoopback = LOOPBACK.test(url.hostname);
  try {
    const user = decodeURIComponent(url.username);
    return {
      host: url.hostname.replace(/^\[(.*)\]$/, "$1"),
      port: Number(url.port) || scheme.port,
      tls: scheme.tls === "required" && isLoopback ? "offered" : scheme.tls,
      login: user ? { user, password: decodeURIComponent(url.password) } : undefined,
    };
  } catch {
    throw new Error(URL_FORM);
  }
}

function parseFrom(text: string): string {
  if (!isMailAddress(text)) throw new Error("one mail address without a name, such as noreply@example.com");
  return text;
}
