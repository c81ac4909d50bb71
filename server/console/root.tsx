// The address / and the page for unknown paths.

import { Elysia } from "elysia";
import { NotFound } from "../platform/errors.ts";
import { contextOf } from "../platform/http/context.ts";
import { asApiError, errorResponse } from "../platform/http/error-record.ts";
import { API_PATH, prefersPage, requestUrl } from "../platform/http/request.ts";
import { MessagePage, pageResponse, type Site, texts } from "../ui/index.ts";

/** Redirects browsers to Settings; API clients get 404. */
export function rootController(site: Site) {
  return new Elysia().all("/", ({ request }) => {
    if (!prefersPage(request)) return nothingHere(site, request);
    return new Response(null, { status: 303, headers: { location: site.href("/settings"), vary: "Accept" } });
  });
}

/** The 404 of an unknown path: a page for browsers, an error record for other clients. */
export async function nothingHere(site: Site, request: Request): Promise<Response> {
  const nothing = new NotFound("Not found: unknown path.");
  const response = prefersPage(request) ? await failurePage(site, nothing, request) : errorResponse(nothing, request);
  response.headers.append("vary", "Accept");
  return response;
}

/** Converts an unhandled error: an error record for API paths and clients, otherwise a page. */
export async function refusal(site: Site, failure: unknown, request: Request): Promise<Response> {
  const isApi = requestUrl(request).pathname.startsWith(`${API_PATH}/`);
  return isApi || !prefersPage(request) ? errorResponse(failure, request) : failurePage(site, failure, request);
}

/** Every failure outside Settings as a page. */
export function failurePage(site: Site, failure: unknown, request: Request): Promise<Response> {
  const { status, title, errors, headers } = asApiError(failure);
  const lines = status === 500 ? [...errors, `RequestKey: ${contextOf(request).key}`] : errors;
  // The header is for API clients with tokens.
  const { "www-authenticate": _, ...rest } = headers;
  const next = { href: site.href("/settings"), text: "Go to Settings" };
  const page = <MessagePage site={site} language={texts.ENGLISH} heading={title} lines={lines} next={next} />;
  return pageResponse(page, { status, headers: rest });
}
