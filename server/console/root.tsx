// What stands in front of all pages: the way in from /, and a page where there is nothing.

import { Elysia } from "elysia";
import { NotFound } from "../errors.ts";
import { contextOf } from "../http/context.ts";
import { asApiError, errorResponse } from "../http/error-record.ts";
import { API_PATH, prefersPage, requestUrl } from "../http/request.ts";
import { MessagePage, pageResponse, type Site } from "../ui/index.ts";

/** A browser that opens the address alone is led to Settings; for a client of the API there is nothing. */
export function rootController(site: Site) {
  return new Elysia().all("/", ({ request }) => {
    if (!prefersPage(request)) return nothingHere(site, request);
    return new Response(null, { status: 303, headers: { location: site.href("/settings"), vary: "Accept" } });
  });
}

/** The 404 of a path that is none: a page for a browser, the error record for everybody else. */
export async function nothingHere(site: Site, request: Request): Promise<Response> {
  const nothing = new NotFound("Nothing stands at this path.");
  const response = prefersPage(request) ? await failurePage(site, nothing, request) : errorResponse(nothing, request);
  response.headers.append("vary", "Accept");
  return response;
}

/** A failure that nothing has met itself: the error record of the API, and elsewhere a page for a browser. */
export async function refusal(site: Site, failure: unknown, request: Request): Promise<Response> {
  const isApi = requestUrl(request).pathname.startsWith(`${API_PATH}/`);
  return isApi || !prefersPage(request) ? errorResponse(failure, request) : failurePage(site, failure, request);
}

function failurePage(site: Site, failure: unknown, request: Request): Promise<Response> {
  const { status, title, errors, headers } = asApiError(failure);
  const lines = status === 500 ? [...errors, `RequestKey: ${contextOf(request).key}`] : errors;
  const next = { href: site.href("/settings"), text: "Go to Settings" };
  return pageResponse(<MessagePage {...{ site, heading: title, lines, next }} />, { status, headers });
}
