// Signing in at an external provider (docs/behaviour.md "External identity providers"). The authorization request is
// kept and continues like after any sign-in.

import { BadInput, NotFound } from "../../../platform/errors.ts";
import { readForm } from "../../../platform/http/body.ts";
import { NO_STORE } from "../../../platform/http/conditions.ts";
import { contextOf } from "../../../platform/http/context.ts";
import { toRecordId } from "../../../platform/http/query.ts";
import { requestUrl } from "../../../platform/http/request.ts";
import { originOf, recordAudit } from "../../../records/index.ts";
import { pageResponse, type Site, texts } from "../../../ui/index.ts";
import type { Pages } from "../../signin/endpoint.tsx";
import { LinkPage, UpstreamProblemPage } from "../../signin/pages.tsx";
import type { Visitor } from "../../signin/session.ts";
import { beginSessionByProvider } from "../../signin/upstream/accounts.ts";
import { failedBy, problemText, UpstreamFailure, type UpstreamProblem } from "../../signin/upstream/failure.ts";
import { type UpstreamIdentity, whoIs } from "../../signin/upstream/identity.ts";
import type { Provider } from "../../signin/upstream/providers/contract.ts";
import { canSignInAnew } from "../../signin/upstream/upstream.ts";
import { AuthorizationError } from "../errors.ts";
import {
  type AuthorizationRequest,
  checkRequest,
  isExpected,
  isOwn,
  RefusedRequest,
  wantsFreshSignIn,
} from "./authorization-request.ts";
import type { AuthorizeDependencies } from "./dependencies.ts";
import {
  AUTHORIZATION_PARAMETERS,
  type AuthorizationTarget,
  goTo,
  localPath,
  parseParameters,
  readCarried,
  readTarget,
  targetText,
  upstreamPath,
  withoutPrompts,
  withPrompt,
} from "./parameters.ts";
import { tellingTheClient } from "./step.ts";

export function upstreamPages(deps: AuthorizeDependencies): Pages {
  return {
    "/signin/upstream/:id": {
      async get(request) {
        const target = readCarried(request);
        return tellingTheClient(deps, request, async () => {
          const checked = await checkRequest(deps, request, target);
          return sendToProvider(deps, request, checked.target, checked, providerIdOf(requestUrl(request)));
        });
      },
    },
    "/signin/upstream/:id/callback": {
      get: (request, visitor) => comeBack(deps, request, visitor),
      post: (request) => comeAgain(deps, request),
    },
    "/signin/upstream/:id/jwks": {
      async get(request) {
        // An unknown provider gets an empty key set, so strangers cannot probe for providers.
        const keys = (await deps.upstream.publishedKey(providerIdOf(requestUrl(request)))) ?? { keys: [] };
        return Response.json(keys, { headers: { "cache-control": KEYS_KEPT } });
      },
    },
  };
}

const KEYS_KEPT = "public, max-age=300";

const ANSWER = ["code", "state", "iss", "error", "error_description"];

/** For form_post (Apple): a cross-site form submission carries no SameSite=Lax cookie; a navigation does. */
async function comeAgain(deps: AuthorizeDependencies, request: Request): Promise<Response> {
  const { upstream, endpoints } = deps;
  const { site } = endpoints;
  const form = await readForm(request);
  const name = upstream.carriedName(form);
  const answer = new URLSearchParams([...form].filter(([name]) => ANSWER.includes(name)).concat(name ? [name] : []));
  const location = `${site.href(requestUrl(request).pathname)}?${answer}`;
  return new Response(null, { status: 303, headers: { location, "referrer-policy": "no-referrer", ...NO_STORE } });
}

async function comeBack(deps: AuthorizeDependencies, request: Request, visitor: Visitor): Promise<Response> {
  const url = requestUrl(request);
  const taken = await deps.upstream.take(request, providerIdOf(url), url.searchParams.get("state") ?? "");
  if (!taken) {
    throw new BadInput(texts.ERRORS.signInOver);
  }
  const other = deps.returns.find(({ isAwaited }) => isAwaited(taken));
  if (other) return other.comeBack(request, visitor, taken, url.search);
  const { attempt, checks } = taken;
  const asked = readTarget(attempt.target);
  return tellingTheClient(deps, request, async () => {
    const checked = await checkRequest(deps, request, asked);
    const { target } = checked;
    const provider = await usableProvider(deps, checked, attempt.providerId);
    const way = { request, target, checked, provider };
    return tellingTheUser(deps, way, async () => {
      const clientId = String(checked.client.id);
      const identity = await deps.upstream.identify(provider, attempt, checks, url.search);
      if (checked.maxAge && identity.authTime === undefined) {
        throw new UpstreamFailure("not-anew", "the id_token has no auth_time");
      }
      const account = await deps.upstream.accountOf(attempt.tenantId, provider, identity, (userId) =>
        originOf(request, { actor: { type: "User", id: userId }, clientId }),
      );
      if (account.outcome === "inactive") return refuse(deps, way, "inactive", account);
      if (account.outcome === "stranger") return refuse(deps, way, "stranger");
      if (account.outcome === "link") {
        const begun = { providerId: provider.id, target: attempt.target, maxAge: attempt.maxAge ?? undefined };
        const link = await deps.upstream.proceed(request, attempt.tenantId, begun, identity);
        return linkPage(deps, way, { link, identity, username: identity.fields.Username ?? "" });
      }
      const { userId } = account;
      if (!isExpected(checked, userId)) return refuse(deps, way, "other-user", { userId });
      const user = { userId, clientId };
      const cookies = await beginSessionByProvider(deps, request, visitor, attempt, identity, user);
      const rest = withoutPrompts(target.parameters, ["login", "select_account"]);
      return goTo(deps.endpoints.site, target.path, rest, cookies);
    });
  });
}

/** The Id in `/signin/upstream/{Id}`; 0 if it is invalid. */
function providerIdOf({ pathname }: URL): number {
  return toRecordId(pathname.split("/")[3]) ?? 0;
}

/** The maximum number of characters. A longer hint names no user, and could make the provider's address too long. */
const LOGIN_HINT_LIMIT = 500;

export async function sendToProvider(
  deps: AuthorizeDependencies,
  request: Request,
  target: AuthorizationTarget,
  checked: AuthorizationRequest,
  providerId: number,
): Promise<Response> {
  const { client, prompts, loginHint } = checked;
  const provider = await usableProvider(deps, checked, providerId);
  const way = { request, target, checked, provider };
  if (wantsFreshSignIn(checked) && !canSignInAnew(provider)) {
    if (isOwn(checked)) return upstreamProblem(deps, way, "same-account");
    throw cannotSignInAnew(way);
  }
  return tellingTheUser(deps, way, async () => {
    // OIDC Core 15.1: max_age=0 is equivalent to prompt=login.
    const maxAge = prompts.has("login") ? 0 : checked.maxAge;
    const hint = loginHint.length <= LOGIN_HINT_LIMIT ? loginHint : "";
    const wish = { target: targetText(target), maxAge, loginHint: hint };
    const { location, cookies } = await deps.upstream.begin(request, client.tenantId, provider, wish);
    const headers = new Headers({ location, "referrer-policy": "no-referrer", ...NO_STORE });
    for (const cookie of cookies) headers.append("set-cookie", cookie);
    return new Response(null, { status: 303, headers });
  });
}

/** OIDC Core 3.1.2.1: an error if re-authentication is impossible. */
function cannotSignInAnew({ checked, provider }: Pick<ProviderWay, "checked" | "provider">): RefusedRequest {
  const reason = `${provider.name} cannot be asked to sign the user in again, or does not confirm it.`;
  return new RefusedRequest(new AuthorizationError("login_required", reason), checked.reply, "unanswerable");
}

/** @throws NotFound if it does not exist or the application's users may not use it */
async function usableProvider(
  { upstream }: AuthorizeDependencies,
  { client }: AuthorizationRequest,
  providerId: number,
): Promise<Provider> {
  const isOthers = client.identityProvider !== null && client.identityProvider.id !== providerId;
  const provider = isOthers ? undefined : await upstream.find(client.tenantId, providerId);
  if (!provider) throw new NotFound(texts.ERRORS.providerMissing);
  return provider;
}

async function tellingTheUser(
  deps: AuthorizeDependencies,
  way: ProviderWay,
  step: () => Promise<Response>,
): Promise<Response> {
  const { checked, provider } = way;
  try {
    return await step();
  } catch (error) {
    if (!(error instanceof UpstreamFailure)) throw error;
    const { kind, detail } = error;
    const { tenantId } = checked.client;
    deps.log.warn({ tenantId, providerId: provider.id, kind, detail }, "a sign-in by an identity provider failed");
    const problem = kind === "not-anew" && isOwn(checked) ? "same-account" : kind;
    const page = await refuse(deps, way, problem, { detail });
    if (problem === "not-anew" && checked.client.identityProvider?.allowLocal === false) throw cannotSignInAnew(way);
    return page;
  }
}

async function refuse(
  deps: AuthorizeDependencies,
  way: ProviderWay,
  problem: UpstreamProblem,
  known: { userId?: number; detail?: string } = {},
): Promise<Response> {
  const { request, checked, provider } = way;
  const { client } = checked;
  const origin = originOf(request, { clientId: String(client.id) });
  await recordAudit(deps.sql, client.tenantId, origin, failedBy("SignIn.Failed", provider, problem, known));
  return upstreamProblem(deps, way, problem);
}

export interface ProviderWay {
  request: Request;
  target: AuthorizationTarget;
  checked: AuthorizationRequest;
  provider: Provider;
}

function upstreamProblem(
  { endpoints: { site } }: Pick<AuthorizeDependencies, "endpoints">,
  { request, target, checked: { client }, provider }: ProviderWay,
  problem: UpstreamProblem,
): Promise<Response> {
  const { status } = problemText(problem);
  const language = texts.speak(request);
  const { t } = language;
  const links = [];
  if (problem === "same-account") {
    const asked = parseParameters(AUTHORIZATION_PARAMETERS, withoutPrompts(target.parameters, ["login"]));
    const plain = { ...target, parameters: asked };
    links.push({
      href: site.href(upstreamPath(provider.id, plain)),
      text: texts.fill(t.signInWith, { provider: provider.name }),
    });
    links.push({ href: site.href(targetText(plain)), text: t.keepCurrentAccount });
  } else if (problem !== "switched-off" && problem !== "inactive" && problem !== "stranger") {
    // Asks the provider to let the user choose an account.
    const again =
      problem === "other-user"
        ? { ...target, parameters: parseParameters(AUTHORIZATION_PARAMETERS, withPrompt(target.parameters, "login")) }
        : target;
    links.push({ href: site.href(upstreamPath(provider.id, again)), text: t.tryAgain });
  }
  links.push(...otherWays(site, target, client, t));
  const reference = contextOf(request).key;
  const said = { purpose: "sign-in", provider: provider.name, problem, links, reference } as const;
  const page = <UpstreamProblemPage site={site} language={language} {...said} />;
  return pageResponse(page, { status });
}

function otherWays(
  site: Site,
  target: AuthorizationTarget,
  { identityProvider }: AuthorizationRequest["client"],
  t: texts.Texts,
) {
  if (!identityProvider) return [{ href: site.href(targetText(target)), text: t.signInOtherWay }];
  if (!identityProvider.allowLocal) return [];
  return [{ href: site.href(localPath(target)), text: t.signInByPassword }];
}

export interface LinkState {
  link: string;
  identity: UpstreamIdentity;
  username: string;
  problem?: string;
  status?: number;
  headers?: Record<string, string>;
}

/** The names of both accounts, as the page to link shows them. */
export function shownToLink({ id, name }: Provider, identity: UpstreamIdentity) {
  return ["link", id, name, identity.authority, identity.subject, whoIs(identity)] as const;
}

export function linkPage(
  { endpoints: { site }, forms }: Pick<AuthorizeDependencies, "endpoints" | "forms">,
  { request, target, checked, provider }: ProviderWay,
  { link, identity, username, problem, status, headers }: LinkState,
): Promise<Response> {
  const { csrf, cookies } = forms.protect(request);
  const page = (
    <LinkPage
      site={site}
      language={texts.speak(request)}
      provider={provider.name}
      there={whoIs(identity)}
      subject={identity.subject}
      username={username}
      link={link}
      request={targetText(target)}
      csrf={csrf}
      shown={forms.sealShown(csrf, shownToLink(provider, identity))}
      problem={problem}
      otherHref={checked.client.identityProvider ? undefined : site.href(targetText(target))}
    />
  );
  return pageResponse(page, { status, headers, cookies, endsElsewhere: true });
}
