// An authorization request in an address of our own, by which a form or a redirect goes on with it.

import { BadInput } from "../../errors.ts";
import { NO_STORE } from "../../http/no-store.ts";
import type { Site } from "../../signin/index.ts";
import { AUTHORIZATION_PATH, type Door, SPEC_AUTHORIZATION_PATH } from "../door.ts";
import { type Parameters, parseParameters } from "./parameters.ts";

export const AUTHORIZATION_PATHS: Readonly<Record<string, Door>> = {
  [SPEC_AUTHORIZATION_PATH]: "spec",
  [AUTHORIZATION_PATH]: "rfc",
};

export interface Target {
  path: string;
  door: Door;
  parameters: Parameters;
}

/** @returns a path and query, never an address of another host */
export function targetText({ path, parameters }: Target): string {
  return `${path}?${parameters.text}`;
}

/** Where the sign-in at a provider begins. */
export function upstreamPath(providerId: number, target: Target): string {
  return `/signin/upstream/${providerId}?${new URLSearchParams({ request: targetText(target) })}`;
}

/**
 * @param text a form's field `request`, so anybody's
 * @throws BadInput
 */
export function readTarget(text: string | undefined): Target {
  const mark = text?.indexOf("?") ?? -1;
  const path = text?.slice(0, mark) ?? "";
  if (mark < 0 || !Object.hasOwn(AUTHORIZATION_PATHS, path)) {
    throw new BadInput(
      "This form does not say which application it is for. Go back to the application and start again.",
    );
  }
  return { path, door: AUTHORIZATION_PATHS[path]!, parameters: parseParameters(text!.slice(mark + 1)) };
}

/** Goes on with a request: 303, so that no form is sent twice (RFC 9700 4.12). */
export function goTo(site: Site, path: string, query: string, cookies: string[] = []): Response {
  const headers = new Headers({ location: site.href(`${path}?${query}`), ...NO_STORE });
  for (const cookie of cookies) headers.append("set-cookie", cookie);
  return new Response(null, { status: 303, headers });
}
