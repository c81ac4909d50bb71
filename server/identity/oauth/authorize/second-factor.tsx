// The second factor in an authorization request: asked for, or set up if missing.

import { readForm } from "../../../platform/http/body.ts";
import { pageResponse, texts } from "../../../ui/index.ts";
import { nameOf } from "../../signin/account/visit.ts";
import type { Pages } from "../../signin/endpoint.tsx";
import { PURPOSES } from "../../signin/passkeys/passkeys.ts";
import { asksPassword, type SentForm, takeCode, takeEnrolment } from "../../signin/second-factor/forms.ts";
import { EnrolPage, RecoveryCodesPage, SecondFactorPage } from "../../signin/second-factor/pages.tsx";
import type { Proposal } from "../../signin/second-factor/second-factor.ts";
import type { Session } from "../../signin/session.ts";
import type { Trouble } from "../../signin/throttle.ts";
import { type AuthorizationRequest, checkRequest } from "./authorization-request.ts";
import type { AuthorizeDependencies } from "./dependencies.ts";
import { type AuthorizationTarget, continueRequest, readTarget, targetText, withPrompt } from "./parameters.ts";
import { startedSessionFor, tellingTheClient } from "./step.ts";

interface Way extends SentForm {
  target: AuthorizationTarget;
  checked: AuthorizationRequest;
}

export function secondFactorPages(deps: AuthorizeDependencies): Pages {
  return {
    "/signin/second-factor": { post: answering(deps, giveCode) },
    "/signin/enrolment": { post: answering(deps, enrol) },
  };
}

function answering(
  deps: AuthorizeDependencies,
  answer: (deps: AuthorizeDependencies, way: Way) => Promise<Response>,
): Pages[string]["post"] {
  return async (request, visitor) => {
    const form = await readForm(request);
    const asked = readTarget(form.get("request"));
    return tellingTheClient(deps, request, async () => {
      const checked = await checkRequest(deps, request, asked);
      const { target } = checked;
      const session = await startedSessionFor(deps, request, checked);
      if (!session) return continueRequest(deps.endpoints.site, target);
      const stale = deps.forms.troubleWith(request, form.get("csrf"), session);
      if (!stale) return answer(deps, { request, visitor, form, target, checked, session });
      if (!session.isUnfinished) return continueRequest(deps.endpoints.site, target);
      if (session.hasSecondFactor || session.hasPasskey) return secondFactorPage(deps, request, target, session, stale);
      return enrolPage(deps, request, target, checked, session, stale);
    });
  };
}

async function giveCode(deps: AuthorizeDependencies, way: Way): Promise<Response> {
  const { request, target, session } = way;
  const given = await takeCode(deps, way);
  if (given.trouble) return secondFactorPage(deps, request, target, session, given.trouble);
  return continueRequest(deps.endpoints.site, target, given.cookies);
}

async function enrol(deps: AuthorizeDependencies, way: Way): Promise<Response> {
  const { request, target, checked, session } = way;
  const { site } = deps.endpoints;
  const enrolment = await takeEnrolment(deps, way);
  if (!enrolment) return continueRequest(site, target);
  const { trouble } = enrolment;
  if (trouble) {
    return enrolPage(deps, request, target, checked, session, { proposal: enrolment.proposal, ...trouble });
  }
  const shown = { site, language: texts.speak(request), codes: enrolment.codes };
  const page = <RecoveryCodesPage {...shown} continueHref={site.href(targetText(target))} />;
  return pageResponse(page, { cookies: enrolment.cookies, isSecret: true });
}

export async function secondFactorPage(
  { endpoints: { site }, forms, passkeys }: AuthorizeDependencies,
  request: Request,
  target: AuthorizationTarget,
  session: Session,
  { problem, status, headers }: Partial<Trouble> = {},
): Promise<Response> {
  const { csrf, cookies } = forms.protect(request, session);
  const passkey = session.hasPasskey ? await passkeys.ask(csrf, PURPOSES.secondFactor(session), session) : undefined;
  const language = texts.speak(request);
  const page = (
    <SecondFactorPage
      site={site}
      language={language}
      action="/signin/second-factor"
      request={targetText(target)}
      csrf={csrf}
      problem={problem}
      passkey={passkey}
      asksCode={session.hasSecondFactor && session.passkeyDue !== "use"}
      user={nameOf(session, language.t)}
      switchHref={site.href(`${target.path}?${withPrompt(target.parameters, "login")}`)}
    />
  );
  return pageResponse(page, { status, headers, cookies, endsElsewhere: true });
}

export async function enrolPage(
  deps: AuthorizeDependencies,
  request: Request,
  target: AuthorizationTarget,
  { client, accountPage }: AuthorizationRequest,
  session: Session,
  {
    proposal = deps.secondFactor.propose(session),
    problem,
    status,
    headers,
  }: Partial<Trouble> & { proposal?: Proposal } = {},
): Promise<Response> {
  const { csrf, cookies } = deps.forms.protect(request, session);
  const language = texts.speak(request);
  const { t } = language;
  const page = (
    <EnrolPage
      site={deps.endpoints.site}
      language={language}
      action="/signin/enrolment"
      request={targetText(target)}
      csrf={csrf}
      problem={problem}
      proposal={proposal}
      asksPassword={await asksPassword(deps, session)}
      lead={
        accountPage
          ? t.factorNeeded
          : texts.fill(t.factorNeededBy, { application: client.name || t.theApplicationNeeds })
      }
    />
  );
  return pageResponse(page, { status, headers, cookies, endsElsewhere: true, isSecret: true });
}
