// GET /account, its forms and its links: what users manage themselves.

import { Elysia } from "elysia";
import { readForm } from "../../http/body.ts";
import { isUuid } from "../../http/query.ts";
import { isRead } from "../../http/request.ts";
import { pageResponse } from "../../ui/index.ts";
import { readFlash } from "../cookies.ts";
import { pageEndpoint } from "../endpoint.tsx";
import { RESET_PATH } from "../password-reset.store.ts";
import type { Visitor } from "../session.ts";
import { AccountPage } from "./account-page.tsx";
import { dataPage, downloadData } from "./data.tsx";
import { changePassword, passwordPage, resetPage, resetPassword } from "./password.tsx";
import { finishLinking, startLinking, unlink } from "./providers/link.tsx";
import { LINK_PATH, START_LINK_PATH, UNLINK_PATH } from "./providers/pages.tsx";
import { enrol, enrolPage, giveCode, guardedAct, guardedPage, NEW_CODES, REMOVAL } from "./second-factor.tsx";
import { signIn, startSignIn } from "./sign-in.tsx";
import { listSessions } from "./store.ts";
import { ACCOUNT_PATH, type AccountDependencies, type AccountVisit, nameOf, toAccount } from "./visit.ts";
import { visited } from "./visited.ts";

export function accountController(deps: AccountDependencies) {
  type Answer = (visit: AccountVisit) => Promise<Response>;
  type Open = (request: Request, visitor: Visitor) => Promise<Response>;
  const own =
    (answer: Answer): Open =>
    (request, visitor) =>
      visited(deps, request, visitor, answer);
  const page = (path: string, { get, post }: { get?: Open; post?: Open }) => {
    const methods = [...(get ? (["GET"] as const) : []), ...(post ? (["POST"] as const) : [])];
    return pageEndpoint(deps.endpoints, path, methods, (request, visitor) =>
      (isRead(request) ? get! : post!)(request, visitor),
    );
  };
  const app = new Elysia()
    .use(page(ACCOUNT_PATH, { get: own((visit) => overview(deps, visit)) }))
    .use(
      page("/account/sign-in", {
        get: (request) => startSignIn(deps, request),
        post: (request, visitor) => signIn(deps, request, visitor),
      }),
    )
    .use(page("/account/code", { post: (request, visitor) => giveCode(deps, request, visitor) }))
    .use(
      page("/account/password", {
        get: own((visit) => passwordPage(deps, visit)),
        post: own((visit) => changePassword(deps, visit)),
      }),
    )
    .use(
      page("/account/second-factor", {
        get: own((visit) => enrolPage(deps, visit)),
        post: (request, visitor) => enrol(deps, request, visitor),
      }),
    )
    .use(page(START_LINK_PATH, { post: own((visit) => startLinking(deps, visit)) }))
    .use(page(LINK_PATH, { post: own((visit) => finishLinking(deps, visit)) }))
    .use(page(UNLINK_PATH, { post: own((visit) => unlink(deps, visit)) }))
    .use(
      page("/account/data", {
        get: own((visit) => dataPage(deps, visit)),
        post: own((visit) => downloadData(deps, visit)),
      }),
    )
    .use(page("/account/sessions/end", { post: own((visit) => endSessions(deps, visit)) }))
    .use(page("/account/grants/revoke", { post: own((visit) => revokeGrant(deps, visit)) }))
    .use(
      page(RESET_PATH, { get: (request) => resetPage(deps, request), post: (request) => resetPassword(deps, request) }),
    );
  for (const guarded of [NEW_CODES, REMOVAL]) {
    app.use(
      page(guarded.action, {
        get: own((visit) => guardedPage(deps, guarded, visit)),
        post: own((visit) => guardedAct(deps, guarded, visit)),
      }),
    );
  }
  return app;
}

async function overview(deps: AccountDependencies, { request, session }: AccountVisit): Promise<Response> {
  const { tenantId, userId } = session;
  const notice = readFlash(deps.cookies, request);
  const [hasPassword, factor, linked, providers, sessions, applications] = await Promise.all([
    deps.ownPassword.exists(session),
    deps.secondFactor.find(tenantId, userId),
    deps.linkedAccounts.list(tenantId, userId),
    deps.upstream.offered(tenantId),
    listSessions(deps.sql, tenantId, userId),
    deps.applications.allowed(tenantId, userId),
  ]);
  const { csrf, cookies } = deps.forms.protect(request, session);
  const page = (
    <AccountPage
      site={deps.endpoints.site}
      csrf={csrf}
      user={nameOf(session)}
      notice={notice}
      hasPassword={hasPassword}
      factor={factor}
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
    return toAccount(deps, "sessions");
  }
  // The current session is ended by signing out, which also clears the cookie.
  if (isUuid(which) && which !== session.id) await deps.credentials.endSession(request, session, which);
  return toAccount(deps, "session");
}

async function revokeGrant(deps: AccountDependencies, { request, session }: AccountVisit): Promise<Response> {
  const form = await readForm(request);
  deps.forms.require(request, form.get("csrf"), session);
  await deps.applications.revoke(request, session.tenantId, session.userId, form.get("client_id") ?? "");
  return toAccount(deps, "grant");
}
