// The outcome of second-factor forms, at sign-in and on the account pages.

import { texts } from "../../../ui/index.ts";
import type { KnownBrowsers } from "../known-browsers.ts";
import type { OwnPassword } from "../password.ts";
import type { Session, Sessions, Visitor } from "../session.ts";
import { type Trouble, troubleOf } from "../throttle.ts";
import type { Proposal, SecondFactor } from "./second-factor.ts";

export interface FactorDependencies {
  ownPassword: OwnPassword;
  secondFactor: SecondFactor;
  sessions: Sessions;
  browsers: KnownBrowsers;
}

export interface SentForm {
  request: Request;
  visitor: Visitor;
  session: Session;
  form: Map<string, string>;
}

/** Rejected, or accepted with Set-Cookie values that continue the session. */
export type GivenCode = { trouble: Trouble } | { trouble?: undefined; cookies: string[] };

export async function takeCode(deps: FactorDependencies, sent: SentForm): Promise<GivenCode> {
  const { request, visitor, session, form } = sent;
  const language = texts.speak(request);
  const result = await deps.secondFactor.check(request, session, form.get("code") ?? "", visitor);
  const trouble = troubleOf(result, language.t.wrongCode, language);
  return trouble ? { trouble } : { cookies: await raised(deps, sent) };
}

export type Enrolment =
  | { trouble: Trouble; proposal: Proposal }
  | { trouble?: undefined; codes: string[]; cookies: string[] };

/** Undefined if the user already has a factor or the form belongs to another session. */
export async function takeEnrolment(deps: FactorDependencies, sent: SentForm): Promise<Enrolment | undefined> {
  const { request, visitor, session, form } = sent;
  const proposal = deps.secondFactor.reopen(session, form.get("proposal") ?? "");
  if (session.hasSecondFactor || !proposal) return undefined;
  // Otherwise a stolen password would be enough to add a second factor beside the passkey.
  if (session.isUnfinished && session.hasPasskey) return undefined;
  const language = texts.speak(request);
  if (await asksPassword(deps, session)) {
    const result = await deps.ownPassword.check(request, session, form.get("password") ?? "", visitor);
    const trouble = troubleOf(result, language.t.wrongPassword, language);
    if (trouble) return { trouble, proposal };
  }
  const codes = await deps.secondFactor.enrol(request, session, proposal, form.get("code") ?? "");
  if (!codes) return { trouble: { problem: language.t.wrongCode, status: 422 }, proposal };
  return { codes, cookies: await raised(deps, sent) };
}

/**
 * Users who have just signed in or have no password are not asked for it. An older session may have been taken over: it
 * becomes unfinished when the tenant requires a second factor.
 */
export async function asksPassword(
  { ownPassword }: Pick<FactorDependencies, "ownPassword">,
  session: Session,
): Promise<boolean> {
  return !(session.isUnfinished && session.hasJustBegun) && (await ownPassword.exists(session));
}

async function raised({ sessions, browsers }: FactorDependencies, { request, visitor, session }: SentForm) {
  return [await sessions.raise(request, session, ["otp"]), await browsers.remember(request, session, visitor.address)];
}
