// "This was not me": the link in a mail about a changed credential.

import { NotFound } from "../../../platform/errors.ts";
import { readForm } from "../../../platform/http/body.ts";
import { requestUrl } from "../../../platform/http/request.ts";
import { attribute, CardPage, MessagePage, Problem, pageResponse } from "../../../ui/index.ts";
import { ALARM_PATH } from "../links/mailed.ts";
import { findLink } from "../links/store.ts";
import { digestOf } from "../opaque.ts";
import type { Trouble } from "../throttle.ts";
import type { AccountDependencies } from "./visit.ts";

/** GET does not use the link up, because mail programs open links in advance. */
export async function alarmPage(deps: AccountDependencies, request: Request): Promise<Response> {
  return showAlarm(deps, request, requestUrl(request).searchParams.get("token") ?? "");
}

export async function disown(deps: AccountDependencies, request: Request): Promise<Response> {
  const form = await readForm(request);
  const token = form.get("token") ?? "";
  const stale = deps.forms.troubleWith(request, form.get("csrf"));
  if (stale) return showAlarm(deps, request, token, stale);
  const link = await liveLink(deps, token);
  if (!(await deps.takeBack(request, link, token))) throw deadLink();
  const { site } = deps.endpoints;
  site.wear(link.tenantId);
  const lines = [
    "You are signed out everywhere, and the password no longer works.",
    "A mail with a link to set a new password is on its way to you. The link is valid for 15 minutes.",
    "If an authenticator app was set up that is not yours, ask your administrator to remove it.",
  ];
  const next = { href: site.href(`/account?organisation=${link.tenantId}`), text: "Sign in" };
  return pageResponse(<MessagePage site={site} heading="Your account is protected" lines={lines} next={next} />);
}

async function showAlarm(
  { endpoints: { site }, forms, sql }: AccountDependencies,
  request: Request,
  token: string,
  { problem, status, headers }: Partial<Trouble> = {},
): Promise<Response> {
  const { username, name, tenantId } = await liveLink({ sql }, token);
  site.wear(tenantId);
  const { csrf, cookies } = forms.protect(request);
  const page = (
    <CardPage site={site} title={problem ? "Error: Was this not you?" : "Was this not you?"}>
      <h1>Was this not you?</h1>
      <p class="lead">
        If it was not you who changed the account <strong safe>{username || name}</strong>, someone else has access to
        it.
      </p>
      <Problem text={problem} />
      <ul>
        <li>You are signed out everywhere, also in your applications.</li>
        <li>The password stops working. You get a mail with a link to set a new one.</li>
        <li>Passkeys and accounts elsewhere that were added in the last three days are removed.</li>
        <li>The mail address becomes the one that got this link, if it was changed.</li>
      </ul>
      <form method="post" action={site.href(ALARM_PATH)}>
        <input type="hidden" name="csrf" value={csrf} />
        <input type="hidden" name="token" value={attribute(token)} />
        <button type="submit">This was not me</button>
      </form>
    </CardPage>
  );
  return pageResponse(page, { status, headers, cookies });
}

async function liveLink({ sql }: Pick<AccountDependencies, "sql">, token: string) {
  const link = await findLink(sql, "Alarm", digestOf(token));
  if (!link) throw deadLink();
  return link;
}

function deadLink(): NotFound {
  return new NotFound(
    "This link was already used or has expired. If your account is in danger, ask your administrator.",
  );
}
