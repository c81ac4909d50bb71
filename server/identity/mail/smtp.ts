// One attempt of a mail: a connection to the SMTP server, through the same checks as webhooks.

import { Readable } from "node:stream";
import { createTransport } from "nodemailer";
import type { MailConfig, SmtpConfig } from "../../platform/config/mail.ts";
import { createTrust, type Egress, EgressError } from "../../platform/egress/index.ts";
import type { TenantId } from "../../platform/ids.ts";

/** Of each step, and of the whole attempt. */
const STEP_MS = 15_000;
export const SMTP_TIMEOUT_MS = 60_000;
/** The server's last line is stored up to this length. */
const MAX_RESPONSE = 500;

export interface Message {
  tenantId: TenantId;
  from: string;
  to: string;
  /** The whole mail, with its headers. */
  source: Buffer;
  /** Not to be stored, although a server may repeat them. */
  secrets: readonly string[];
}

/** In one word, why a mail was not sent by an attempt. */
export type SmtpFailure = (typeof OF_RECIPIENT)[number] | "deferred" | "credentials" | "sender" | string;

/** 5xx for the recipient, or for the content: no further attempt. */
const OF_RECIPIENT = ["bounced", "rejected"] as const;

export interface SmtpResult {
  durationMs: number;
  statusCode: number | null;
  /** null: sent. */
  failure: SmtpFailure | null;
  /** The server's last line, or the error if it did not answer. */
  response: string;
  /** Whether the server works, although it may have refused this mail. */
  isServing: boolean;
  /** No attempt can succeed. */
  isFinal: boolean;
}

export type SendMessage = (message: Message, signal: AbortSignal) => Promise<SmtpResult>;

export function createSendMessage(
  egress: Pick<Egress, "connect">,
  smtp: SmtpConfig,
  { from }: Pick<MailConfig, "from">,
): SendMessage {
  const { host, port, tls, login } = smtp;
  const trust = createTrust(smtp.caFile);
  return async ({ tenantId, to, source, secrets, from: sender }, signal) => {
    let isContentSent = false;
    const content = Readable.from(
      (async function* () {
        isContentSent = true;
        yield source;
      })(),
    );
    const transport = createTransport({
      host,
      port,
      secure: tls === "implicit",
      requireTLS: tls === "required",
      ignoreTLS: tls === "none",
      ...(login && { auth: { user: login.user, pass: login.password } }),
      // A name for EHLO; the default is this machine's.
      name: from.slice(from.lastIndexOf("@") + 1),
      tls: { secureContext: trust(), rejectUnauthorized: true, minVersion: "TLSv1.2" },
      connectionTimeout: STEP_MS,
      greetingTimeout: STEP_MS,
      socketTimeout: STEP_MS,
      disableFileAccess: true,
      disableUrlAccess: true,
      getSocket(_, callback) {
        egress.connect(tenantId, host, port, STEP_MS).then(
          (connection) => callback(null, { connection }),
          (error) => callback(error, false),
        );
      },
    });
    const began = performance.now();
    const end = (result: Omit<SmtpResult, "durationMs">): SmtpResult => {
      const hidden = [...secrets, login?.password ?? ""].filter(Boolean);
      const response = hidden.reduce((text, secret) => text.replaceAll(secret, "…"), result.response);
      return { ...result, response: oneLine(response), durationMs: Math.round(performance.now() - began) };
    };
    try {
      const { response } = await transport.sendMail({
        envelope: { from: sender, to },
        raw: content,
        signal: AbortSignal.any([signal, AbortSignal.timeout(SMTP_TIMEOUT_MS)]),
      });
      return end({ statusCode: codeOf(response), failure: null, response, isServing: true, isFinal: true });
    } catch (error) {
      return end(judged(error, isContentSent, signal));
    }
  };
}

/**
 * A server's temporary refusal, and a connection that is lost or late after the login, concern this mail, such as a server
 * that asks the recipient's; others concern the server.
 */
function judged(error: unknown, isContentSent: boolean, signal: AbortSignal): Omit<SmtpResult, "durationMs"> {
  const { code, command, response, responseCode, message } = error as Error & Partial<Record<string, unknown>>;
  const statusCode = typeof responseCode === "number" ? responseCode : null;
  const isOfMail = statusCode !== null && (command === "RCPT TO" || command === "DATA");
  const isFinal = isOfMail && statusCode >= 500;
  const failure = signal.aborted
    ? "cancelled"
    : isFinal
      ? OF_RECIPIENT[command === "RCPT TO" ? 0 : 1]
      : isOfMail
        ? "deferred"
        : ofServer(error, code, command);
  return {
    statusCode,
    failure,
    response: typeof response === "string" ? response : String(message),
    // The content is read before the server has accepted the sender.
    isServing: isOfMail || signal.aborted || (isContentSent && (failure === "reset" || failure === "timeout")),
    isFinal,
  };
}

const WORDS = new Map(
  Object.entries({
    EAUTH: "credentials",
    ENOAUTH: "credentials",
    ETLS: "tls",
    ETIMEDOUT: "timeout",
    EDNS: "dns",
    ABORT_ERR: "timeout",
  }),
);

function ofServer(error: unknown, code: unknown, command: unknown): SmtpFailure {
  if (error instanceof EgressError) return error.failure;
  if (command === "MAIL FROM") return "sender";
  const text = String(code);
  return WORDS.get(text) ?? (/certificate|\bTLS\b|\bSSL\b/i.test((error as Error).message) ? "tls" : "reset");
}

const codeOf = (response: string) => Number(/^\d{3}/.exec(response)?.[0]) || null;

const oneLine = (text: string) =>
  text
    .replaceAll(/[\p{Cc}\s]+/gu, " ")
    .trim()
    .slice(0, MAX_RESPONSE)
    .toWellFormed();
