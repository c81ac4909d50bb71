// "This was not me": the link in a mail about a changed credential.

import { NotFound } from "../../../platform/errors.ts";
import { readForm } from "../../../platform/http/body.ts";
import { requestUrl } from "../../../platform/http/request.ts";
import { attribute, CardPage, MessagePage, Problem, pageResponse, texts } from "../../../ui/index.ts";
import { ALARM_PATH, LIFETIME } from "../links/mailed.ts";
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
  const link = await liveLink(deps, request, token);
  if (!(await deps.takeBack(request, link, token))) throw deadLink();
  const { site } = deps.endpoints;
  site.wear(link.tenantId);
  const language = texts.speak(request);
  const { t, locale } = language;
  const time = texts.unit(locale, LIFETIME.reset / 60, "minute");
  const lines = [t.protectedSessions, texts.fill(t.protectedMail, { time }), t.protectedFactor];
  const next = { href: site.href(`/account?organisation=${link.tenantId}`), text: t.signIn };
  return pageResponse(<MessagePage {...{ site, language, lines, next }} heading={t.isProtected} />);
}

async function showAlarm(
  { endpoints: { site }, forms, sql }: AccountDependencies,
  request: Request,
  token: string,
  { problem, status, headers }: Partial<Trouble> = {},
): Promise<Response> {
  const { username, name, tenantId } = await liveLink({ sql }, request, token);
  site.wear(tenantId);
  const { csrf, cookies } = forms.protect(request);
  const language = texts.speak(request);
  const { t } = language;
  const page = (
    <CardPage {...{ site, language, problem }} title={t.alarmTitle}>
      <h1 safe>{t.alarmTitle}</h1>
      <p class="lead">
        <texts.Say text={t.alarmLead} values={{ user: username || name }} />
      </p>
      <Problem text={problem} />
      <ul>
        <li safe>{t.alarmSessions}</li>
        <li safe>{t.alarmPassword}</li>
        <li safe>{t.alarmAdded}</li>
        <li safe>{t.alarmAddress}</li>
      </ul>
      <form method="post" action={site.href(ALARM_PATH)}>
        <input type="hidden" name="csrf" value={csrf} />
        <input type="hidden" name="token" value={attribute(token)} />
        <button type="submit" safe>
          {t.notMe}
        </button>
      </form>
    </CardPage>
  );
  return pageResponse(page, { status, headers, cookies });
}

async function liveLink({ sql }: Pick<AccountDependencies, "sql">, request: Request, token: string) {
  const link = await findLink(sql, "Alarm", digestOf(token));
  if (!link) throw deadLink();
  texts.learn(request, { own: link.locale ?? undefined, tenant: link.tenantPages });
  return link;
}

const deadLink = () => new NotFound(texts.ERRORS.alarmLink);
