// Ends a browser's session here and then, if configured, at its identity provider.

import { NO_STORE } from "../../platform/http/conditions.ts";
import { MessagePage, pageResponse, type Site, texts } from "../../ui/index.ts";
import type { Session, Sessions } from "./session.ts";
import type { Upstream } from "./upstream/upstream.ts";

export interface SignOutDependencies {
  sessions: Pick<Sessions, "end">;
  upstream: Pick<Upstream, "signOut">;
}

export interface SignedOut {
  cookies: string[];
  /** Sends the browser to the provider with the cookies; undefined: there is no sign-out there. */
  onward: ((cookies: string[]) => Promise<Response>) | undefined;
}

/** @param destination where the browser finally goes, also after the provider */
export async function signOut(
  { sessions, upstream }: SignOutDependencies,
  site: Site,
  request: Request,
  session: Session,
  destination: string | undefined,
): Promise<SignedOut> {
  const { cookie, idTokenHint } = await sessions.end(request, session);
  const way = await upstream.signOut(request, session, idTokenHint, destination);
  const cookies = [cookie, ...(way?.cookies ?? [])];
  const isForm = request.method === "POST";
  return {
    cookies,
    onward: way && ((all) => (isForm ? goOnPage(site, request, way, all) : redirectTo(way.location, all))),
  };
}

/** CSP form-action blocks a redirect to a site that the page did not list, so the page refreshes itself. */
function goOnPage(
  site: Site,
  request: Request,
  { name, location: href }: { name: string; location: string },
  cookies: string[],
) {
  const language = texts.speak(request);
  const { t } = language;
  const lines = [texts.fill(t.signedOutToo, { provider: name })];
  const next = { href, text: texts.fill(t.goTo, { provider: name }) };
  const page = <MessagePage {...{ site, language, lines, next }} heading={t.signedOut} />;
  return pageResponse(page, { cookies, headers: { refresh: `0; url=${href}` } });
}

export function redirectTo(location: string, cookies: string[]): Promise<Response> {
  const headers = new Headers({ location, "referrer-policy": "no-referrer", ...NO_STORE });
  for (const value of cookies) headers.append("set-cookie", value);
  return Promise.resolve(new Response(null, { status: 302, headers }));
}
