// Common parts of all pages of Settings: authorization, CSRF protection, layout, and errors as pages.

import { Elysia } from "elysia";
import { MethodNotAllowed, NotFound, Permission } from "../errors.ts";
import { readFormText } from "../http/body.ts";
import { contextOf } from "../http/context.ts";
import { asApiError } from "../http/error-record.ts";
import { isRead, mayBeOwnForm, prefersPage, requestUrl } from "../http/request.ts";
import { readFlash } from "../signin/index.ts";
import { attribute, ButtonLink, CardPage, Form, Hidden, MessagePage, pageResponse, type Site } from "../ui/index.ts";
import { type Entrant, findEntrant } from "./entrant.ts";
import { Layout, navigationFor, tabsFor } from "./layout.tsx";
import type { ConsoleDependencies, ConsolePage, Handler, View } from "./page.tsx";
import { pathOfRequests } from "./requests.tsx";
import { SIGN_IN_PATH, toSignIn } from "./sign-in.tsx";
import { Visit } from "./visit.ts";

/** The maximum bytes of a form: every field of the longest form can hold 10,000 characters. */
const FORM_LIMIT = 2 * 1024 * 1024;

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
    const entrant = await findEntrant(deps, request);
    if (!entrant)
      return mayBeOwnForm(request) ? await holdForm(deps.site, request, FORM_LIMIT) : toSignIn(deps, request);
    deps.onClient(request, entrant.caller);
    visit = visitOf(deps, pages, request, params, entrant);
    if (!handler) return visit.goTo(nearestPage(pages, page, visit.url));
    const answer = await answerOf(deps, handler, visit);
    return answer instanceof Response ? answer : await answerWith(answer);
  } catch (failure) {
    const { status, title, errors, headers } = asApiError(failure);
    if (status >= 500) deps.onFailure(failure, request);
    const { key } = contextOf(request);
    const lines = status === 500 ? [...errors, `RequestKey: ${key}`] : errors;
    // The header is for API clients with tokens.
    const { "www-authenticate": _, ...rest } = headers;
    if (visit) {
      const path = status >= 500 && visit.may("Settings:Read") ? pathOfRequests(key) : undefined;
      return answerWith({ title, status, body: <Lines lines={lines} request={path && visit.href(path)} /> }, rest);
    }
    const next = { href: deps.site.href("/settings"), text: "Go to Settings" };
    return pageResponse(<MessagePage site={deps.site} heading={title} lines={lines} next={next} />, {
      status,
      headers: rest,
    });
  }
}

function visitOf(
  { forms, consoleSite, cookies }: ConsoleDependencies,
  pages: readonly ConsolePage[],
  request: Request,
  params: Record<string, string>,
  entrant: Entrant,
): Visit {
  const { csrf, cookies: formCookies } = forms.protect(request, entrant.session);
  const url = requestUrl(request);
  const pageOf = (type: string) => pages.find(({ shows }) => shows === type)?.path;
  const { href } = consoleSite;
  return new Visit({ request, url, params, ...entrant, csrf, formCookies, forms, cookies, href, pageOf });
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
    visit.form = new URLSearchParams(await readFormText(request, FORM_LIMIT));
    const csrf = visit.form.get("csrf") ?? undefined;
    if (mayBeOwnForm(request) && !forms.accepts(request, csrf, session)) return askToSend(visit);
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
  const notice = request.headers.has("hx-request") ? undefined : readFlash(cookies, request);
  const navigation = navigationFor(pages, caller.scopes, url.pathname);
  const tabs = tabsFor(pages, page, visit, view);
  // Refreshes need no alerts. An error page must also work while PostgreSQL is down.
  const unseen = request.headers.has("hx-request") ? [] : await alerts.unseen(caller).catch(() => []);
  // Rendering decides which scripts the page needs.
  const body = await view.body;
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
  });
}

function Lines({ lines, request }: { lines: string[]; request: string | undefined }): JSX.Element {
  return (
    <div class="panel">
      {lines.map((line) => (
        <p safe>{line}</p>
      ))}
      {request ? (
        <p>
          <a href={attribute(request)}>This request and its effects</a>
        </p>
      ) : (
        ""
      )}
    </div>
  );
}

// A form submitted after the sign-in ended: nothing is saved, and the input is kept.

/** Keeps the form until a sign-in in another tab. @throws UnsupportedMediaType, PayloadTooLarge, BadInput */
async function holdForm(site: Site, request: Request, limit: number): Promise<Response> {
  const fields = typedOf(new URLSearchParams(await readFormText(request, limit)));
  const { pathname } = requestUrl(request);
  const page = (
    <CardPage site={site} title="Signed out">
      <h1>Signed out</h1>
      <p>Your session has ended, so nothing was saved. Your input is kept on this page.</p>
      <p>Sign in, which opens a new tab. Then return to this tab and continue.</p>
      <a class="button" href={site.href(SIGN_IN_PATH)} target="_blank" rel="noopener">
        Sign in
      </a>
      <form method="post" action={site.href(pathname)}>
        <Typed fields={fields} />
        <button type="submit" class="plain">
          Continue
        </button>
      </form>
    </CardPage>
  );
  return pageResponse(page, { status: 401 });
}

/** The session has changed since the form was opened, possibly to another user, so sending needs confirmation. */
function askToSend(visit: Visit): View {
  const { name, username } = visit.session;
  const { pathname } = visit.url;
  return {
    title: "Send this form?",
    status: 409,
    body: (
      <div class="panel narrow">
        <p>The form was opened before you signed in, so nothing was saved yet. Its input is kept.</p>
        <p safe>{`You are ${name || username}, in Settings of ${visit.organisation}.`}</p>
        <Form visit={visit} action={pathname}>
          <Typed fields={typedOf(visit.form)} />
          <div class="buttons">
            <button type="submit" class="main">
              Send it
            </button>
            <ButtonLink href={visit.href("/settings")}>Discard</ButtonLink>
          </div>
        </Form>
      </div>
    ),
  };
}

/** Fields that are never shown again; the user must enter them again. */
const SECRET = /secret|password|api_?key|^headers$/i;

function Typed({ fields }: { fields: [string, string][] }): JSX.Element {
  return (
    <>
      {fields.map(([name, value]) =>
        SECRET.test(name) && value !== "" ? (
          <>
            <label for={attribute(`again-${name}`)} safe>{`${name} again: it is not stored`}</label>
            {name === "Headers" ? (
              <textarea id={attribute(`again-${name}`)} name={attribute(name)} rows="3" required></textarea>
            ) : (
              <input
                type="password"
                id={attribute(`again-${name}`)}
                name={attribute(name)}
                autocomplete="off"
                required
              />
            )}
          </>
        ) : (
          <Hidden name={name} value={value} />
        ),
      )}
    </>
  );
}

const typedOf = (form: URLSearchParams) => [...form].filter(([name]) => name !== "csrf");
