// Every way a sign-in at a provider can fail, in words for the person at the browser, the log and the audit log.

import { ClientError, ResponseBodyError, WWWAuthenticateChallengeError } from "openid-client";
import type { AuditEntry } from "../../audit/index.ts";
import { EgressError } from "../../egress/index.ts";
import type { Provider } from "./providers/store.ts";

export type UpstreamFailureKind =
  /** The provider is down, slow or failing. */
  | "unavailable"
  /** The provider and we do not agree on who we are, or on where it is. */
  | "misconfigured"
  /** What it sent is not what it should be: forged, stale, meant for somebody else, or none of the protocol's. */
  | "untrusted"
  /** The provider sent the browser back without having signed the user in. */
  | "declined"
  /** The user had to sign in anew, and it does not say that they have. */
  | "not-anew"
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
    // A code that is not ours, or that somebody else began: the settings are right.
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
  // What the provider sent does not even fit into the next call.
  const { code } = error as { code?: unknown };
  if (error instanceof TypeError && /^ERR_INVALID_(ARG|URL)/.test(String(code))) {
    return new UpstreamFailure("untrusted", `an answer does not fit (${code})`);
  }
  return error;
}

/** The inner error names the claim or the member; none of its texts has a value of the provider's in it. */
function whatIsWrong(error: ClientError): string {
  const inner = error.cause instanceof Error ? error.cause : error;
  const { claim, claims } = (inner.cause ?? {}) as { claim?: string; claims?: Record<string, unknown> };
  const isMissing = claim !== undefined && claims !== undefined && claims[claim] === undefined;
  return isMissing ? `the id_token has no ${claim}, which the provider has to put there` : inner.message;
}

/** For an answer outside the protocol. RFC 6585 4: 429 passes, too. */
export function kindOfStatus(status: number): UpstreamFailureKind {
  return status >= 500 || status === 429 ? "unavailable" : "untrusted";
}

/** An error's code as a provider sends it, and of a text beside it the codes that Microsoft puts there. */
export function codeOf(error: string, description = ""): string {
  const code = /^[\w.-]{1,64}$/.test(error) ? error : "another error";
  const own = /\bAAD(STS|B2C)\d{1,8}\b/.exec(description)?.[0];
  return own ? `${code} (${own})` : code;
}

// What a way to a provider and back can come to, as the person at the browser and the audit log are told of it.

export type UpstreamProblem = UpstreamFailureKind | "inactive" | "stranger" | "other-user" | "unknown" | "taken";

interface Told {
  status: number;
  /** For the person at the browser. */
  line: string;
  /** The audit log's word, in Details. */
  reason: string;
}

const TOLD: Record<UpstreamProblem, Told> = {
  unavailable: {
    status: 502,
    line:
      "It cannot be reached or does not answer at the moment. Try again in a while; if it stays so, tell the " +
      "administrator of the application.",
    reason: "ProviderUnavailable",
  },
  misconfigured: {
    status: 502,
    line:
      "It and this service do not agree on how they work together, and trying again does not change that. Tell the " +
      "administrator of the application.",
    reason: "ProviderMisconfigured",
  },
  untrusted: {
    status: 502,
    line:
      "Its answer cannot be trusted, so it was not used. Try again; if it stays so, tell the administrator of the " +
      "application.",
    reason: "ProviderUntrusted",
  },
  declined: {
    status: 403,
    line:
      "It did not sign you in, or you have ended the sign-in there. Try again; if it refuses you each time, ask the " +
      "administrator of your account there.",
    reason: "ProviderDeclined",
  },
  "not-anew": {
    status: 403,
    line:
      "The application wants you to sign in anew, and it does not say that you have. Sign in another way, or tell the " +
      "administrator of the application.",
    reason: "ProviderNotAnew",
  },
  "switched-off": {
    status: 403,
    line: "Signing in with it is switched off. Ask the administrator of the application.",
    reason: "ProviderSwitchedOff",
  },
  inactive: {
    status: 403,
    line: "Your account here is not active. Ask the administrator of the application.",
    reason: "InactiveUser",
  },
  stranger: {
    status: 403,
    line:
      "Your account there does not get an account here. Sign in there with another one, or ask the administrator of " +
      "the application.",
    reason: "NotAllowed",
  },
  "other-user": {
    status: 403,
    line: "The application asked for another account. Sign in with that one.",
    reason: "NotTheUserAskedFor",
  },
  unknown: {
    status: 403,
    line: "No account here is linked with yours there. Sign in another way; then you can link it on this page.",
    reason: "UnknownUser",
  },
  taken: {
    status: 409,
    line: "Your account there is linked with another account here, which has to be unlinked first.",
    reason: "LinkedElsewhere",
  },
};

export function toldOf(problem: UpstreamProblem): Told {
  return TOLD[problem];
}

/**
 * What the audit log has of it: about the user, if that is known, else about the provider.
 * @param known detail: an UpstreamFailure's, which tells of no person and no secret
 */
export function failedBy(
  kind: "SignIn.Failed" | "Identity.LinkFailed",
  { id }: Pick<Provider, "id">,
  problem: UpstreamProblem,
  { userId, detail }: { userId?: number; detail?: string } = {},
): AuditEntry {
  const provider = { type: "IdentityProvider", id: String(id) };
  const details = { Reason: toldOf(problem).reason, IdentityProviderId: provider.id };
  return {
    kind,
    subject: userId === undefined ? provider : { type: "User", id: userId },
    details: detail === undefined ? details : { ...details, Detail: detail },
  };
}
