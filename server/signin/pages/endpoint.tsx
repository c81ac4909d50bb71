import { Elysia } from "elysia";
import { MethodNotAllowed } from "../../errors.ts";
import { clientNetwork } from "../../http/client-address.ts";
import { asApiError } from "../../http/error-record.ts";
import { requestKey } from "../../http/request-key.ts";
import type { Caller } from "../sessions.ts";
import { MessagePage } from "./message.tsx";
import { pageResponse } from "./response.ts";
import type { Site } from "./site.ts";

export interface PageEndpoints {
  site: Site;
  /** Told of what was not the caller's fault. */
  onFailure: (error: unknown, request: Request) => void;
}

/** An address that people's browsers go to: it answers pages, its errors too. */
export function pageEndpoint(
  { site, onFailure }: PageEndpoints,
  path: string,
  methods: ("GET" | "POST")[],
  answer: (request: Request, caller: Caller) => Promise<Response>,
) {
  async function respond(request: Request): Promise<Response> {
    try {
      if (!(methods as string[]).includes(request.method)) throw new MethodNotAllowed(methods);
      const userAgent = request.headers.get("user-agent") ?? "";
      return await answer(request, { address: clientNetwork(request), userAgent });
    } catch (failure) {
      const response = await errorPage(site, failure, request);
      if (response.status === 500) onFailure(failure, request);
      return response;
    }
  }
  return new Elysia().all(path, ({ request }) => respond(request), { parse: "none" });
}

function errorPage(site: Site, failure: unknown, request: Request): Promise<Response> {
  const { status, title, errors, headers } = asApiError(failure);
  const lines = status === 500 ? [...errors, `RequestKey: ${requestKey(request)}`] : errors;
  return pageResponse(<MessagePage site={site} heading={title} lines={lines} />, { status, headers });
}
