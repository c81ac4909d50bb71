// What stands in front of all pages: the way in from /, and a page where there is nothing.

import { Elysia } from "elysia";
import { NotFound } from "../errors.ts";
import { errorResponse } from "../http/error-record.ts";
import { prefersPage } from "../http/request.ts";
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
  const response = prefersPage(request)
    ? await pageResponse(
        <MessagePage
          site={site}
          heading={nothing.title}
          lines={nothing.errors}
          next={{ href: site.href("/settings"), text: "Go to Settings" }}
        />,
        { status: nothing.status },
      )
    : errorResponse(nothing, request);
  response.headers.append("vary", "Accept");
  return response;
}
