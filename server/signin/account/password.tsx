// A new password: chosen by who knows the old one, or by who was given a one-time link.

import { NotFound } from "../../errors.ts";
import { readForm } from "../../http/body.ts";
import { requestUrl } from "../../http/request-url.ts";
import { digestOf } from "../opaque.ts";
import { MessagePage } from "../pages/message.tsx";
import { pageResponse } from "../pages/response.ts";
import { findReset, type PasswordReset } from "../password-reset/store.ts";
import { passwordProblem } from "../password-rules.ts";
import { type Trouble, troubleOf, WRONG_PASSWORD } from "../trouble.ts";
import type { AccountDependencies } from "./dependencies.ts";
import { ChangePasswordPage, ResetPasswordPage } from "./password-pages.tsx";
import { toAccount } from "./told.ts";
import type { Visit } from "./visit.tsx";

export async function passwordPage(
  deps: AccountDependencies,
  { request, session }: Visit,
  { problem, status, headers }: Partial<Trouble> = {},
): Promise<Response> {
  if (!(await deps.ownPassword.exists(session))) return toAccount(deps);
  const { csrf, cookies } = deps.forms.protect(request, session);
  const page = (
    <ChangePasswordPage site={deps.endpoints.site} csrf={csrf} problem={problem} username={session.username} />
  );
  return pageResponse(page, { status, headers, cookies });
}

export async function changePassword(deps: AccountDependencies, visit: Visit): Promise<Response> {
  const { request, caller, session } = visit;
  const form = await readForm(request);
  deps.forms.require(request, form.get("csrf"), session);
  const chosen = form.get("new_password") ?? "";
  const problem = await passwordProblem(chosen, session);
  if (problem) return passwordPage(deps, visit, { problem, status: 422 });
  const result = await deps.ownPassword.check(request, session, form.get("password") ?? "", caller);
  const trouble = troubleOf(result, WRONG_PASSWORD);
  if (trouble) return passwordPage(deps, visit, trouble);
  await deps.credentials.changePassword(request, session, chosen);
  return toAccount(deps, "password");
}

/** GET shows the form and uses nothing up: mail programs open links before people do. */
export async function resetPage(deps: AccountDependencies, request: Request): Promise<Response> {
  const token = requestUrl(request).searchParams.get("token") ?? "";
  return resetForm(deps, request, token, await liveReset(deps, token));
}

export async function resetPassword(deps: AccountDependencies, request: Request): Promise<Response> {
  const form = await readForm(request);
  const token = form.get("token") ?? "";
  deps.forms.require(request, form.get("csrf"));
  const reset = await liveReset(deps, token);
  const chosen = form.get("new_password") ?? "";
  const problem = await passwordProblem(chosen, reset);
  if (problem) return resetForm(deps, request, token, reset, { problem, status: 422 });
  if (!(await deps.credentials.resetPassword(request, reset, token, chosen))) throw deadLink();
  const lines = ["From now on you sign in with it. Go to your application and sign in."];
  const page = <MessagePage site={deps.endpoints.site} heading="Your password is set" lines={lines} />;
  return pageResponse(page);
}

/** @throws NotFound */
async function liveReset({ sql }: AccountDependencies, token: string): Promise<PasswordReset> {
  const reset = await findReset(sql, digestOf(token));
  if (!reset) throw deadLink();
  return reset;
}

function deadLink(): NotFound {
  return new NotFound("This link was used before, or has expired. Ask your administrator for another one.");
}

function resetForm(
  { endpoints: { site }, forms }: AccountDependencies,
  request: Request,
  token: string,
  { username }: PasswordReset,
  { problem, status, headers }: Partial<Trouble> = {},
): Promise<Response> {
  const { csrf, cookies } = forms.protect(request);
  const page = <ResetPasswordPage site={site} csrf={csrf} problem={problem} username={username} token={token} />;
  return pageResponse(page, { status, headers, cookies });
}
