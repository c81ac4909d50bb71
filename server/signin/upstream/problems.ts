// What a way to a provider and back can come to, as the person at the browser and the audit log are told of it.

import type { AuditEntry } from "../../audit/index.ts";
import type { UpstreamFailureKind } from "./failure.ts";
import type { Provider } from "./providers/store.ts";

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
    line: "It cannot be reached or does not answer at the moment. Try again in a while; if it stays so, tell whoever looks after the application.",
    reason: "ProviderUnavailable",
  },
  misconfigured: {
    status: 502,
    line: "It and this service do not agree on how they work together. Tell whoever looks after the application.",
    reason: "ProviderMisconfigured",
  },
  untrusted: {
    status: 502,
    line: "Its answer cannot be trusted, so it was not used.",
    reason: "ProviderUntrusted",
  },
  declined: {
    status: 403,
    line: "It did not sign you in, or you have ended the sign-in there.",
    reason: "ProviderDeclined",
  },
  "switched-off": { status: 403, line: "Signing in with it is switched off.", reason: "ProviderSwitchedOff" },
  inactive: { status: 403, line: "Your account here is not active.", reason: "InactiveUser" },
  stranger: {
    status: 403,
    line:
      "Your account there is none of those that get an account here. Sign in there with another one, or ask whoever " +
      "looks after the application.",
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
