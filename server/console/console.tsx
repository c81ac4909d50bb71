// Common parts of all pages of Settings: authorization, CSRF protection, layout, and errors as pages.

import { Elysia } from "elysia";
import { MethodNotAllowed, NotFound, Permission } from "../platform/errors.ts";
import { isUpload, readFormText, readUpload } from "../platform/http/body.ts";
import { NO_STORE } from "../platform/http/conditions.ts";
import { contextOf } from "../platform/http/context.ts";
import { asApiError } from "../platform/http/error-record.ts";
import { isRead, mayBeOwnForm, prefersPage, requestUrl } from "../platform/http/request.ts";
import { attribute, pageResponse } from "../ui/index.ts";
import { askToSend, holdForm } from "./held-form.tsx";
import { Layout } from "./layout.tsx";
import { navigationFor, tabsFor } from "./navigation.ts";
import type { ConsoleDependencies, ConsolePage, Handler, View } from "./page.tsx";
import { pathOfRequests } from "./requests.tsx";
import { failurePage } from "./root.tsx";
import { toSignIn } from "./sign-in.tsx";
import { findSignedInUser, type SignedInUser } from "./signed-in-user.ts";
import { type Rendered, Visit } from "./visit.ts";

/** The maximum size of a form in bytes: every field of the longest form can have 10,000 characters. */
export const SETTINGS_FORM_LIMIT = 2 * 1024 * 1024;

export function consolePages(deps: ConsoleDependencies, pages: readonly ConsolePage[]) {
  const app = new Elysia();
  for (const page of pages) {
    app.all(page.path, ({ request, params }) => respond(deps, pages, page, request, params ?? {}), { parse: "none" });
  }
  const nothing: ConsolePage = { path: "/settings/*", GET: { needs: [], answer: nothingHere } };
  return app.all(nothing.path, ({ request }) => respond(deps, pages, nothing, request, {}), { parse: "none" });
}

async function nothingHere(): Promise<never> {
  throw new NotFound("Page not found. Its content may have been deleted; use the menu to find other pages.");
}

async function respond(
  deps: ConsoleDependencies,
  pages: readonly ConsolePage[],
  page: ConsolePage,
  request: Request,
  params: Record<string, string>,
): Promise<Response> {
  let visit: Visit | undefined;
  const answerWith = (view: View, headers?: Record<string, string>) => show(deps, pages, page, visit!, view, headers);
  try {
    const handler = handlerOf(page, request);
    const user = await findSignedInUser(deps, request);
    if (!user)
      return mayBeOwnForm(request) && !isUpload(request) ? await holdForm(deps.site, request) : toSignIn(deps, request);
    deps.onClient(request, user.caller);
    visit = visitOf(deps, pages, request, params, user);
    if (!handler) return visit.goTo(nearestPage(pages, page, visit.url));
    const answer = await answerOf(deps, handler, visit);
    return answer instanceof Response ? answer : await answerWith(answer);
  } catch (failure) {
    const { status, title, errors, headers } = asApiError(failure);
    if (status >= 500) deps.onFailure(failure, request);
    if (!visit) return failurePage(deps.site, failure, request);
    const { key } = contextOf(request);
    const lines = status === 500 ? [...errors, `RequestKey: ${key}`] : errors;
    // The header is for API clients with tokens.
    const { "www-authenticate": _, ...rest } = headers;
    const path = status >= 500 && visit.may("Settings:Read") ? pathOfRequests(key) : undefined;
    return answerWith({ title, status, body: <Lines lines={lines} request={path && visit.href(path)} /> }, rest);
  }
}

function visitOf(
  { forms, consoleSite, cookies }: ConsoleDependencies,
  pages: readonly ConsolePage[],
  request: Request,
  params: Record<string, string>,
  user: SignedInUser,
): Visit {
  const { csrf, cookies: formCookies } = forms.protect(request, user.session);
  const url = requestUrl(request);
  const pageOf = (type: string) => pages.find(({ shows }) => shows === type)?.path;
  const { href } = consoleSite;
  return new Visit({ request, url, params, ...user, csrf, formCookies, forms, cookies, href, pageOf });
}

/** @returns undefined for a GET of a form's address @throws MethodNotAllowed */
function handlerOf({ GET, POST }: ConsolePage, request: Request): Handler | undefined {
  const handler = isRead(request) ? GET : request.method === "POST" ? POST : undefined;
  if (handler || (isRead(request) && prefersPage(request))) return handler;
  throw new MethodNotAllowed([...(GET ? ["GET", "HEAD"] : []), ...(POST ? ["POST"] : [])]);
}

function nearestPage(pages: readonly ConsolePage[], { path }: ConsolePage, { pathname }: URL): string {
  const segments = path.split("/");
  while (!pages.some((page) => page.GET && page.path === segments.join("/"))) segments.pop();
  return pathname.split("/").slice(0, segments.length).join("/");
}

async function answerOf({ forms }: ConsoleDependencies, handler: Handler, visit: Visit): Promise<View | Response> {
  const { request, session } = visit;
  if (request.method === "POST") {
    const isFiles = handler.takesFiles && isUpload(request);
    const text = isFiles ? undefined : await readFormText(request, SETTINGS_FORM_LIMIT);
    visit.form = text === undefined ? await readUpload(request, SETTINGS_FORM_LIMIT) : new URLSearchParams(text);
    const csrf = visit.form.get("csrf") ?? undefined;
    if (mayBeOwnForm(request) && !forms.accepts(request, csrf, session))
      return askToSend(visit, text ?? visit.form.toString());
    forms.require(request, csrf, session);
  }
  requireScopes(visit, handler);
  return handler.answer(visit);
}

function requireScopes({ caller, organisation }: Visit, { needs }: Handler): void {
  const missing = needs.filter((scope) => !caller.scopes.has(scope));
  if (missing.length === 0) return;
  throw new Permission(
    `This requires ${missing.join(" and ")}, which none of your roles has. An administrator of ${organisation} can give ` +
      "you a role that has it.",
  );
}

async function show(
  { consoleSite, cookies, alerts }: ConsoleDependencies,
  pages: readonly ConsolePage[],
  page: ConsolePage,
  visit: Visit,
  view: View,
  headers: Record<string, string> = {},
): Promise<Response> {
  const { request, caller, url, formCookies } = visit;
  // Refreshing parts of a page must not consume the message for the next page.
  const notice = request.headers.has("hx-request") ? undefined : cookies.readNotice(request);
  const navigation = navigationFor(pages, caller.scopes, url.pathname);
  const tabs = tabsFor(pages, page, visit, view);
  // Refreshes need no alerts. An error page must also work while PostgreSQL is down.
  const unseen = request.headers.has("hx-request") ? [] : await alerts.unseen(caller).catch(() => []);
  // Rendering decides which scripts the page needs.
  const body = await view.body;
  if (visit.rendered && (view.status ?? 200) === 200) return partResponse(visit.rendered, request);
  const shown = (
    <Layout
      site={consoleSite}
      visit={visit}
      navigation={navigation}
      tabs={tabs}
      view={{ ...view, body }}
      notice={notice}
      unseen={unseen}
    />
  );
  return pageResponse(shown, {
    status: view.status,
    headers,
    cookies: [...formCookies, ...(notice === undefined ? [] : [cookies.clear("notice")])],
    connects: true,
    styleNonce: visit.editorNonce,
    isSecret: visit.isSecret,
  });
}

/** 304 if the page has this part already. */
function partResponse({ html, digest }: Rendered, request: Request): Response | Promise<Response> {
  const headers = { etag: digest };
  if (request.headers.get("if-none-match") !== digest) return pageResponse(html, { headers });
  return new Response(null, { status: 304, headers: { ...headers, ...NO_STORE } });
}

function Lines({ lines, request }: { lines: string[]; request: string | undefined }): JSX.Element {
  return (
    <div class="panel">
      {lines.map((line) => (
        <p safe>{line}</p>
      ))}
      {!!request && (
        <p>
          <a href={attribute(request)}>This request and its effects</a>
        </p>
      )}
    </div>
  );
}
