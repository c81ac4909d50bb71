// All failures of a request without a response, one word each.

export const FAILURES = [
  /** The name has no address, or the resolver did not answer. */
  "dns",
  /** The URL or a resolved address is not allowed. Nothing was sent. */
  "blocked-address",
  "refused",
  /** No route to the address, or a firewall rejected it. */
  "unreachable",
  /** No TLS, or an untrusted, mismatched or expired certificate. Nothing was sent. */
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

/** Codes of OpenSSL and Node.js, such as DEPTH_ZERO_SELF_SIGNED_CERT or ERR_TLS_CERT_ALTNAME_INVALID. */
const TLS_CODE =
  /^(CERT_|CRL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_|ERR_SSL_|ERROR_IN_CERT_|INVALID_CA|HOSTNAME_MISMATCH)|_CERT(IFICATE)?(_|$)/;

/** The receiver's certificates do not lead to a trusted one. */
const INCOMPLETE_CHAIN = [
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
];

const SENTENCES: Record<Exclude<Failure, "dns" | "blocked-address" | "unsent">, string> = {
  refused: "refused the connection",
  unreachable: "cannot be reached",
  tls: "has no valid TLS certificate",
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
  const code = codeOf(error);
  const failure = WORDS.get(code) ?? (TLS_CODE.test(code) ? "tls" : "protocol");
  const question = INCOMPLETE_CHAIN.includes(code) ? ": is an intermediate certificate missing?" : "";
  return new EgressError(failure, `${host} ${SENTENCES[failure as keyof typeof SENTENCES]} (${code})${question}`);
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
