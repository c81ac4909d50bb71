// Actions for which the account's owner must give the password and the second factor again.

import { readForm } from "../../../platform/http/body.ts";
import { CardPage, Problem, pageResponse, type Site, texts } from "../../../ui/index.ts";
import { CodeField, PasswordField } from "../second-factor/pages.tsx";
import type { Session } from "../session.ts";
import { redirectTo } from "../sign-out.tsx";
import { type Trouble, troubleOf } from "../throttle.ts";
import { type AccountDependencies, type AccountVisit, toAccount } from "./visit.ts";

export interface Guarded {
  action: string;
  words(t: texts.Texts): Record<"heading" | "lead" | "button", string>;
  /** Only for users with a second factor. */
  needsFactor?: boolean;
  /** False: the user must sign in again first. */
  isFresh?(deps: AccountDependencies, visit: AccountVisit): Promise<boolean>;
  act(deps: AccountDependencies, visit: AccountVisit): Promise<Response>;
}

export async function guardedPage(
  deps: AccountDependencies,
  guarded: Guarded,
  visit: AccountVisit,
  { problem, status, headers }: Partial<Trouble> = {},
): Promise<Response> {
  const { request, session } = visit;
  const elsewhere = await wayAround(deps, guarded, visit);
  if (elsewhere) return elsewhere;
  const { csrf, cookies } = deps.forms.protect(request, session);
  const { asksPassword, asksCode } = await proofAsked(deps, session);
  const { site } = deps.endpoints;
  const language = texts.speak(request);
  const { t } = language;
  const { heading, lead, button } = guarded.words(t);
  const page = (
    <CardPage {...{ site, language, problem }} title={heading} organisation={session.tenantName}>
      <h1 safe>{heading}</h1>
      <p class="lead" safe>
        {lead}
      </p>
      <Problem text={problem} />
      <form method="post" action={site.href(guarded.action)}>
        <input type="hidden" name="csrf" value={csrf} />
        {asksPassword ? <PasswordField t={t} problem={problem} /> : ""}
        {asksCode ? <CodeField label={t.codeOrRecovery} problem={problem} /> : ""}
        <button type="submit" safe>
          {button}
        </button>
      </form>
      <BackLink site={site} t={t} />
    </CardPage>
  );
  return pageResponse(page, { status, headers, cookies });
}

export async function guardedAct(deps: AccountDependencies, guarded: Guarded, visit: AccountVisit): Promise<Response> {
  const { request, session } = visit;
  const form = await readForm(request);
  const elsewhere = await wayAround(deps, guarded, visit);
  if (elsewhere) return elsewhere;
  const trouble =
    deps.forms.troubleWith(request, form.get("csrf"), session) ?? (await troubleWithProof(deps, visit, form));
  if (trouble) return guardedPage(deps, guarded, visit, trouble);
  return guarded.act(deps, visit);
}

/** Where users go who cannot do this, or not yet. */
async function wayAround(
  deps: AccountDependencies,
  { action, needsFactor, isFresh }: Guarded,
  visit: AccountVisit,
): Promise<Response | undefined> {
  if (needsFactor && !visit.session.hasSecondFactor) return toAccount(deps, visit.request);
  if (!isFresh || (await isFresh(deps, visit))) return undefined;
  return redirectTo(deps.endpoints.site.href(deps.signInAgain(visit.session.tenantId, action)), []);
}

type ProofDependencies = Pick<AccountDependencies, "ownPassword" | "secondFactor">;

/** The proofs that an account's owner must give before sign-in methods change. */
export async function proofAsked({ ownPassword }: ProofDependencies, session: Session) {
  return { asksPassword: await ownPassword.exists(session), asksCode: session.hasSecondFactor };
}

/** @returns why the proof is rejected; undefined if it is accepted */
export async function troubleWithProof(
  { ownPassword, secondFactor }: ProofDependencies,
  { request, visitor, session }: AccountVisit,
  form: Map<string, string>,
): Promise<Trouble | undefined> {
  const { asksPassword, asksCode } = await proofAsked({ ownPassword, secondFactor }, session);
  const language = texts.speak(request);
  if (asksPassword) {
    const result = await ownPassword.check(request, session, form.get("password") ?? "", visitor);
    const trouble = troubleOf(result, language.t.wrongPassword, language);
    if (trouble) return trouble;
  }
  if (!asksCode) return undefined;
  const result = await secondFactor.check(request, session, form.get("code") ?? "", visitor);
  return troubleOf(result, language.t.wrongCode, language);
}

export function BackLink({ site, t }: { site: Site; t: texts.Texts }): JSX.Element {
  return (
    <p class="note">
      <a href={site.href("/account")} safe>
        {t.backToAccount}
      </a>
    </p>
  );
}
