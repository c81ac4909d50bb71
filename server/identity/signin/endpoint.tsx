import { Elysia } from "elysia";
import { formRead } from "../../platform/http/body.ts";
import { NO_STORE } from "../../platform/http/conditions.ts";
import { clientNetwork, contextOf } from "../../platform/http/context.ts";
import { asApiError } from "../../platform/http/error-record.ts";
import { hasOtherLocalName, isRead, prefersPage, requestUrl, requireMethod } from "../../platform/http/request.ts";
import { MessagePage, pageResponse, type Site, texts } from "../../ui/index.ts";
import type { Cookies } from "./cookies.ts";
import type { Visitor } from "./session.ts";

export interface PageEndpoints {
  site: Site;
  cookies: Pick<Cookies, "read">;
  /** Reports errors that the caller did not cause. */
  onFailure: (error: unknown, request: Request) => void;
}

type AnswerPage = (request: Request, visitor: Visitor) => Promise<Response>;

/** The pages at each path. */
export type Pages = Record<string, { get?: AnswerPage; post?: AnswerPage }>;

/**
 * Addresses for browsers: they answer with pages, errors included. HEAD is answered as GET without cookies, because a
 * HEAD request must not issue a code or end a session (RFC 9110 9.2.1).
 */
export function pageController({ site, cookies, onFailure }: PageEndpoints, pages: Pages) {
  async function respond(path: string, request: Request): Promise<Response> {
    const { get, post } = pages[path]!;
    texts.learn(request, { chosen: cookies.read(request, "language") });
    if (request.method === "GET" && !get && prefersPage(request)) return toPageOf(site, path);
    try {
      requireMethod(request, ...(get ? ["GET"] : []), ...(post ? ["POST"] : []));
      if (hasOtherLocalName(request, site.origin)) return toPublicName(site, request);
      if (request.method === "HEAD") request.headers.delete("cookie");
      const userAgent = request.headers.get("user-agent") ?? "";
      return await (isRead(request) ? get! : post!)(request, { address: clientNetwork(request), userAgent });
    } catch (failure) {
      const response = await errorPage(site, failure, request);
      if (response.status >= 500) onFailure(failure, request);
      return response;
    }
  }
  const app = new Elysia();
  for (const path of Object.keys(pages)) {
    app.all(
      path,
      async ({ request }) => {
        const response = await site.during(() => respond(path, request));
        if (request.method === "HEAD") response.headers.delete("set-cookie");
        return response;
      },
      { parse: "none" },
    );
  }
  return app;
}

function toPublicName(site: Site, request: Request): Response {
  const { pathname, search } = requestUrl(request);
  const location = site.origin + site.href(pathname + search);
  return new Response(null, { status: 302, headers: { location, "referrer-policy": "no-referrer", ...NO_STORE } });
}

/** Redirects a GET of a form's address, such as from the browser's history, to the page of the form. */
function toPageOf(site: Site, path: string): Response {
  const page = FORM_PAGES.find(([start]) => path.startsWith(start))![1];
  return new Response(null, { status: 303, headers: { location: site.href(page), ...NO_STORE } });
}

const FORM_PAGES = [
  ["/settings/", "/settings"],
  ["/signout", "/oauth2/logout"],
  ["/", "/account"],
] as const;

/** The page of a rejected form, if the form names it; the user can fill it in again there. */
const wayBack = (request: Request) => ownPath(formRead(request)?.get("request"));

/** @param path untrusted @returns a path of this host with its query */
export function ownPath(path = ""): string | undefined {
  return path.length <= PATH_LIMIT && OWN_PATH.test(path) ? path : undefined;
}

/** The maximum number of characters: a request of 8 KiB within another address. */
const PATH_LIMIT = 16_384;

/** A path of this host as URLs are written: it starts with neither `//` nor `/\\`. */
const OWN_PATH = /^\/[a-z][!-[\]-~]*$/i;

function errorPage(site: Site, failure: unknown, request: Request): Promise<Response> {
  const { status, errors, headers } = asApiError(failure);
  // The chooser would repeat the address.
  const language = texts.withoutChooser(texts.speak(request));
  const { t, code } = language;
  const titles: Partial<Record<number, string>> = t.errorTitles;
  const lines = errors.flatMap((error) => texts.errorIn(language, error) ?? []);
  const details = errors.filter((error) => texts.errorIn(language, error) === undefined);
  if (status === 500) details.push(`RequestKey: ${contextOf(request).key}`);
  if (code !== "en" && lines.length === 0) lines.push(`${t.errorDetail}:`);
  const back = wayBack(request);
  const next = back === undefined ? undefined : { href: site.href(back), text: t.startAgain };
  const page = (
    <MessagePage
      {...{ site, language, lines, details, next }}
      heading={titles[status] ?? (code === "en" ? asApiError(failure).title : t.errorOther)}
    />
  );
  return pageResponse(page, { status, headers });
}
