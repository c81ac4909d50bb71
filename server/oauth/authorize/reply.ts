// How an authorization request is answered: by a code, or by an error.

import { extendAddress } from "../../egress/index.ts";
import { NO_STORE } from "../../http/conditions.ts";
import { FormPostPage } from "../../signin/index.ts";
import { pageResponse, type Site } from "../../ui/index.ts";
import { placeOf } from "../clients/credential-rules.ts";
import type { AuthorizationError } from "../errors.ts";
import type { ResponseMode } from "./checks/request.ts";
import type { PushReference } from "./pushed.ts";
import { RefusedPage } from "./refused-page.tsx";

/** Where and how a request is answered. */
export interface Reply {
  /** Registered to the client. */
  redirectUri: string;
  mode: ResponseMode;
  /** Makes one JWT of the answer (JARM); undefined: its fields stand by themselves. */
  sign?: ((fields: Fields) => Promise<string>) | undefined;
  state: string | undefined;
  /** RFC 9207; undefined: the answer does not say it. */
  issuer: string | undefined;
  /** Nobody vouches for the client: its errors are a page, until its user has decided. */
  isStrangers?: boolean;
  /** The pushed request that it answers. */
  pushed?: PushReference;
}

type Fields = Record<string, string | undefined>;

export function errorReply(site: Site, reply: Reply, { code, message }: AuthorizationError): Promise<Response> {
  return respond(site, reply, { error: code, error_description: message });
}

/**
 * Sends the browser back to the client (RFC 6749 4.1.2, OAuth 2.0 Multiple Response Types, Form Post Response Mode,
 * JARM).
 */
export async function respond(site: Site, reply: Reply, fields: Fields): Promise<Response> {
  const { redirectUri, mode } = reply;
  const given = await answerFields(reply, fields);
  if (mode === "form_post") {
    const page = FormPostPage({ site, action: redirectUri, fields: given });
    return pageResponse(page, { formAction: formTargets(redirectUri) });
  }
  const location = withAnswer(reply, given);
  return new Response(null, { status: 302, headers: { location, "referrer-policy": "no-referrer", ...NO_STORE } });
}

/**
 * An error of a client that nobody vouches for. Anybody can make such a client and a request that fails, so the browser
 * goes on to its address by a click alone (RFC 9700 4.11.2).
 */
export async function errorPage(site: Site, reply: Reply, { code, message }: AuthorizationError): Promise<Response> {
  const { redirectUri, mode } = reply;
  const fields = await answerFields(reply, { error: code, error_description: message });
  const page = RefusedPage({
    ...{ site, problem: `${message} (${code})`, destination: placeOf(redirectUri) },
    ...(mode === "form_post" ? { action: redirectUri, fields } : { href: withAnswer(reply, fields) }),
  });
  return pageResponse(page, { status: 400, formAction: formTargets(redirectUri) });
}

async function answerFields({ sign, state, issuer }: Reply, fields: Fields): Promise<[string, string][]> {
  const { nonce, ...answer } = fields;
  // In the order of docs/behaviour.md "Authorization request". Signed, it has iss in it, and none beside (RFC 9207 2).
  const all: Fields = sign ? { response: await sign({ ...answer, state }) } : { ...answer, state, nonce, iss: issuer };
  return Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined);
}

function withAnswer({ redirectUri, mode }: Reply, fields: [string, string][]): string {
  return mode === "fragment" ? `${redirectUri}#${new URLSearchParams(fields)}` : extendAddress(redirectUri, fields);
}

/**
 * Where a form that ends at the client may lead. Browsers hold CSP's form-action against every redirect that follows,
 * and a client's callback may well go on to another host of its own: so all of https, and the redirect URI's scheme.
 */
export function formTargets(redirectUri: string): string[] {
  const { protocol } = new URL(redirectUri);
  return [...new Set(["https:", protocol])];
}
