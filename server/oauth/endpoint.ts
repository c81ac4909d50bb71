// What the token, revocation and introspection endpoints share: one form in, JSON out, and failures as their door has
// them.

import { Elysia } from "elysia";
import { MethodNotAllowed } from "../errors.ts";
import { readForm } from "../http/body.ts";
import { openToBrowsers, preflight } from "../http/cross-origin.ts";
import { NO_STORE } from "../http/no-store.ts";
import { type Door, INTROSPECTION_PATH } from "./door.ts";
import { tokenErrorResponse } from "./token-error.ts";

/** Told of what was not the caller's fault. */
export type OnFailure = (error: unknown, request: Request) => void;

/** @param answer the body of a 200, or undefined for none */
export function formEndpoint(
  path: string,
  door: Door,
  onFailure: OnFailure,
  answer: (request: Request, form: Map<string, string>) => Promise<object | undefined>,
) {
  async function respond(request: Request): Promise<Response> {
    try {
      if (request.method !== "POST") throw new MethodNotAllowed(["POST"]);
      const body = await answer(request, await readForm(request));
      const headers = NO_STORE;
      return body ? Response.json(body, { headers }) : new Response(null, { headers });
    } catch (failure) {
      const response = tokenErrorResponse(failure, request, door);
      if (response.status >= 500) onFailure(failure, request);
      return response;
    }
  }
  const controller = new Elysia();
  // Only a client with a secret introspects, and a browser can keep none.
  if (path === INTROSPECTION_PATH) return controller.all(path, ({ request }) => respond(request), { parse: "none" });
  return controller
    .options(path, () => preflight("POST"))
    .all(path, async ({ request }) => openToBrowsers(await respond(request)), { parse: "none" });
}
