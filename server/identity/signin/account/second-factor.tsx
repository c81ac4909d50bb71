// The user's own second factor: set up, replaced, removed.

import { readForm } from "../../../platform/http/body.ts";
import { pageResponse } from "../../../ui/index.ts";
import { asksPassword, takeEnrolment } from "../second-factor/forms.ts";
import { EnrolPage, RecoveryCodesPage } from "../second-factor/pages.tsx";
import type { Proposal } from "../second-factor/second-factor.ts";
import type { Session } from "../session.ts";
import type { Trouble } from "../throttle.ts";
import type { Guarded } from "./guarded.tsx";
import { ACCOUNT_PATH, type AccountDependencies, type AccountVisit, NOTICES, toAccount } from "./visit.ts";

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
      lead="You will then sign in with your password and a code from the app."
      organisation={session.tenantName}
      backHref={site.href(ACCOUNT_PATH)}
    />
  );
  return pageResponse(page, { status, headers, cookies, isSecret: true });
}

export async function enrol(deps: AccountDependencies, visit: AccountVisit): Promise<Response> {
  const { request, session } = visit;
  const form = await readForm(request);
  const stale = deps.forms.troubleWith(request, form.get("csrf"), session);
  if (stale) return enrolPage(deps, visit, stale);
  const enrolment = await takeEnrolment(deps, { ...visit, form });
  if (!enrolment) return toAccount(deps);
  const { trouble } = enrolment;
  if (trouble) return enrolPage(deps, visit, { proposal: enrolment.proposal, ...trouble });
  const cookie = deps.cookies.setNotice(NOTICES.enrolled);
  return codesPage(deps, session, enrolment.codes, [...enrolment.cookies, cookie]);
}

function codesPage(
  { endpoints: { site } }: AccountDependencies,
  { tenantName: organisation }: Session,
  codes: string[],
  cookies?: string[],
) {
  const shown = { site, codes, organisation, continueHref: site.href(ACCOUNT_PATH) };
  return pageResponse(<RecoveryCodesPage {...shown} />, { cookies, isSecret: true });
}

export const NEW_CODES: Guarded = {
  action: "/account/recovery-codes",
  heading: "New recovery codes",
  lead: "Your current codes then stop working.",
  button: "Create new codes",
  needsFactor: true,
  act: async (deps, { request, session }) =>
    codesPage(deps, session, await deps.secondFactor.newRecoveryCodes(request, session)),
};

export const REMOVAL: Guarded = {
  action: "/account/second-factor/remove",
  heading: "Remove your authenticator",
  lead: "You will then sign in with only your password, unless your organisation requires a second factor.",
  button: "Remove",
  needsFactor: true,
  async act(deps, { request, session }) {
    await deps.secondFactor.remove(request, session);
    return toAccount(deps, "removed");
  },
};
