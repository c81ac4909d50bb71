// The user's own second factor: set up, replaced, removed.

import { readForm } from "../../../platform/http/body.ts";
import { pageResponse, texts } from "../../../ui/index.ts";
import { asksPassword, takeEnrolment } from "../second-factor/forms.ts";
import { EnrolPage, RecoveryCodesPage } from "../second-factor/pages.tsx";
import type { Proposal } from "../second-factor/second-factor.ts";
import type { Trouble } from "../throttle.ts";
import type { Guarded } from "./guarded.tsx";
import { ACCOUNT_PATH, type AccountDependencies, type AccountVisit, toAccount } from "./visit.ts";

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
  if (session.hasSecondFactor) return toAccount(deps, request);
  const { site } = deps.endpoints;
  const { csrf, cookies } = deps.forms.protect(request, session);
  const language = texts.speak(request);
  const page = (
    <EnrolPage
      site={site}
      language={language}
      action="/account/second-factor"
      request={ACCOUNT_PATH}
      csrf={csrf}
      problem={problem}
      proposal={proposal}
      asksPassword={await asksPassword(deps, session)}
      lead={language.t.enrolLead}
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
  if (!enrolment) return toAccount(deps, request);
  const { trouble } = enrolment;
  if (trouble) return enrolPage(deps, visit, { proposal: enrolment.proposal, ...trouble });
  const cookie = deps.cookies.setNotice(texts.speak(request).t.notices.enrolled);
  return codesPage(deps, visit, enrolment.codes, [...enrolment.cookies, cookie]);
}

function codesPage(
  { endpoints: { site } }: AccountDependencies,
  { request, session: { tenantName: organisation } }: AccountVisit,
  codes: string[],
  cookies?: string[],
) {
  const shown = { site, language: texts.speak(request), codes, organisation, continueHref: site.href(ACCOUNT_PATH) };
  return pageResponse(<RecoveryCodesPage {...shown} />, { cookies, isSecret: true });
}

export const NEW_CODES: Guarded = {
  action: "/account/recovery-codes",
  words: ({ newCodes: heading, newCodesLead: lead, createCodes: button }) => ({ heading, lead, button }),
  needsFactor: true,
  act: async (deps, visit) =>
    codesPage(deps, visit, await deps.secondFactor.newRecoveryCodes(visit.request, visit.session)),
};

export const REMOVAL: Guarded = {
  action: "/account/second-factor/remove",
  words: ({ removeAuthenticator: heading, removeAuthenticatorLead: lead, remove: button }) => ({
    heading,
    lead,
    button,
  }),
  needsFactor: true,
  async act(deps, { request, session }) {
    await deps.secondFactor.remove(request, session);
    return toAccount(deps, request, "removed");
  },
};
