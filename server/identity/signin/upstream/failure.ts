// All failures of a sign-in at a provider, with texts for users, the log and the audit log.

import { ClientError, ResponseBodyError, WWWAuthenticateChallengeError } from "openid-client";
import { EgressError } from "../../../platform/egress/index.ts";
import type { AuditEntry } from "../../../records/index.ts";
import type { Provider } from "./providers/contract.ts";

export type UpstreamFailureKind =
  /** The provider is down, slow or failing. */
  | "unavailable"
  /** The settings do not match the provider: wrong client credentials or address. */
  | "misconfigured"
  /** The response is invalid: forged, stale, for another client, or outside the protocol. */
  | "untrusted"
  /** The provider returned the browser without signing the user in. */
  | "declined"
  /** Re-authentication was required, and the response does not confirm it. */
  | "not-anew"
  /** The provider was deactivated. */
  | "switched-off";

export class UpstreamFailure extends Error {
  /** @param detail for the log: a code or a host, never a user's or provider's value */
  constructor(
    readonly kind: UpstreamFailureKind,
    readonly detail: string,
  ) {
    super(detail);
    this.name = new.target.name;
  }
}

/** Maps a protocol error to UpstreamFailure; returns other errors unchanged. */
export function toUpstreamFailure(error: unknown): unknown {
  for (let cause = error; cause instanceof Error; cause = cause.cause as unknown) {
    if (cause instanceof UpstreamFailure) return cause;
    if (cause instanceof EgressError) {
      return new UpstreamFailure(cause.failure === "blocked-address" ? "misconfigured" : "unavailable", cause.detail);
    }
  }
  if (error instanceof ResponseBodyError) {
    // A foreign or stolen code: the settings are correct.
    const kind = error.error === "invalid_grant" ? "untrusted" : "misconfigured";
    return new UpstreamFailure(
      kind,
      `the token endpoint answered ${error.status} ${codeOf(error.error, error.error_description)}`,
    );
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
    return new UpstreamFailure("untrusted", `${whatIsWrong(error)} (${error.code ?? "no code"})`);
  }
  // The provider's value cannot be used in the next call.
  const { code } = error as { code?: unknown };
  if (error instanceof TypeError && /^ERR_INVALID_(ARG|URL)/.test(String(code))) {
    return new UpstreamFailure("untrusted", `an answer does not fit (${code})`);
  }
  return error;
}

/** The inner error names the claim or member; its texts contain no values of the provider. */
function whatIsWrong(error: ClientError): string {
  const inner = error.cause instanceof Error ? error.cause : error;
  const { claim, claims } = (inner.cause ?? {}) as { claim?: string; claims?: Record<string, unknown> };
  const isMissing = claim !== undefined && claims !== undefined && claims[claim] === undefined;
  return isMissing ? `the id_token has no ${claim}, which the provider must include` : inner.message;
}

/** For a response outside the protocol. 429 (RFC 6585 4) is temporary, too. */
export function kindOfStatus(status: number): UpstreamFailureKind {
  return status >= 500 || status === 429 ? "unavailable" : "untrusted";
}

/** The provider's error code, and the codes that Microsoft adds in the description. */
export function codeOf(error: string, description = ""): string {
  const code = /^[\w.-]{1,64}$/.test(error) ? error : "another error";
  const own = /\bAAD(STS|B2C)\d{1,8}\b/.exec(description)?.[0];
  return own ? `${code} (${own})` : code;
}

// The outcomes of a redirect to a provider, as users and the audit log see them.

export type UpstreamProblem =
  | UpstreamFailureKind
  | "inactive"
  | "stranger"
  | "other-user"
  | "same-account"
  | "unknown"
  | "taken";

interface ProblemText {
  status: number;
  reason: string;
}

/** The pages' texts are `providerProblems` of the catalogue. */
const PROBLEM_TEXTS: Record<UpstreamProblem, ProblemText> = {
  unavailable: { status: 502, reason: "ProviderUnavailable" },
  misconfigured: { status: 502, reason: "ProviderMisconfigured" },
  untrusted: { status: 502, reason: "ProviderUntrusted" },
  declined: { status: 403, reason: "ProviderDeclined" },
  "not-anew": { status: 403, reason: "ProviderNotAnew" },
  "switched-off": { status: 403, reason: "ProviderSwitchedOff" },
  inactive: { status: 403, reason: "InactiveUser" },
  stranger: { status: 403, reason: "NotAllowed" },
  "other-user": { status: 403, reason: "NotTheUserAskedFor" },
  "same-account": { status: 403, reason: "ProviderNotAnew" },
  unknown: { status: 403, reason: "UnknownUser" },
  taken: { status: 409, reason: "LinkedElsewhere" },
};

export function problemText(problem: UpstreamProblem): ProblemText {
  return PROBLEM_TEXTS[problem];
}

/** About the user if known, otherwise about the provider. @param known detail without personal data or secrets */
export function failedBy(
  kind: "SignIn.Failed" | "Identity.LinkFailed",
  { id }: Pick<Provider, "id">,
  problem: UpstreamProblem,
  { userId, detail }: { userId?: number; detail?: string } = {},
): AuditEntry {
  const provider = { type: "IdentityProvider", id: String(id) };
  const details = { Reason: problemText(problem).reason, IdentityProviderId: provider.id };
  return {
    kind,
    subject: userId === undefined ? provider : { type: "User", id: userId },
    details: detail === undefined ? details : { ...details, Detail: detail },
  };
}
