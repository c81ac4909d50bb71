// GET and POST /oauth2/logout (OIDC RP-Initiated Logout), and POST /signout from its page. Ends the browser's session;
// refresh tokens stay valid until they are revoked.

import { Elysia } from "elysia";
import type { JWTPayload } from "jose";
import type { Sql } from "../db/sql.ts";
import { extendAddress } from "../egress/index.ts";
import { BadInput } from "../errors.ts";
import { readForm } from "../http/body.ts";
import { NO_STORE } from "../http/conditions.ts";
import { toRecordId } from "../http/query.ts";
import { requestUrl } from "../http/request.ts";
import {
  type Cookies,
  type Forms,
  nameOf,
  type PageEndpoints,
  pageEndpoint,
  redirectTo,
  type Session,
  type Sessions,
  SignOutPage,
  signOut,
  type Upstream,
} from "../signin/index.ts";
import { MessagePage, pageResponse } from "../ui/index.ts";
import { parseParameters, type RequestParameters, readParameters } from "./authorize/parameters.ts";
import { formTargets } from "./authorize/reply.ts";
import { isRegisteredUri, placeOf } from "./clients/credential-rules.ts";
import type { FindKnownClient } from "./clients/known-clients.ts";
import { isStranger } from "./clients/store.ts";
import { LOGOUT_REQUEST } from "./contract.ts";
import type { PageEndpoint } from "./declared.ts";
import { END_SESSION_PATH } from "./door.ts";
import { userOfSubject } from "./tokens/jwt.ts";
import { userOfIssuedSubject } from "./tokens/subjects.ts";
import type { Tokens } from "./tokens/tokens.ts";

export interface EndSessionDependencies {
  sql: Sql;
  findClient: FindKnownClient;
  tokens: Pick<Tokens, "readIdTokenHint">;
  cookies: Cookies;
  forms: Forms;
  sessions: Sessions;
  upstream: Pick<Upstream, "signOut" | "signedOut">;
  endpoints: PageEndpoints;
}

interface LogoutRequest {
  hintedUser: number | undefined;
  /** The registered post-logout redirect URI, with state. */
  destination: string | undefined;
  /** An unvouched client: the browser is redirected automatically only after the user has signed out here. */
  isStrangers: boolean;
}

export const LOGOUT: PageEndpoint = {
  kind: "page",
  path: END_SESSION_PATH,
  id: { get: "logout", post: "postLogout" },
  summary: "End the user's session in this browser",
  description: "Tokens stay valid until they expire or are revoked.",
  takes: LOGOUT_REQUEST,
  answers: {
    200: "A page that asks for confirmation or reports success.",
    302: "To post_logout_redirect_uri, with state.",
    303: "Redirect to an address of this service.",
    400: "The request is invalid; there is no redirect.",
  },
};

export function logoutController(deps: EndSessionDependencies) {
  const logout = pageEndpoint(deps.endpoints, LOGOUT.path, ["GET", "POST"], async (request) =>
    begin(deps, request, await readParameters(LOGOUT_REQUEST, request)),
  );
  const confirmation = pageEndpoint(deps.endpoints, "/signout", ["POST"], async (request) => {
    const form = await readForm(request);
    return confirmed(deps, request, parseParameters(LOGOUT_REQUEST, form.get("request") ?? ""), form.get("csrf"));
  });
  const signedOut = pageEndpoint(deps.endpoints, "/signin/upstream/:id/signed-out", ["GET"], async (request) => {
    const { pathname, searchParams } = requestUrl(request);
    const providerId = toRecordId(pathname.split("/")[3]) ?? 0;
    const destination = await deps.upstream.signedOut(request, providerId, searchParams.get("state") ?? "");
    return farewell(deps, { destination, isStrangers: false });
  });
  return new Elysia().use(logout).use(confirmation).use(signedOut);
}

async function begin(
  deps: EndSessionDependencies,
  request: Request,
  parameters: RequestParameters<typeof LOGOUT_REQUEST>,
): Promise<Response> {
  const { site } = deps.endpoints;
  const checked = await checkLogout(deps, parameters);
  // A cross-site form submission carries no SameSite=Lax cookie; a navigation does.
  if (request.method === "POST" && deps.cookies.read(request, "session") === undefined) {
    const location = site.href(`${END_SESSION_PATH}?${parameters.text}`);
    return new Response(null, { status: 303, headers: { location, ...NO_STORE } });
  }
  const session = await deps.sessions.findStarted(request);
  if (!session) return farewell(deps, checked);
  if (checked.hintedUser === session.userId) return end(deps, request, session, checked);

  // Without a hint, any site could have sent the user here (RP-Initiated Logout 6).
  return askFirst(deps, request, parameters, checked, session);
}

function askFirst(
  { forms, endpoints: { site } }: EndSessionDependencies,
  request: Request,
  { text }: RequestParameters<typeof LOGOUT_REQUEST>,
  { destination }: LogoutRequest,
  session: Session,
  status = 200,
): Promise<Response> {
  const { csrf, cookies } = forms.protect(request, session);
  const page = <SignOutPage site={site} user={nameOf(session)} request={text} csrf={csrf} />;
  return pageResponse(page, { status, cookies, formAction: destination ? formTargets(destination) : [] });
}

async function confirmed(
  deps: EndSessionDependencies,
  request: Request,
  parameters: RequestParameters<typeof LOGOUT_REQUEST>,
  csrf: string | undefined,
): Promise<Response> {
  const checked = await checkLogout(deps, parameters);
  const session: Session | undefined = await deps.sessions.findStarted(request);
  if (!session) return farewell(deps, checked);
  if (!deps.forms.accepts(request, csrf, session)) return askFirst(deps, request, parameters, checked, session, 403);
  return end(deps, request, session, checked);
}

async function end(
  deps: EndSessionDependencies,
  request: Request,
  session: Session,
  checked: LogoutRequest,
): Promise<Response> {
  const { cookies, onward } = await signOut(deps, deps.endpoints.site, request, session, checked.destination);
  return onward ? onward(cookies) : farewell(deps, checked, cookies);
}

/** @param cookies undefined: no session has ended */
function farewell(
  { endpoints }: Pick<EndSessionDependencies, "endpoints">,
  { destination, isStrangers }: Pick<LogoutRequest, "destination" | "isStrangers">,
  cookies?: string[],
): Promise<Response> {
  if (destination === undefined || (isStrangers && cookies === undefined)) {
    const lines = ["You are signed out in this browser. You can close this page."];
    const next = destination && { href: destination, text: `Continue to ${placeOf(destination)}` };
    const page = <MessagePage site={endpoints.site} heading="Signed out" lines={lines} {...(next && { next })} />;
    return pageResponse(page, { cookies });
  }
  return redirectTo(destination, cookies ?? []);
}

/** @throws BadInput if the address is not the client's, so nothing is sent there */
async function checkLogout(
  { findClient, tokens }: EndSessionDependencies,
  parameters: RequestParameters<typeof LOGOUT_REQUEST>,
): Promise<LogoutRequest> {
  if (parameters.repeated.length > 0) throw new BadInput("A parameter is repeated in the request.");
  const hint = parameters.sent.id_token_hint;
  const claims = hint === undefined ? undefined : await tokens.readIdTokenHint(hint);
  if (hint !== undefined && !claims) throw new BadInput("id_token_hint is not an id_token of this service.");
  const clientId = parameters.sent.client_id ?? (claims && String(claims.aud));
  if (claims && clientId !== claims.aud) throw new BadInput("client_id differs from that of id_token_hint.");
  return {
    hintedUser: claims && (await userOfHint(findClient, claims)),
    ...(await registeredDestination(findClient, clientId, parameters)),
  };
}

async function userOfHint(findClient: FindKnownClient, { sub, aud }: JWTPayload): Promise<number | undefined> {
  const client = await findClient(String(aud));
  return client ? userOfIssuedSubject(client, sub!) : userOfSubject(sub!);
}

/** A registered URI (RP-Initiated Logout 2); on loopback, native clients may use any port (RFC 8252 7.3). */
async function registeredDestination(
  findClient: FindKnownClient,
  clientId: string | undefined,
  parameters: RequestParameters<typeof LOGOUT_REQUEST>,
): Promise<Pick<LogoutRequest, "destination" | "isStrangers">> {
  const uri = parameters.sent.post_logout_redirect_uri;
  if (uri === undefined) return { destination: undefined, isStrangers: false };
  if (clientId === undefined) throw new BadInput("post_logout_redirect_uri needs an id_token_hint or a client_id.");
  const client = await findClient(clientId, "anew");
  if (!client || !isRegisteredUri(client, client.postLogoutRedirectUris, uri)) {
    throw new BadInput("post_logout_redirect_uri is not registered for this application.");
  }
  // The addresses of an inactive client are not used; signing out continues.
  if (!client.isActive) return { destination: undefined, isStrangers: false };
  const isStrangers = isStranger(client);
  const state = parameters.sent.state;
  return { destination: state === undefined ? uri : extendAddress(uri, { state }), isStrangers };
}
