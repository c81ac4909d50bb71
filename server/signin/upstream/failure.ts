// Every way a sign-in at a provider can fail, in words for the person at the browser and for the log.

import { ClientError, ResponseBodyError, WWWAuthenticateChallengeError } from "openid-client";
import { EgressError } from "../../egress/index.ts";

export type UpstreamFailureKind =
  /** The provider is down, slow or failing. */
  | "unavailable"
  /** The provider and we do not agree on who we are, or on where it is. */
  | "misconfigured"
  /** What it sent is not what it should be: forged, stale, meant for somebody else, or none of the protocol's. */
  | "untrusted"
  /** The provider sent the browser back without having signed the user in. */
  | "declined"
  /** It is not used any more. */
  | "switched-off";

export class UpstreamFailure extends Error {
  /** @param detail for the log: a code or a host, never a value of the user's or of the provider's */
  constructor(
    readonly kind: UpstreamFailureKind,
    readonly detail: string,
  ) {
    super(detail);
    this.name = new.target.name;
  }
}

/** Names what went wrong in the protocol, or gives back what is no failure of the provider. */
export function toUpstreamFailure(error: unknown): unknown {
  if (error instanceof UpstreamFailure) return error;
  for (let cause = error; cause instanceof Error; cause = cause.cause as unknown) {
    if (cause instanceof EgressError) {
      return new UpstreamFailure(cause.failure === "blocked-address" ? "misconfigured" : "unavailable", cause.detail);
    }
  }
  if (error instanceof ResponseBodyError) {
    // A code that is none of ours, or was begun by somebody else: the settings are right.
    const kind = error.error === "invalid_grant" ? "untrusted" : "misconfigured";
    return new UpstreamFailure(kind, `the token endpoint answered ${error.status} ${knownCode(error.error)}`);
  }
  if (error instanceof WWWAuthenticateChallengeError) {
    return new UpstreamFailure("misconfigured", `an endpoint answered ${error.status}`);
  }
  if (error instanceof ClientError) {
    const { cause } = error;
    if (cause instanceof Response) {
      const what = error.code === "OAUTH_RESPONSE_IS_NOT_JSON" && cause.ok ? ", but no JSON" : "";
      return new UpstreamFailure(kindOfStatus(cause.status), `an endpoint answered ${cause.status}${what}`);
    }
    return new UpstreamFailure("untrusted", `${error.message} (${error.code ?? "no code"})`);
  }
  // What the provider sent does not even fit into the next call.
  const { code } = error as { code?: unknown };
  if (error instanceof TypeError && /^ERR_INVALID_(ARG|URL)/.test(String(code))) {
    return new UpstreamFailure("untrusted", `an answer does not fit (${code})`);
  }
  return error;
}

/** Of an answer that is none of the protocol's. RFC 6585 4: 429 is for a while, too. */
export function kindOfStatus(status: number): UpstreamFailureKind {
  return status >= 500 || status === 429 ? "unavailable" : "untrusted";
}

/** RFC 6749 5.2. */
const TOKEN_ERRORS = [
  "invalid_request",
  "invalid_client",
  "invalid_grant",
  "unauthorized_client",
  "unsupported_grant_type",
  "invalid_scope",
];

function knownCode(code: string): string {
  return TOKEN_ERRORS.includes(code) ? code : "another error";
}
