// The response to an authorization request: a code or an error.

import { extendAddress } from "../../../platform/egress/index.ts";
import { NO_STORE } from "../../../platform/http/conditions.ts";
import { pageResponse, type Site, texts } from "../../../ui/index.ts";
import { FormPostPage } from "../../signin/pages.tsx";
import { placeOf } from "../clients/credential-rules.ts";
import type { AuthorizationError } from "../errors.ts";
import type { ResponseMode } from "./checks/request.ts";
import type { PushReference } from "./pushed.ts";
import { RefusedPage } from "./refused-page.tsx";

export interface Reply {
  /** Registered by the client. */
  redirectUri: string;
  mode: ResponseMode;
  /** Signs the response as one JWT (JARM); undefined: plain fields. */
  sign?: ((fields: Fields) => Promise<string>) | undefined;
  state: string | undefined;
  /** RFC 9207; undefined: the response omits it. */
  issuer: string | undefined;
  /** An unvouched client: errors are shown on a page until the user has decided. */
  isStrangers?: boolean;
  pushed?: PushReference;
}

type Fields = Record<string, string | undefined>;

export function errorReply(
  site: Site,
  request: Request,
  reply: Reply,
  { code, message }: AuthorizationError,
): Promise<Response> {
  return respond(site, request, reply, { error: code, error_description: message });
}

/** RFC 6749 4.1.2, OAuth 2.0 Multiple Response Types, Form Post Response Mode, JARM. */
export async function respond(site: Site, request: Request, reply: Reply, fields: Fields): Promise<Response> {
  const { redirectUri, mode } = reply;
  const given = await answerFields(reply, fields);
  if (mode === "form_post") {
    const page = FormPostPage({ site, language: texts.speak(request), action: redirectUri, fields: given });
    return pageResponse(page, { endsElsewhere: true });
  }
  const location = withAnswer(reply, given);
  return new Response(null, { status: 302, headers: { location, "referrer-policy": "no-referrer", ...NO_STORE } });
}

/** Attackers can register unvouched clients and make them fail, so continuing takes a click (RFC 9700 4.11.2). */
export async function errorPage(
  site: Site,
  request: Request,
  reply: Reply,
  { code, message }: AuthorizationError,
  isInvalid: boolean,
): Promise<Response> {
  const { redirectUri, mode } = reply;
  const fields = await answerFields(reply, { error: code, error_description: message });
  const page = RefusedPage({
    site,
    language: texts.speak(request),
    isInvalid,
    problem: `${message} (${code})`,
    destination: placeOf(redirectUri),
    ...(mode === "form_post" ? { action: redirectUri, fields } : { href: withAnswer(reply, fields) }),
  });
  return pageResponse(page, { status: 400, endsElsewhere: true });
}

async function answerFields({ sign, state, issuer }: Reply, fields: Fields): Promise<[string, string][]> {
  const { nonce, ...answer } = fields;
  // The order of docs/behaviour.md "Authorization request". A signed response has no iss beside it (RFC 9207 2).
  const all: Fields = sign ? { response: await sign({ ...answer, state }) } : { ...answer, state, nonce, iss: issuer };
  return Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined);
}

function withAnswer({ redirectUri, mode }: Reply, fields: [string, string][]): string {
  return mode === "fragment" ? `${redirectUri}#${new URLSearchParams(fields)}` : extendAddress(redirectUri, fields);
}
