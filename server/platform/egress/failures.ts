// All failures of a request without a response, one word each.

import { NO_APPLICATION_PROTOCOL, tlsProblemOf } from "./tls-failures.ts";

export const FAILURES = [
  /** The name has no address, or the resolver did not answer. */
  "dns",
  /** The URL or a resolved address is not allowed. Nothing was sent. */
  "blocked-address",
  "refused",
  /** No route to the address, or a firewall rejected it. */
  "unreachable",
  /** No TLS, or no common version or cipher, or a certificate is invalid or missing (tls-failures.ts). */
  "tls",
  /** No complete response, body included, within the timeout. */
  "timeout",
  /** The receiver closed the connection before its response was complete. */
  "reset",
  /** The response's headers are too large, or for `fetch` its body; a post reads only a part. */
  "too-large",
  /** The response is not HTTP. */
  "protocol",
  /** The caller aborted, such as at shutdown. */
  "cancelled",
  /** No capacity: nothing was sent. */
  "unsent",
] as const;
export type Failure = (typeof FAILURES)[number];

export class EgressError extends Error {
  constructor(
    readonly failure: Failure,
    readonly detail: string,
  ) {
    super(detail);
    this.name = "EgressError";
  }
}

export class NotConnected extends Error {
  /** @param reason what HTTPS_PROXY did, as text */
  constructor(readonly reason: string) {
    super(`HTTPS_PROXY ${reason}`);
  }
}

const WORDS = new Map<string, Failure>(
  Object.entries({
    ECONNREFUSED: "refused",
    EHOSTUNREACH: "unreachable",
    EHOSTDOWN: "unreachable",
    ENETUNREACH: "unreachable",
    ENETDOWN: "unreachable",
    EADDRNOTAVAIL: "unreachable",
    EACCES: "unreachable",
    EPERM: "unreachable",
    ETIMEDOUT: "timeout",
    ECONNRESET: "reset",
    ECONNABORTED: "reset",
    EPIPE: "reset",
    EPROTO: "tls",
    HPE_HEADER_OVERFLOW: "too-large",
  }),
);

/** Also a close_notify alert, and an end without a reset. */
const CLOSED = ["ECONNRESET", "ECONNABORTED", "EPIPE", "ERR_SOCKET_CLOSED", "ERR_SSL_SSLV3_ALERT_CLOSE_NOTIFY"];

/** Codes of OpenSSL and Node.js, such as DEPTH_ZERO_SELF_SIGNED_CERT or ERR_TLS_CERT_ALTNAME_INVALID. */
const TLS_CODE =
  /^(CERT_|CRL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_|ERR_SSL_|ERROR_IN_CERT_|INVALID_CA|HOSTNAME_MISMATCH)|_CERT(IFICATE)?(_|$)/;

/** A request failed before TLS was established, so it was not sent. */
export class FailedHandshake extends Error {
  constructor(
    override readonly cause: Error,
    readonly isCipherAgreed: boolean,
  ) {
    super("the TLS handshake failed", { cause });
  }
}

const SENTENCES: Record<Exclude<Failure, "dns" | "blocked-address" | "unsent">, string> = {
  refused: "refused the connection",
  unreachable: "cannot be reached",
  tls: "makes no valid TLS connection",
  timeout: "did not answer in time",
  reset: "closed the connection before its answer was complete",
  "too-large": "sent an answer with too large a head",
  protocol: "did not answer in HTTP",
  cancelled: "was aborted",
};

/** Classifies an error. Its message is dropped, because it may repeat the request. */
export function toEgressError(error: unknown, host: string): EgressError {
  if (error instanceof EgressError) return error;
  if (error instanceof NotConnected) {
    return new EgressError("unreachable", `${host} ${SENTENCES.unreachable}: ${error.message}`);
  }
  const handshake = error instanceof FailedHandshake ? error : undefined;
  const cause = handshake ? handshake.cause : error;
  const code = codeOf(cause);
  if (code === NO_APPLICATION_PROTOCOL || isHttp2(cause)) {
    return new EgressError("protocol", `${host} accepts only HTTP/2 (${code}): enable HTTP/1.1 there`);
  }
  const problem = tlsProblemOf(code, handshake?.isCipherAgreed === true);
  if (problem) return new EgressError("tls", `${host} ${problem.problem} (${code}): ${problem.solution}`);
  if (handshake && CLOSED.includes(code)) {
    const closed = `${host} closed the connection during the TLS handshake (${code})`;
    return new EgressError("reset", `${closed}: check the port, and the backends of a load balancer`);
  }
  const failure = WORDS.get(code) ?? (handshake || TLS_CODE.test(code) ? "tls" : "protocol");
  return new EgressError(failure, `${host} ${SENTENCES[failure as keyof typeof SENTENCES]} (${code})`);
}

export function timedOut(host: string, timeoutMs: number): EgressError {
  return new EgressError("timeout", `${host} ${SENTENCES.timeout} (${timeoutMs} ms)`);
}

export function cancelled(host: string): EgressError {
  return new EgressError("cancelled", `${host} ${SENTENCES.cancelled}`);
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown error";
  const { code } = error as { code?: unknown };
  return typeof code === "string" ? code : error.name;
}

/** Whether the answer begins with a SETTINGS frame of HTTP/2 (RFC 9113 3.4, 4.1), which some send unasked. */
function isHttp2(error: unknown): boolean {
  const { rawPacket } = Object(error) as { rawPacket?: Buffer };
  return rawPacket instanceof Uint8Array && rawPacket[0] === 0 && rawPacket[3] === 4;
}
