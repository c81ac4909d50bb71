// GET /account, its forms and its links: what users manage themselves.

import { readForm } from "../../../platform/http/body.ts";
import { isUuid } from "../../../platform/http/query.ts";
import { pageResponse, texts } from "../../../ui/index.ts";
import { type Pages, pageController } from "../endpoint.tsx";
import { ADDRESS_PATH, ALARM_PATH } from "../links/mailed.ts";
import { RESET_PATH } from "../password-reset.store.ts";
import { AccountPage } from "./account-page.tsx";
import { changePage, confirm, confirmPage, ownAddress, requestChange, sendVerification } from "./address.tsx";
import { alarmPage, disown } from "./alarm.tsx";
import { DATA } from "./data.ts";
import { type Guarded, guardedAct, guardedPage } from "./guarded.tsx";
import { CHANGE_PATH, VERIFY_PATH } from "./own-address.ts";
import { addPasskey, NEW_PASSKEY, removePasskey } from "./passkeys.tsx";
import { changePassword, passwordPage, resetPage, resetPassword } from "./password.tsx";
import { finishLinking, startLinking, unlink } from "./providers/link.tsx";
import { LINK_PATH, START_LINK_PATH, UNLINK_PATH } from "./providers/pages.tsx";
import { enrol, enrolPage, NEW_CODES, REMOVAL } from "./second-factor.tsx";
import { listSessions } from "./store.ts";
import { ACCOUNT_PATH, type AccountDependencies, type AccountVisit, nameOf, toAccount } from "./visit.ts";
import { visited } from "./visited.tsx";

export function accountController(deps: AccountDependencies) {
  type Answer = (deps: AccountDependencies, visit: AccountVisit) => Promise<Response>;
  const own =
    (answer: Answer): Pages[string]["get"] =>
    (request, visitor) =>
      visited(deps, request, visitor, (visit) => answer(deps, visit));
  const guarded = (one: Guarded) => ({
    get: own((_, visit) => guardedPage(deps, one, visit)),
    post: own((_, visit) => guardedAct(deps, one, visit)),
  });
  return pageController(deps.endpoints, {
    [ACCOUNT_PATH]: { get: own(overview) },
    "/account/password": { get: own(passwordPage), post: own(changePassword) },
    "/account/second-factor": { get: own(enrolPage), post: own(enrol) },
    ...Object.fromEntries([NEW_CODES, REMOVAL, NEW_PASSKEY, DATA].map((one) => [one.action, guarded(one)])),
    "/account/passkeys": { post: own(addPasskey) },
    "/account/passkeys/remove": { post: own(removePasskey) },
    [START_LINK_PATH]: { post: own(startLinking) },
    [LINK_PATH]: { post: own(finishLinking) },
    [UNLINK_PATH]: { post: own(unlink) },
    "/account/sessions/end": { post: own(endSessions) },
    "/account/grants/revoke": { post: own(revokeGrant) },
    [ADDRESS_PATH]: { get: own(confirmPage), post: own(confirm) },
    [CHANGE_PATH]: { get: own(changePage), post: own(requestChange) },
    [VERIFY_PATH]: { post: own(sendVerification) },
    [ALARM_PATH]: { get: (request) => alarmPage(deps, request), post: (request) => disown(deps, request) },
    [RESET_PATH]: { get: (request) => resetPage(deps, request), post: (request) => resetPassword(deps, request) },
  });
}

async function overview(deps: AccountDependencies, { request, session }: AccountVisit): Promise<Response> {
  const { tenantId, userId } = session;
  const notice = deps.cookies.readNotice(request);
  const [address, hasPassword, factor, passkeys, linked, providers, sessions, applications] = await Promise.all([
    ownAddress(deps, session),
    deps.ownPassword.exists(session),
    deps.secondFactor.find(tenantId, userId),
    deps.passkeys.list(session),
    deps.linkedAccounts.list(tenantId, userId),
    deps.upstream.offered(tenantId),
    listSessions(deps.sql, tenantId, userId),
    deps.applications.allowed(tenantId, userId, texts.speak(request)),
  ]);
  const { csrf, cookies } = deps.forms.protect(request, session);
  const language = texts.speak(request);
  const page = (
    <AccountPage
      site={deps.endpoints.site}
      language={language}
      csrf={csrf}
      user={nameOf(session, language.t)}
      organisation={session.tenantName}
      notice={notice}
      address={address}
      hasPassword={hasPassword}
      factor={factor}
      passkeys={passkeys}
      linked={linked}
      offered={providers.filter(({ id }) => !linked.some((one) => one.isUsable && one.providerId === id))}
      sessions={sessions}
      current={session.id}
      applications={applications}
    />
  );
  return pageResponse(page, { cookies: [...cookies, ...(notice === undefined ? [] : [deps.cookies.clear("notice")])] });
}

async function endSessions(deps: AccountDependencies, { request, session }: AccountVisit): Promise<Response> {
  const form = await readForm(request);
  deps.forms.require(request, form.get("csrf"), session);
  const which = form.get("session") ?? "";
  if (which === "others") {
    await deps.credentials.endOtherSessions(request, session);
    return toAccount(deps, request, "sessions");
  }
  // The current session is ended by signing out, which also clears the cookie.
  if (isUuid(which) && which !== session.id) await deps.credentials.endSession(request, session, which);
  return toAccount(deps, request, "session");
}

async function revokeGrant(deps: AccountDependencies, { request, session }: AccountVisit): Promise<Response> {
  const form = await readForm(request);
  deps.forms.require(request, form.get("csrf"), session);
  await deps.applications.revoke(request, session.tenantId, session.userId, form.get("client_id") ?? "");
  return toAccount(deps, request, "grant");
}
