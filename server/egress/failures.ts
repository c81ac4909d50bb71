// Every way a request can fail without an answer, each as one word.

export const FAILURES = [
  /** The name has no address, or the resolver did not answer. */
  "dns",
  /** The URL, or an address its name resolves to, is not one this service may talk to. Nothing was sent. */
  "blocked-address",
  /** Nothing listens at the address. */
  "refused",
  /** No way to the address: no route, or a firewall says no. */
  "unreachable",
  /** No TLS, or a certificate that is not trusted, not for this name, or out of date. Nothing was sent. */
  "tls",
  /** No complete answer within the time given, its body included. */
  "timeout",
  /** The receiver closed the connection before its answer was complete. */
  "reset",
  /** The head of the answer is larger than will be read, or for `fetch` its body; of a post's a part is enough. */
  "too-large",
  /** What came back is not HTTP. */
  "protocol",
  /** The caller gave up, as at shutdown. */
  "cancelled",
  /** There was no place for it: nothing has left, and nobody has failed. */
  "unsent",
] as const;
export type Failure = (typeof FAILURES)[number];

/** A failure on its way to becoming an outcome. */
export class EgressError extends Error {
  constructor(
    readonly failure: Failure,
    readonly detail: string,
  ) {
    super(detail);
    this.name = "EgressError";
  }
}

/** HTTPS_PROXY made no connection. */
export class NotConnected extends Error {
  /** @param reason what HTTPS_PROXY did, for people */
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

/** Names of OpenSSL and Node.js, such as DEPTH_ZERO_SELF_SIGNED_CERT or ERR_TLS_CERT_ALTNAME_INVALID. */
const TLS_CODE =
  /^(CERT_|CRL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_|ERR_SSL_|ERROR_IN_CERT_|INVALID_CA|HOSTNAME_MISMATCH)|_CERT(IFICATE)?(_|$)/;

/** No way from the certificates that the receiver sent to one that is trusted. */
const INCOMPLETE_CHAIN = [
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
];

const SENTENCES: Record<Exclude<Failure, "dns" | "blocked-address" | "unsent">, string> = {
  refused: "refused the connection",
  unreachable: "cannot be reached",
  tls: "did not prove who it is by TLS",
  timeout: "did not answer in time",
  reset: "closed the connection before its answer was complete",
  "too-large": "sent an answer whose head is too large",
  protocol: "did not answer in HTTP",
  cancelled: "was not waited for",
};

/** Puts an error into a word. Its own message is dropped, because it may repeat the request. */
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
