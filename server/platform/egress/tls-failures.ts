// TLS failures in words: what is wrong at the receiver, and what to change. By the code of OpenSSL or Node.js.

interface TlsProblem {
  codes: string[];
  /** The end of a sentence that begins with the host. */
  problem: string;
  solution: string;
}

const NO_COMMON_CIPHER: TlsProblem = {
  codes: [
    ...["HANDSHAKE_FAILURE", "INSUFFICIENT_SECURITY", "UNKNOWN_CIPHER_RETURNED", "WRONG_CIPHER_RETURNED"],
    ...["WRONG_CURVE", "UNSUPPORTED_ELLIPTIC_CURVE", "WRONG_SIGNATURE_TYPE", "NO_COMMON_SIGNATURE_ALGORITHMS"],
  ],
  problem: "has no TLS cipher or curve in common with Gatehouse",
  solution: "enable ECDHE with AES-GCM or ChaCha20, on P-256 or X25519, there",
};

/** Gatehouse sends no client certificate, so an alert about a certificate means that the server demands one. */
const CLIENT_CERTIFICATE: TlsProblem = {
  codes: [
    ...["CERTIFICATE_REQUIRED", "NO_CERTIFICATE", "BAD_CERTIFICATE", "UNSUPPORTED_CERTIFICATE", "UNKNOWN_CA"],
    ...["CERTIFICATE_UNKNOWN", "CERTIFICATE_EXPIRED", "CERTIFICATE_REVOKED"],
  ],
  problem: "demands a client certificate, which Gatehouse does not have",
  solution: "do not demand one for this address; the signature authenticates the calls",
};

export const TLS_PROBLEMS: readonly TlsProblem[] = [
  {
    codes: ["WRONG_VERSION_NUMBER", "HTTP_REQUEST", "HTTPS_PROXY_REQUEST"],
    problem: "does not speak TLS on this port, but perhaps plain HTTP",
    solution: "enable HTTPS there, or correct the port",
  },
  {
    codes: ["PROTOCOL_VERSION", "UNSUPPORTED_PROTOCOL", "WRONG_SSL_VERSION", "INAPPROPRIATE_FALLBACK"],
    problem: "supports neither TLS 1.2 nor TLS 1.3",
    solution: "enable one of them there",
  },
  NO_COMMON_CIPHER,
  CLIENT_CERTIFICATE,
  {
    codes: ["UNRECOGNIZED_NAME"],
    problem: "has no certificate for this name",
    solution: "configure TLS for the name there, or correct the address",
  },
  {
    codes: ["INTERNAL_ERROR"],
    problem: "failed during the TLS handshake",
    solution: "see its log; often it has no certificate for this name",
  },
  {
    codes: ["CERT_HAS_EXPIRED"],
    problem: "has an expired certificate",
    solution: "renew it, and those that signed it",
  },
  {
    codes: ["CERT_NOT_YET_VALID"],
    problem: "has a certificate that is not valid yet",
    solution: "check its dates, and the clocks of both machines",
  },
  {
    codes: ["ERR_TLS_CERT_ALTNAME_INVALID", "HOSTNAME_MISMATCH", "IP_ADDRESS_MISMATCH"],
    problem: "has a certificate for a different name",
    solution: "correct the address, or get a certificate for this name",
  },
  {
    codes: ["DEPTH_ZERO_SELF_SIGNED_CERT"],
    problem: "has a self-signed certificate",
    solution: "get one from a public authority, or ask the operator to add it to EGRESS_CA_FILE",
  },
  {
    codes: ["SELF_SIGNED_CERT_IN_CHAIN", "CERT_UNTRUSTED", "CERT_REJECTED"],
    problem: "has a certificate of an authority that is not trusted here",
    solution: "get one from a public authority, or ask the operator to add the authority to EGRESS_CA_FILE",
  },
  {
    codes: ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "UNABLE_TO_GET_ISSUER_CERT", "UNABLE_TO_GET_ISSUER_CERT_LOCALLY"],
    problem: "has a certificate that leads to no trusted authority",
    solution:
      "is an intermediate certificate missing? Serve the complete chain, or ask the operator to add the authority to " +
      "EGRESS_CA_FILE",
  },
  {
    codes: ["INVALID_PURPOSE"],
    problem: "has a certificate that is not for servers",
    solution: "get one for server authentication (serverAuth)",
  },
];

const BY_CODE = new Map(TLS_PROBLEMS.flatMap((problem) => problem.codes.map((code) => [code, problem] as const)));

/** Alerts of the receiver and errors of our own TLS library. */
const PREFIX = /^ERR_SSL_((SSLV3|TLSV1)_ALERT_)?/;

/** @param isCipherAgreed TLS 1.2 then reports a missing client certificate by the same alert as a missing cipher */
export function tlsProblemOf(code: string, isCipherAgreed: boolean): TlsProblem | undefined {
  const problem = BY_CODE.get(code.replace(PREFIX, ""));
  return problem === NO_COMMON_CIPHER && isCipherAgreed ? CLIENT_CERTIFICATE : problem;
}

/** RFC 7301 3.2: the receiver does not support HTTP/1.1, the only protocol that Gatehouse offers. */
export const NO_APPLICATION_PROTOCOL = "ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL";
