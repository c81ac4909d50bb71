// The second factor on the way from an authorization request to its answer: asked for, or set up where it is missing.
// POST /signin/second-factor and POST /signin/enrolment are what these pages send.

import { Elysia } from "elysia";
import { readForm } from "../../http/body.ts";
import {
  type Caller,
  EnrolPage,
  type Proposal,
  pageEndpoint,
  pageResponse,
  RecoveryCodesPage,
  SecondFactorPage,
  type Session,
  type Trouble,
  troubleOf,
  WRONG_CODE,
  WRONG_PASSWORD,
} from "../../signin/index.ts";
import { type AuthorizationRequest, checkRequest } from "./authorization-request.ts";
import { startedSessionFor, tellingTheClient } from "./authorize.ts";
import type { AuthorizeDependencies } from "./dependencies.ts";
import { withPrompt } from "./parameters.ts";
import { formTargets } from "./reply.ts";
import { goTo, readTarget, type Target, targetText } from "./target.ts";

/** A request on its way, and who is there to go on with it. */
interface Way {
  request: Request;
  caller: Caller;
  form: Map<string, string>;
  target: Target;
  checked: AuthorizationRequest;
  session: Session;
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
  return pageEndpoint(deps.endpoints, path, ["POST"], async (request, caller) => {
    const form = await readForm(request);
    const target = readTarget(form.get("request"));
    return tellingTheClient(deps, async () => {
      const checked = await checkRequest(deps, target.door, target.parameters);
      const session = await startedSessionFor(deps, request, checked);
      // It has ended meanwhile: sign in.
      if (!session) return goTo(deps.endpoints.site, target.path, target.parameters.text);
      deps.forms.require(request, form.get("csrf"), session);
      return answer(deps, { request, caller, form, target, checked, session });
    });
  });
}

async function giveCode(deps: AuthorizeDependencies, way: Way): Promise<Response> {
  const { request, caller, form, target, checked, session } = way;
  const result = await deps.secondFactor.check(request, session, form.get("code") ?? "", caller);
  const trouble = troubleOf(result, WRONG_CODE);
  if (trouble) return secondFactorPage(deps, request, target, checked, session, trouble);
  return goTo(deps.endpoints.site, target.path, target.parameters.text, await raised(deps, way));
}

async function enrol(deps: AuthorizeDependencies, way: Way): Promise<Response> {
  const { request, caller, form, target, checked, session } = way;
  const { site } = deps.endpoints;
  const proposal = deps.secondFactor.reopen(session, form.get("proposal") ?? "");
  // It has one by now, or the form is of another session: see what is due.
  if (session.hasSecondFactor || !proposal) return goTo(site, target.path, target.parameters.text);
  const again = (trouble: Trouble) => enrolPage(deps, request, target, checked, session, { proposal, ...trouble });
  if (await asksPassword(deps, session)) {
    const result = await deps.ownPassword.check(request, session, form.get("password") ?? "", caller);
    const trouble = troubleOf(result, WRONG_PASSWORD);
    if (trouble) return again(trouble);
  }
  const codes = await deps.secondFactor.enrol(session, proposal, form.get("code") ?? "");
  if (!codes) return again({ problem: WRONG_CODE, status: 422 });
  const continueHref = site.href(targetText(target));
  const page = <RecoveryCodesPage site={site} codes={codes} continueHref={continueHref} />;
  return pageResponse(page, { cookies: await raised(deps, way) });
}

/** @returns Set-Cookie values */
async function raised({ sessions, browsers }: AuthorizeDependencies, { request, caller, session }: Way) {
  return [await sessions.raise(request, session, ["otp"]), await browsers.remember(request, session, caller.address)];
}

/** Who has just signed in is not asked again. */
async function asksPassword({ ownPassword }: AuthorizeDependencies, session: Session): Promise<boolean> {
  return !session.isUnfinished && (await ownPassword.exists(session));
}

export function secondFactorPage(
  { endpoints: { site }, forms }: AuthorizeDependencies,
  request: Request,
  target: Target,
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
      user={session.username || session.name}
      switchHref={site.href(`${target.path}?${withPrompt(target.parameters, "login")}`)}
    />
  );
  return pageResponse(page, { status, headers, cookies, formAction: formTargets(reply.redirectUri) });
}

export async function enrolPage(
  deps: AuthorizeDependencies,
  request: Request,
  target: Target,
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
