// Sets a new password, by the old one or by a one-time link.

import { NotFound } from "../../../platform/errors.ts";
import { readForm } from "../../../platform/http/body.ts";
import { requestUrl } from "../../../platform/http/request.ts";
import { attribute, CardPage, MessagePage, Problem, pageResponse, Text, texts } from "../../../ui/index.ts";
import { NewPasswordField } from "../new-password.tsx";
import { digestOf } from "../opaque.ts";
import { findReset, type PasswordReset } from "../password-reset.store.ts";
import { PasswordField } from "../second-factor/pages.tsx";
import { type Trouble, troubleOf } from "../throttle.ts";
import { BackLink } from "./guarded.tsx";
import { type AccountDependencies, type AccountVisit, toAccount } from "./visit.ts";

export async function passwordPage(
  deps: AccountDependencies,
  { request, session }: AccountVisit,
  { problem, status, headers }: Partial<Trouble> = {},
): Promise<Response> {
  if (!(await deps.ownPassword.exists(session))) return toAccount(deps, request);
  const { csrf, cookies } = deps.forms.protect(request, session);
  const { site } = deps.endpoints;
  const language = texts.speak(request);
  const { t } = language;
  const page = (
    <CardPage {...{ site, language, problem }} title={t.changePasswordTitle} organisation={session.tenantName}>
      <h1 safe>{t.changePasswordTitle}</h1>
      <p class="lead" safe>
        {t.changePasswordLead}
      </p>
      <Problem text={problem} />
      <form method="post" action={site.href("/account/password")}>
        <input type="hidden" name="csrf" value={csrf} />
        <Username username={session.username} />
        <PasswordField t={t} problem={problem} />
        <NewPasswordField language={language} label={t.newPassword} problem={problem} />
        <button type="submit" safe>
          {t.changePassword}
        </button>
      </form>
      <BackLink site={site} t={t} />
    </CardPage>
  );
  return pageResponse(page, { status, headers, cookies });
}

export async function changePassword(deps: AccountDependencies, visit: AccountVisit): Promise<Response> {
  const { request, visitor, session } = visit;
  const form = await readForm(request);
  const stale = deps.forms.troubleWith(request, form.get("csrf"), session);
  if (stale) return passwordPage(deps, visit, stale);
  const result = await deps.ownPassword.check(request, session, form.get("password") ?? "", visitor);
  const language = texts.speak(request);
  const trouble = troubleOf(result, language.t.wrongPassword, language);
  if (trouble) return passwordPage(deps, visit, trouble);
  const chosen = form.get("new_password") ?? "";
  const problem = await deps.passwordProblem(session, chosen, language);
  if (problem) return passwordPage(deps, visit, { problem, status: 422 });
  await deps.credentials.changePassword(request, session, chosen);
  return toAccount(deps, request, "password");
}

/** GET shows the form and does not use the link up, because mail programs open links in advance. */
export async function resetPage(deps: AccountDependencies, request: Request): Promise<Response> {
  const token = requestUrl(request).searchParams.get("token") ?? "";
  return resetForm(deps, request, token, await liveReset(deps, request, token));
}

export async function resetPassword(deps: AccountDependencies, request: Request): Promise<Response> {
  const form = await readForm(request);
  const token = form.get("token") ?? "";
  const reset = await liveReset(deps, request, token);
  const stale = deps.forms.troubleWith(request, form.get("csrf"));
  if (stale) return resetForm(deps, request, token, reset, stale);
  const chosen = form.get("new_password") ?? "";
  const language = texts.speak(request);
  const problem = await deps.passwordProblem(reset, chosen, language);
  if (problem) return resetForm(deps, request, token, reset, { problem, status: 422 });
  if (!(await deps.credentials.resetPassword(request, reset, token, chosen))) throw deadLink();
  const { t } = language;
  const { site } = deps.endpoints;
  const next = { href: site.href("/settings"), text: t.signInToSettings };
  const lines = [t.passwordIsSetNext];
  return pageResponse(<MessagePage {...{ site, language, lines, next }} heading={t.passwordIsSet} />);
}

async function liveReset(
  { sql, endpoints }: AccountDependencies,
  request: Request,
  token: string,
): Promise<PasswordReset> {
  const reset = await findReset(sql, digestOf(token));
  if (!reset) throw deadLink();
  endpoints.site.wear(reset.tenantId);
  texts.learn(request, { own: reset.locale ?? undefined, tenant: reset.tenantPages });
  return reset;
}

const deadLink = () => new NotFound(texts.ERRORS.resetLink);

function resetForm(
  { endpoints: { site }, forms }: AccountDependencies,
  request: Request,
  token: string,
  { username, endsSessions }: PasswordReset,
  { problem, status, headers }: Partial<Trouble> = {},
): Promise<Response> {
  const { csrf, cookies } = forms.protect(request);
  const language = texts.speak(request);
  const { t } = language;
  const page = (
    <CardPage {...{ site, language, problem }} title={t.choosePassword}>
      <h1 safe>{t.choosePassword}</h1>
      <p class="lead">
        <texts.Say text={t.forUser} values={{ user: username }} />{" "}
        {endsSessions ? <Text text={t.resetEndsSessions} /> : ""}
      </p>
      <Problem text={problem} />
      <form method="post" action={site.href("/account/reset")}>
        <input type="hidden" name="csrf" value={csrf} />
        <input type="hidden" name="token" value={attribute(token)} />
        <Username username={username} />
        <NewPasswordField language={language} label={t.newPassword} problem={problem} />
        <button type="submit" safe>
          {t.setPassword}
        </button>
      </form>
    </CardPage>
  );
  return pageResponse(page, { status, headers, cookies });
}

/** Hidden; password managers look for it. */
function Username({ username }: { username: string }): JSX.Element {
  return <input type="text" name="username" value={attribute(username)} autocomplete="username" readonly hidden />;
}
