// The second factor in an authorization request: asked for, or set up if missing.

import { Elysia } from "elysia";
import { readForm } from "../../http/body.ts";
import {
  asksPassword,
  EnrolPage,
  nameOf,
  type Proposal,
  pageEndpoint,
  RecoveryCodesPage,
  SecondFactorPage,
  type SentForm,
  type Session,
  type Trouble,
  takeCode,
  takeEnrolment,
} from "../../signin/index.ts";
import { pageResponse } from "../../ui/index.ts";
import { type AuthorizationRequest, checkRequest } from "./authorization-request.ts";
import type { AuthorizeDependencies } from "./dependencies.ts";
import { type AuthorizationTarget, goTo, queryOf, readTarget, targetText, withPrompt } from "./parameters.ts";
import { formTargets } from "./reply.ts";
import { startedSessionFor, tellingTheClient } from "./step.ts";

interface Way extends SentForm {
  target: AuthorizationTarget;
  checked: AuthorizationRequest;
}

export function secondFactorEndpoints(deps: AuthorizeDependencies) {
  return new Elysia()
    .use(formEndpoint(deps, "/signin/second-factor", giveCode))
    .use(formEndpoint(deps, "/signin/enrolment", enrol));
}

function formEndpoint(
  deps: AuthorizeDependencies,
  path: string,
  answer: (deps: AuthorizeDependencies, way: Way) => Promise<Response>,
) {
  return pageEndpoint(deps.endpoints, path, ["POST"], async (request, visitor) => {
    const form = await readForm(request);
    const asked = readTarget(form.get("request"));
    return tellingTheClient(deps, request, async () => {
      const checked = await checkRequest(deps, asked);
      const { target } = checked;
      const session = await startedSessionFor(deps, request, checked);
      if (!session) return goTo(deps.endpoints.site, target.path, queryOf(target.parameters));
      const stale = deps.forms.troubleWith(request, form.get("csrf"), session);
      if (!stale) return answer(deps, { request, visitor, form, target, checked, session });
      if (!session.isUnfinished) return goTo(deps.endpoints.site, target.path, queryOf(target.parameters));
      const due = session.hasSecondFactor ? secondFactorPage : enrolPage;
      return due(deps, request, target, checked, session, stale);
    });
  });
}

async function giveCode(deps: AuthorizeDependencies, way: Way): Promise<Response> {
  const { request, target, checked, session } = way;
  const given = await takeCode(deps, way);
  if (given.trouble) return secondFactorPage(deps, request, target, checked, session, given.trouble);
  return goTo(deps.endpoints.site, target.path, queryOf(target.parameters), given.cookies);
}

async function enrol(deps: AuthorizeDependencies, way: Way): Promise<Response> {
  const { request, target, checked, session } = way;
  const { site } = deps.endpoints;
  const enrolment = await takeEnrolment(deps, way);
  if (!enrolment) return goTo(site, target.path, queryOf(target.parameters));
  const { trouble } = enrolment;
  if (trouble) {
    return enrolPage(deps, request, target, checked, session, { proposal: enrolment.proposal, ...trouble });
  }
  const page = <RecoveryCodesPage site={site} codes={enrolment.codes} continueHref={site.href(targetText(target))} />;
  return pageResponse(page, { cookies: enrolment.cookies });
}

export function secondFactorPage(
  { endpoints: { site }, forms }: AuthorizeDependencies,
  request: Request,
  target: AuthorizationTarget,
  { reply }: AuthorizationRequest,
  session: Session,
  { problem, status, headers }: Partial<Trouble> = {},
): Promise<Response> {
  const { csrf, cookies } = forms.protect(request, session);
  const page = (
    <SecondFactorPage
      site={site}
      action="/signin/second-factor"
      request={targetText(target)}
      csrf={csrf}
      problem={problem}
      user={nameOf(session)}
      switchHref={site.href(`${target.path}?${withPrompt(target.parameters, "login")}`)}
    />
  );
  return pageResponse(page, { status, headers, cookies, formAction: formTargets(reply.redirectUri) });
}

export async function enrolPage(
  deps: AuthorizeDependencies,
  request: Request,
  target: AuthorizationTarget,
  { client, reply }: AuthorizationRequest,
  session: Session,
  {
    proposal = deps.secondFactor.propose(session),
    problem,
    status,
    headers,
  }: Partial<Trouble> & { proposal?: Proposal } = {},
): Promise<Response> {
  const { csrf, cookies } = deps.forms.protect(request, session);
  const page = (
    <EnrolPage
      site={deps.endpoints.site}
      action="/signin/enrolment"
      request={targetText(target)}
      csrf={csrf}
      problem={problem}
      proposal={proposal}
      asksPassword={await asksPassword(deps, session)}
      lead={`${client.name || "The application"} needs you to sign in with a second factor.`}
    />
  );
  return pageResponse(page, { status, headers, cookies, formAction: formTargets(reply.redirectUri) });
}
