import { Elysia } from "elysia";
import { formRead } from "../http/body.ts";
import { NO_STORE } from "../http/conditions.ts";
import { clientNetwork, contextOf } from "../http/context.ts";
import { asApiError } from "../http/error-record.ts";
import { prefersPage, requireMethod } from "../http/request.ts";
import { MessagePage, pageResponse, type Site } from "../ui/index.ts";
import type { Visitor } from "./session.ts";

export interface PageEndpoints {
  site: Site;
  /** Reports errors that the caller did not cause. */
  onFailure: (error: unknown, request: Request) => void;
}

/**
 * An address for browsers: it answers with pages, errors included. HEAD is answered as GET without cookies, because a
 * HEAD request must not issue a code or end a session (RFC 9110 9.2.1).
 */
export function pageEndpoint(
  { site, onFailure }: PageEndpoints,
  path: string,
  methods: ("GET" | "POST")[],
  answer: (request: Request, visitor: Visitor) => Promise<Response>,
) {
  async function respond(request: Request): Promise<Response> {
    if (request.method === "GET" && !methods.includes("GET") && prefersPage(request)) return toPageOf(site, path);
    try {
      requireMethod(request, ...methods);
      if (request.method === "HEAD") request.headers.delete("cookie");
      const userAgent = request.headers.get("user-agent") ?? "";
      return await answer(request, { address: clientNetwork(request), userAgent });
    } catch (failure) {
      const response = await errorPage(site, failure, request);
      if (response.status >= 500) onFailure(failure, request);
      return response;
    }
  }
  return new Elysia().all(
    path,
    async ({ request }) => {
      const response = await respond(request);
      if (request.method === "HEAD") response.headers.delete("set-cookie");
      return response;
    },
    { parse: "none" },
  );
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
function wayBack(request: Request): string | undefined {
  const path = formRead(request)?.get("request");
  return path && OWN_PATH.test(path) ? path : undefined;
}

/** A path of this host: it starts with neither `//` nor `/\\`. */
const OWN_PATH = /^\/[a-z][^\\]*$/i;

function errorPage(site: Site, failure: unknown, request: Request): Promise<Response> {
  const { status, title, errors, headers } = asApiError(failure);
  const lines = status === 500 ? [...errors, `RequestKey: ${contextOf(request).key}`] : errors;
  const back = wayBack(request);
  const next = back === undefined ? undefined : { href: site.href(back), text: "Start again" };
  return pageResponse(<MessagePage site={site} heading={title} lines={lines} next={next} />, { status, headers });
}
