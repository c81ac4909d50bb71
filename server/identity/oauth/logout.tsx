// GET and POST /oauth2/logout (OIDC RP-Initiated Logout), and POST /signout from its page. Ends the browser's session;
// refresh tokens stay valid until they are revoked.

import type { JWTPayload } from "jose";
import type { Logger } from "pino";
import type { Sql } from "../../platform/db/sql.ts";
import { extendAddress } from "../../platform/egress/index.ts";
import { ApiError } from "../../platform/errors.ts";
import { readForm, requireSoundQuery } from "../../platform/http/body.ts";
import { NO_STORE } from "../../platform/http/conditions.ts";
import { contextOf } from "../../platform/http/context.ts";
import { toRecordId } from "../../platform/http/query.ts";
import { requestUrl } from "../../platform/http/request.ts";
import { MessagePage, pageResponse, texts } from "../../ui/index.ts";
import { nameOf } from "../signin/account/visit.ts";
import type { Cookies } from "../signin/cookies.ts";
import { type PageEndpoints, pageController } from "../signin/endpoint.tsx";
import type { Forms } from "../signin/forms.ts";
import { SignOutPage } from "../signin/pages.tsx";
import type { Session, Sessions } from "../signin/session.ts";
import { redirectTo, signOut } from "../signin/sign-out.tsx";
import type { Upstream } from "../signin/upstream/upstream.ts";
import { parseParameters, type RequestParameters, readParameters } from "./authorize/parameters.ts";
import { isRegisteredUri, placeOf } from "./clients/credential-rules.ts";
import type { FindKnownClient } from "./clients/known-clients.ts";
import { type Client, isStranger } from "./clients/store.ts";
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
  log: Logger;
}

type LogoutParameters = RequestParameters<typeof LOGOUT_REQUEST>;

interface LogoutRequest {
  /** The user of a valid hint, who need not be asked. */
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
  description:
    "Tokens stay valid until they expire or are revoked. A hint or address that cannot be verified is not used: the user " +
    "confirms, and stays here afterwards.",
  takes: LOGOUT_REQUEST,
  answers: {
    200: "A page that asks for confirmation or reports success.",
    302: "To post_logout_redirect_uri, with state.",
    303: "Redirect to an address of this service.",
    400: "The request names no valid Host.",
  },
};

export function logoutController(deps: EndSessionDependencies) {
  const read = (request: Request) => {
    requireSoundQuery(request);
    return readParameters(LOGOUT_REQUEST, request);
  };
  const logout = async (request: Request) => begin(deps, request, await readable(async () => read(request)));
  return pageController(deps.endpoints, {
    [LOGOUT.path]: { get: logout, post: logout },
    "/signout": {
      async post(request) {
        const form = await readForm(request);
        const parameters = await readable(async () => parseParameters(LOGOUT_REQUEST, form.get("request") ?? ""));
        return confirmed(deps, request, parameters, form.get("csrf"));
      },
    },
    "/signin/upstream/:id/signed-out": {
      async get(request) {
        const { pathname, searchParams } = requestUrl(request);
        const providerId = toRecordId(pathname.split("/")[3]) ?? 0;
        const destination = await deps.upstream.signedOut(request, providerId, searchParams.get("state") ?? "");
        return farewell(deps, request, { destination, isStrangers: false });
      },
    },
  });
}

/** A request that is too long, of another type or not encoded still signs out. */
async function readable(read: () => Promise<LogoutParameters>): Promise<LogoutParameters> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) return parseParameters(LOGOUT_REQUEST, "");
    throw error;
  }
}

async function begin(deps: EndSessionDependencies, request: Request, parameters: LogoutParameters): Promise<Response> {
  const { site } = deps.endpoints;
  const checked = await checkLogout(deps, request, parameters);
  texts.learn(request, { asked: parameters.sent.ui_locales });
  // A cross-site form submission carries no SameSite=Lax cookie; a navigation does.
  if (request.method === "POST" && deps.cookies.read(request, "session") === undefined) {
    const location = site.href(`${END_SESSION_PATH}?${parameters.text}`);
    return new Response(null, { status: 303, headers: { location, ...NO_STORE } });
  }
  const session = await deps.sessions.findStarted(request);
  if (!session) return farewell(deps, request, checked);
  if (checked.hintedUser === session.userId) return end(deps, request, session, checked);

  // Without a hint, any site could have sent the user here (RP-Initiated Logout 6).
  return askFirst(deps, request, parameters, checked, session);
}

function askFirst(
  { forms, endpoints: { site } }: EndSessionDependencies,
  request: Request,
  { text }: LogoutParameters,
  { destination }: LogoutRequest,
  session: Session,
  status = 200,
): Promise<Response> {
  const { csrf, cookies } = forms.protect(request, session);
  texts.learn(request, { page: `${END_SESSION_PATH}?${text}` });
  const language = texts.speak(request);
  const page = <SignOutPage {...{ site, language, csrf }} user={nameOf(session, language.t)} request={text} />;
  return pageResponse(page, { status, cookies, endsElsewhere: destination !== undefined });
}

async function confirmed(
  deps: EndSessionDependencies,
  request: Request,
  parameters: LogoutParameters,
  csrf: string | undefined,
): Promise<Response> {
  const checked = await checkLogout(deps, request, parameters);
  texts.learn(request, { asked: parameters.sent.ui_locales });
  const session: Session | undefined = await deps.sessions.findStarted(request);
  if (!session) return farewell(deps, request, checked);
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
  return onward ? onward(cookies) : farewell(deps, request, checked, cookies);
}

/** @param cookies undefined: no session has ended */
function farewell(
  { endpoints }: Pick<EndSessionDependencies, "endpoints">,
  request: Request,
  { destination, isStrangers }: Pick<LogoutRequest, "destination" | "isStrangers">,
  cookies?: string[],
): Promise<Response> {
  if (destination === undefined || (isStrangers && cookies === undefined)) {
    const language = texts.speak(request);
    const { t } = language;
    const text = destination && texts.fill(t.continueTo, { destination: placeOf(destination) });
    const next = destination && text ? { href: destination, text } : undefined;
    const shown = { site: endpoints.site, language, next };
    const page = <MessagePage {...shown} heading={t.signedOut} lines={[t.signedOutClose]} />;
    return pageResponse(page, { cookies });
  }
  return redirectTo(destination, cookies ?? []);
}

/** RP-Initiated Logout 4: what cannot be verified is not used. The user is then asked, and not redirected. */
async function checkLogout(
  { findClient, tokens, log }: EndSessionDependencies,
  request: Request,
  { sent, repeated }: LogoutParameters,
): Promise<LogoutRequest> {
  const { id_token_hint: hint, client_id, post_logout_redirect_uri: uri, state } = sent;
  const claims = hint === undefined ? undefined : await tokens.readIdTokenHint(hint);
  const clientId = client_id ?? (claims && String(claims.aud));
  const client = clientId === undefined ? undefined : await findClient(clientId, "anew");
  const unverified = hintProblem(sent, repeated, claims);
  const problem = unverified ?? (uri === undefined ? undefined : addressProblem(client, uri));
  if (problem) {
    const known = { requestKey: contextOf(request).key, tenantId: client?.tenantId, clientId: client?.id };
    log.info({ ...known, reason: problem }, "a part of a logout request was not used");
  }
  const destination = problem || uri === undefined ? undefined : state ? extendAddress(uri, { state }) : uri;
  return {
    hintedUser: claims && !unverified ? await userOfHint(findClient, claims) : undefined,
    destination,
    isStrangers: destination !== undefined && isStranger(client!),
  };
}

function hintProblem(
  { id_token_hint: hint, client_id }: LogoutParameters["sent"],
  repeated: string[],
  claims: JWTPayload | undefined,
): string | undefined {
  const twice = repeated.find((name) => Object.hasOwn(LOGOUT_REQUEST.properties, name));
  if (twice) return `${twice} is repeated.`;
  if (hint !== undefined && !claims) return "id_token_hint is not an id_token of this service.";
  if (claims && client_id !== undefined && client_id !== claims.aud)
    return "client_id differs from that of id_token_hint.";
  return undefined;
}

/** Only registered URIs (RP-Initiated Logout 2); on loopback, native clients may use any port (RFC 8252 7.3). */
function addressProblem(client: Client | undefined, uri: string): string | undefined {
  if (!client) return "post_logout_redirect_uri needs the id_token_hint or client_id of an application.";
  if (!isRegisteredUri(client, client.postLogoutRedirectUris, uri))
    return "post_logout_redirect_uri is not registered.";
  return client.isActive ? undefined : "The application is inactive.";
}

async function userOfHint(findClient: FindKnownClient, { sub, aud }: JWTPayload): Promise<number | undefined> {
  const client = await findClient(String(aud));
  return client ? userOfIssuedSubject(client, sub!) : userOfSubject(sub!);
}
