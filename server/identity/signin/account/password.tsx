// Sets a new password, by the old one or by a one-time link.

import { NotFound } from "../../../platform/errors.ts";
import { readForm } from "../../../platform/http/body.ts";
import { requestUrl } from "../../../platform/http/request.ts";
import { attribute, CardPage, MessagePage, Problem, pageResponse, type Site } from "../../../ui/index.ts";
import { NewPasswordField } from "../new-password.tsx";
import { digestOf } from "../opaque.ts";
import { findReset, type PasswordReset } from "../password-reset.store.ts";
import { PasswordField } from "../second-factor/pages.tsx";
import { type Trouble, troubleOf, WRONG_PASSWORD } from "../throttle.ts";
import { BackLink } from "./guarded.tsx";
import { type AccountDependencies, type AccountVisit, toAccount } from "./visit.ts";

export async function passwordPage(
  deps: AccountDependencies,
  { request, session }: AccountVisit,
  { problem, status, headers }: Partial<Trouble> = {},
): Promise<Response> {
  if (!(await deps.ownPassword.exists(session))) return toAccount(deps);
  const { csrf, cookies } = deps.forms.protect(request, session);
  const page = (
    <ChangePasswordPage
      site={deps.endpoints.site}
      csrf={csrf}
      problem={problem}
      username={session.username}
      organisation={session.tenantName}
    />
  );
  return pageResponse(page, { status, headers, cookies });
}

export async function changePassword(deps: AccountDependencies, visit: AccountVisit): Promise<Response> {
  const { request, visitor, session } = visit;
  const form = await readForm(request);
  const stale = deps.forms.troubleWith(request, form.get("csrf"), session);
  if (stale) return passwordPage(deps, visit, stale);
  const result = await deps.ownPassword.check(request, session, form.get("password") ?? "", visitor);
  const trouble = troubleOf(result, WRONG_PASSWORD);
  if (trouble) return passwordPage(deps, visit, trouble);
  const chosen = form.get("new_password") ?? "";
  const problem = await deps.passwordProblem(session, chosen);
  if (problem) return passwordPage(deps, visit, { problem, status: 422 });
  await deps.credentials.changePassword(request, session, chosen);
  return toAccount(deps, "password");
}

/** GET shows the form and does not use the link up, because mail programs open links in advance. */
export async function resetPage(deps: AccountDependencies, request: Request): Promise<Response> {
  const token = requestUrl(request).searchParams.get("token") ?? "";
  return resetForm(deps, request, token, await liveReset(deps, token));
}

export async function resetPassword(deps: AccountDependencies, request: Request): Promise<Response> {
  const form = await readForm(request);
  const token = form.get("token") ?? "";
  const reset = await liveReset(deps, token);
  const stale = deps.forms.troubleWith(request, form.get("csrf"));
  if (stale) return resetForm(deps, request, token, reset, stale);
  const chosen = form.get("new_password") ?? "";
  const problem = await deps.passwordProblem(reset, chosen);
  if (problem) return resetForm(deps, request, token, reset, { problem, status: 422 });
  if (!(await deps.credentials.resetPassword(request, reset, token, chosen))) throw deadLink();
  const lines = ["You can now sign in with it. Go to your application and sign in."];
  const { site } = deps.endpoints;
  const next = { href: site.href("/settings"), text: "Sign in to Settings" };
  return pageResponse(<MessagePage site={site} heading="Your password is set" lines={lines} next={next} />);
}

async function liveReset({ sql, endpoints }: AccountDependencies, token: string): Promise<PasswordReset> {
  const reset = await findReset(sql, digestOf(token));
  if (!reset) throw deadLink();
  endpoints.site.wear(reset.tenantId);
  return reset;
}

function deadLink(): NotFound {
  return new NotFound(
    "This link was already used, has expired, or a newer one replaces it. Get a new one from the sign-in page or your administrator.",
  );
}

function resetForm(
  { endpoints: { site }, forms }: AccountDependencies,
  request: Request,
  token: string,
  { username, endsSessions }: PasswordReset,
  { problem, status, headers }: Partial<Trouble> = {},
): Promise<Response> {
  const { csrf, cookies } = forms.protect(request);
  const page = (
    <ResetPasswordPage
      site={site}
      csrf={csrf}
      problem={problem}
      username={username}
      endsSessions={endsSessions}
      token={token}
    />
  );
  return pageResponse(page, { status, headers, cookies });
}

interface FormProps {
  site: Site;
  csrf: string;
  problem?: string;
}

interface UsernameProps extends FormProps {
  username: string;
}

export interface ChangePasswordProps extends UsernameProps {
  organisation: string;
}

function ChangePasswordPage({ site, csrf, problem, username, organisation }: ChangePasswordProps): JSX.Element {
  const title = problem ? "Error: Change your password" : "Change your password";
  return (
    <CardPage site={site} title={title} organisation={organisation}>
      <h1>Change your password</h1>
      <p class="lead">A new password signs you out everywhere else.</p>
      <Problem text={problem} />
      <form method="post" action={site.href("/account/password")}>
        <input type="hidden" name="csrf" value={csrf} />
        <Username username={username} />
        <PasswordField problem={problem} />
        <NewPasswordField label="New password" problem={problem} />
        <button type="submit">Change password</button>
      </form>
      <BackLink site={site} />
    </CardPage>
  );
}

export interface ResetPasswordProps extends UsernameProps {
  token: string;
  endsSessions: boolean;
}

function ResetPasswordPage({ site, csrf, problem, username, token, endsSessions }: ResetPasswordProps): JSX.Element {
  return (
    <CardPage site={site} title={problem ? "Error: Choose a password" : "Choose a password"}>
      <h1>Choose a password</h1>
      <p class="lead">
        for <strong safe>{username}</strong>.{endsSessions ? " Setting it signs you out everywhere." : ""}
      </p>
      <Problem text={problem} />
      <form method="post" action={site.href("/account/reset")}>
        <input type="hidden" name="csrf" value={csrf} />
        <input type="hidden" name="token" value={attribute(token)} />
        <Username username={username} />
        <NewPasswordField label="New password" problem={problem} />
        <button type="submit">Set password</button>
      </form>
    </CardPage>
  );
}

/** Hidden; password managers look for it. */
function Username({ username }: { username: string }): JSX.Element {
  return <input type="text" name="username" value={attribute(username)} autocomplete="username" readonly hidden />;
}
