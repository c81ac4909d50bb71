import { ACR, type Session } from "../../signin/session.ts";
import { AuthorizationError } from "../errors.ts";
import { type AuthorizationRequest, RefusedRequest } from "./authorization-request.ts";

export type Step =
  | { name: "sign-in" }
  | { name: FactorStep | "offer-passkey" | "keep" | "choose-account" | "consent" | "answer"; session: Session };
type FactorStep = "second-factor" | "enrolment" | "new-passkey";

/**
 * OIDC Core 3.1.2.3. @param session of the client's tenant; it may be unfinished
 * @throws RefusedRequest if a step is needed and prompt is none (OIDC Core 3.1.2.6)
 */
export async function nextStep(
  request: AuthorizationRequest,
  session: Session | undefined,
  hasConsented: (session: Session) => Promise<boolean>,
): Promise<Step> {
  const { prompts, client, reply } = request;
  const mayAsk = (error: AuthorizationError) => {
    if (prompts.has("none")) throw new RefusedRequest(error, reply, "unanswerable");
  };
  if (session && prompts.has("select_account") && !prompts.has("login") && !session.isUnfinished) {
    return { name: "choose-account", session };
  }
  if (!session || needsSignIn(request, session)) {
    mayAsk(new AuthorizationError("login_required", "The user must sign in."));
    return { name: "sign-in" };
  }
  if (needsSecondFactor(request, session)) {
    mayAsk(new AuthorizationError("login_required", "The user must give a second factor."));
    return { name: missingFactor(session), session };
  }
  if (session.passkeyDue === "offer" && !prompts.has("none")) return { name: "offer-passkey", session };
  if (session.isKept === null && !prompts.has("none")) return { name: "keep", session };
  if (prompts.has("consent") || !(client.firstParty || (await hasConsented(session)))) {
    mayAsk(new AuthorizationError("consent_required", "The user must allow the access."));
    return { name: "consent", session };
  }
  return { name: "answer", session };
}

/** A required passkey is added after all factors that the user has. */
export function missingFactor({ acr, passkeyDue, hasSecondFactor, hasPasskey }: Session): FactorStep {
  const hasFactor = hasSecondFactor || hasPasskey;
  if (passkeyDue === "add" && (acr === ACR.twoFactors || !hasFactor)) return "new-passkey";
  return hasFactor ? "second-factor" : "enrolment";
}

function needsSignIn(request: AuthorizationRequest, session: Session): boolean {
  const { prompts, maxAge, signedInSince, expectedUser } = request;
  const { userId, age, isAuthTimeKnown, begunOn, passkeyDue, hasJustBegun } = session;
  if (prompts.has("login")) return true;
  // An older session may have been taken over, so it is not enough to add a passkey.
  if (passkeyDue === "add" && !hasJustBegun) return true;
  if (signedInSince !== undefined && begunOn < signedInSince) return true;
  if (expectedUser !== undefined && expectedUser !== userId) return true;
  // OIDC Core 15.1: max_age=0 is equivalent to prompt=login.
  return maxAge !== undefined && (maxAge === 0 || !isAuthTimeKnown || age > maxAge);
}

/** A client can require one by an essential acr (OIDC Core 5.5.1.1) but not waive it; acr_values are voluntary. */
function needsSecondFactor({ claims: { acrs } }: AuthorizationRequest, { isUnfinished, acr }: Session): boolean {
  return isUnfinished || (acr === ACR.oneFactor && acrs !== undefined && !acrs.includes(ACR.oneFactor));
}
