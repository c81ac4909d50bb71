// The user's own passkeys: added after a fresh proof, and removed.

import { readForm } from "../../../platform/http/body.ts";
import { pageResponse, texts } from "../../../ui/index.ts";
import { deviceOf } from "../device-name.ts";
import { NewPasskeyPage } from "../passkeys/pages.tsx";
import { redirectTo } from "../sign-out.tsx";
import { type Guarded, proofAsked } from "./guarded.tsx";
import { ACCOUNT_PATH, type AccountDependencies, type AccountVisit, toAccount } from "./visit.ts";

/** Seconds since the sign-in within which a removal, and for users without a password an addition, needs no other proof. */
const FRESH = 600;

export const NEW_PASSKEY: Guarded = {
  action: "/account/passkeys/add",
  words: ({ addPasskey: heading, addPasskeyLead: lead, continue: button }) => ({ heading, lead, button }),
  async isFresh(deps, { session }) {
    const { asksPassword, asksCode } = await proofAsked(deps, session);
    return asksPassword || asksCode || session.age < FRESH;
  },
  act: newPasskeyPage,
};

async function newPasskeyPage(
  deps: AccountDependencies,
  { request, session }: AccountVisit,
  problem?: string,
): Promise<Response> {
  const { csrf, cookies } = deps.forms.protect(request, session);
  const question = await deps.passkeys.propose(csrf, session);
  const { site } = deps.endpoints;
  const language = texts.speak(request);
  const back = { href: site.href(ACCOUNT_PATH), text: language.t.backToAccount };
  const shown = { site, language, csrf, question, problem, back, organisation: session.tenantName };
  const page = <NewPasskeyPage {...shown} action="/account/passkeys" />;
  return pageResponse(page, { status: problem ? 422 : 200, cookies });
}

/** The form was shown after the proof, and its seal belongs to this session. */
export async function addPasskey(deps: AccountDependencies, visit: AccountVisit): Promise<Response> {
  const { request, visitor, session } = visit;
  const form = await readForm(request);
  deps.forms.require(request, form.get("csrf"), session);
  const name = deviceOf(visitor.userAgent, texts.speak(request).t);
  const added = await deps.passkeys.add({ request, visitor, form, session, name });
  // Without a seal of ours, the proof must be given again.
  if (added.outcome === "stale") return redirectTo(deps.endpoints.site.href(NEW_PASSKEY.action), []);
  return added.outcome === "refused" ? newPasskeyPage(deps, visit, added.problem) : toAccount(deps, request, "passkey");
}

export async function removePasskey(deps: AccountDependencies, { request, session }: AccountVisit): Promise<Response> {
  const form = await readForm(request);
  deps.forms.require(request, form.get("csrf"), session);
  // A stolen session must not remove what protects the account.
  if (session.age >= FRESH) {
    return redirectTo(deps.endpoints.site.href(deps.signInAgain(session.tenantId, ACCOUNT_PATH)), []);
  }
  const outcome = await deps.passkeys.remove(request, session, form.get("passkey") ?? "");
  return toAccount(
    deps,
    request,
    outcome === "removed" ? "passkeyRemoved" : outcome === "last-way-in" ? "lastWayIn" : undefined,
  );
}
