// The user's own second factor: set up, used, replaced, removed.

import { readForm } from "../../http/body.ts";
import { pageResponse } from "../../ui/index.ts";
import { flashCookie } from "../cookies.ts";
import { asksPassword, takeCode, takeEnrolment } from "../second-factor/forms.ts";
import { EnrolPage, RecoveryCodesPage, SecondFactorPage } from "../second-factor/pages.tsx";
import type { Proposal } from "../second-factor/second-factor.ts";
import type { Session, Visitor } from "../session.ts";
import type { Trouble } from "../throttle.ts";
import { ConfirmPage, proofAsked, troubleWithProof } from "./password.tsx";
import { ACCOUNT_PATH, type AccountDependencies, type AccountVisit, NOTICES, toAccount } from "./visit.ts";

/** POST /account/code: gives the second factor of an unfinished session. */
export async function giveCode(deps: AccountDependencies, request: Request, visitor: Visitor): Promise<Response> {
  const form = await readForm(request);
  const session = await deps.sessions.findStarted(request);
  if (!session) return toAccount(deps);
  const stale = deps.forms.troubleWith(request, form.get("csrf"), session);
  if (stale && !(session.isUnfinished && session.hasSecondFactor)) return toAccount(deps);
  const given = stale ? { trouble: stale } : await takeCode(deps, { request, visitor, session, form });
  if (given.trouble) return codePage(deps, request, session, given.trouble);
  return toAccount(deps, undefined, given.cookies);
}

export function codePage(
  { endpoints: { site }, forms }: AccountDependencies,
  request: Request,
  session: Session,
  { problem, status, headers }: Partial<Trouble> = {},
): Promise<Response> {
  const { csrf, cookies } = forms.protect(request, session);
  const page = (
    <SecondFactorPage
      site={site}
      action="/account/code"
      request={ACCOUNT_PATH}
      csrf={csrf}
      problem={problem}
      user={session.username || session.name}
      switchHref={site.href("/oauth2/logout")}
    />
  );
  return pageResponse(page, { status, headers, cookies });
}

export async function enrolPage(
  deps: AccountDependencies,
  { request, session }: AccountVisit,
  {
    proposal = deps.secondFactor.propose(session),
    problem,
    status,
    headers,
  }: Partial<Trouble> & { proposal?: Proposal } = {},
): Promise<Response> {
  if (session.hasSecondFactor) return toAccount(deps);
  const { site } = deps.endpoints;
  const { csrf, cookies } = deps.forms.protect(request, session);
  const page = (
    <EnrolPage
      site={site}
      action="/account/second-factor"
      request={ACCOUNT_PATH}
      csrf={csrf}
      problem={problem}
      proposal={proposal}
      asksPassword={await asksPassword(deps, session)}
      lead={
        session.isUnfinished
          ? "Your organisation requires a second factor."
          : "You will then sign in with your password and a code from the app."
      }
      backHref={session.isUnfinished ? undefined : site.href(ACCOUNT_PATH)}
    />
  );
  return pageResponse(page, { status, headers, cookies });
}

/** POST /account/second-factor, also for a session that is unfinished because the user has no second factor yet. */
export async function enrol(deps: AccountDependencies, request: Request, visitor: Visitor): Promise<Response> {
  const form = await readForm(request);
  const session = await deps.sessions.findStarted(request);
  if (!session) return toAccount(deps);
  const stale = deps.forms.troubleWith(request, form.get("csrf"), session);
  if (stale) return enrolPage(deps, { request, visitor, session }, stale);
  const enrolment = await takeEnrolment(deps, { request, visitor, session, form });
  if (!enrolment) return toAccount(deps);
  const { trouble } = enrolment;
  if (trouble) return enrolPage(deps, { request, visitor, session }, { proposal: enrolment.proposal, ...trouble });
  const cookie = flashCookie(deps.cookies, NOTICES.enrolled);
  return codesPage(deps, enrolment.codes, [...(enrolment.cookies ?? []), cookie]);
}

function codesPage({ endpoints: { site } }: AccountDependencies, codes: string[], cookies?: string[]) {
  const continueHref = site.href(ACCOUNT_PATH);
  return pageResponse(<RecoveryCodesPage site={site} codes={codes} continueHref={continueHref} />, { cookies });
}

interface Guarded {
  action: string;
  heading: string;
  lead: string;
  button: string;
  act(deps: AccountDependencies, visit: AccountVisit): Promise<Response>;
}

export const NEW_CODES: Guarded = {
  action: "/account/recovery-codes",
  heading: "New recovery codes",
  lead: "Your current codes then stop working.",
  button: "Create new codes",
  act: async (deps, { request, session }) =>
    codesPage(deps, await deps.secondFactor.newRecoveryCodes(request, session)),
};

export const REMOVAL: Guarded = {
  action: "/account/second-factor/remove",
  heading: "Remove your authenticator",
  lead: "You will then sign in with only your password, unless your organisation requires a second factor.",
  button: "Remove",
  async act(deps, { request, session }) {
    await deps.secondFactor.remove(request, session);
    return toAccount(deps, "removed");
  },
};

export async function guardedPage(
  deps: AccountDependencies,
  guarded: Guarded,
  { request, session }: AccountVisit,
  { problem, status, headers }: Partial<Trouble> = {},
): Promise<Response> {
  if (!session.hasSecondFactor) return toAccount(deps);
  const { csrf, cookies } = deps.forms.protect(request, session);
  const { action, heading, lead, button } = guarded;
  const page = (
    <ConfirmPage
      site={deps.endpoints.site}
      csrf={csrf}
      problem={problem}
      action={action}
      heading={heading}
      lead={lead}
      button={button}
      {...(await proofAsked(deps, session))}
    />
  );
  return pageResponse(page, { status, headers, cookies });
}

export async function guardedAct(deps: AccountDependencies, guarded: Guarded, visit: AccountVisit): Promise<Response> {
  const { request, session } = visit;
  const form = await readForm(request);
  if (!session.hasSecondFactor) return toAccount(deps);
  const trouble =
    deps.forms.troubleWith(request, form.get("csrf"), session) ?? (await troubleWithProof(deps, visit, form));
  if (trouble) return guardedPage(deps, guarded, visit, trouble);
  return guarded.act(deps, visit);
}
