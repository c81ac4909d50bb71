// Signing in to the account pages. User names are unique only in a tenant, and a browser without a session has no
// tenant. So the client_id in the application's link selects it.

import { originOf } from "../../audit/index.ts";
import { BadInput, Permission } from "../../errors.ts";
import { readForm } from "../../http/body.ts";
import { toRecordId } from "../../http/query.ts";
import { requestUrl } from "../../http/request.ts";
import type { TenantId } from "../../ids.ts";
import { MessagePage, pageResponse } from "../../ui/index.ts";
import { SignInPage } from "../pages.tsx";
import type { Visitor } from "../session.ts";
import { type Trouble, throttled } from "../throttle.ts";
import { beginSessionByProvider } from "../upstream/accounts.ts";
import type { TakenAttempt } from "../upstream/round-trips.ts";
import { findProvider, refuse, sendOff, tellingTheUser, type WayToProvider } from "./providers/way.tsx";
import { type AccountDependencies, type SigningApplication, signInTarget, toAccount } from "./visit.ts";

const REFUSED: Trouble = { problem: "Wrong user name or password.", status: 422 };

export async function signInPage(deps: AccountDependencies, request: Request): Promise<Response> {
  const clientId = requestUrl(request).searchParams.get("client_id");
  if (clientId) {
    const application = await deps.applications.find(clientId);
    const { tenantId, identityProvider } = application;
    return identityProvider && !identityProvider.allowLocal
      ? startProviderSignIn(deps, request, tenantId, clientId, identityProvider.id)
      : formPage(deps, request, application, { clientId, username: "" });
  }
  const { site } = deps.endpoints;
  const next = { href: site.href("/settings"), text: "Sign in to Settings" };
  const lines = [
    "Open one of your applications and sign in there. Then come back to this page in the same browser.",
    "Only the application knows your organisation, so this page cannot ask for your password.",
  ];
  return pageResponse(<MessagePage site={site} heading="Sign in first" lines={lines} next={next} />, { status: 401 });
}

export async function startSignIn(deps: AccountDependencies, request: Request): Promise<Response> {
  const { searchParams } = requestUrl(request);
  const clientId = searchParams.get("client_id") ?? "";
  const { tenantId, identityProvider } = await findApplication(deps, clientId);
  const chosen = toRecordId(searchParams.get("provider")) ?? null;
  if (identityProvider && identityProvider.id !== chosen) throw elsewhereAlone();
  return startProviderSignIn(deps, request, tenantId, clientId, chosen);
}

export async function signIn(deps: AccountDependencies, request: Request, visitor: Visitor): Promise<Response> {
  const form = await readForm(request);
  const clientId = form.get("request") ?? "";
  const application = await findApplication(deps, clientId);
  if (application.identityProvider && !application.identityProvider.allowLocal) throw elsewhereAlone();
  const [username, password] = [form.get("username") ?? "", form.get("password") ?? ""];
  const { tenantId } = application;
  const again = (trouble: Trouble) => formPage(deps, request, application, { clientId, username, ...trouble });
  const stale = deps.forms.troubleWith(request, form.get("csrf"));
  if (stale) return again(stale);
  const result = await deps.signIn(request, { tenantId, username, password, visitor, isNamed: true });
  if (result.outcome === "throttled") return again(throttled(result.retryAfter));
  if (result.outcome === "refused") return again(REFUSED);
  const { cookie } = await deps.sessions.begin(request, result.authentication, visitor);
  return toAccount(deps, undefined, [cookie, ...result.cookies]);
}

async function formPage(
  { endpoints: { site }, forms, upstream }: AccountDependencies,
  request: Request,
  { tenantId, identityProvider }: SigningApplication,
  { clientId, username, problem, status, headers }: { clientId: string; username: string } & Partial<Trouble>,
): Promise<Response> {
  const { csrf, cookies } = forms.protect(request);
  const offered = await upstream.offered(tenantId);
  const usable = identityProvider ? offered.filter(({ id }) => id === identityProvider.id) : offered;
  const hrefOf = (provider: number) =>
    site.href(`/account/sign-in?${new URLSearchParams({ client_id: clientId, provider: String(provider) })}`);
  const page = (
    <SignInPage
      site={site}
      action="/account/sign-in"
      application="your account"
      request={clientId}
      csrf={csrf}
      username={username}
      problem={problem}
      providers={usable.map(({ id, name }) => ({ name, href: hrefOf(id) }))}
    />
  );
  return pageResponse(page, { status, headers, cookies });
}

async function findApplication({ applications }: AccountDependencies, clientId: string): Promise<SigningApplication> {
  if (!clientId) throw new BadInput("This form does not say which application you belong to.");
  return applications.find(clientId);
}

function elsewhereAlone(): Permission {
  return new Permission("Users of this application sign in only at its identity provider.");
}

/** @param clientId the application that selects the tenant */
async function startProviderSignIn(
  deps: AccountDependencies,
  request: Request,
  tenantId: TenantId,
  clientId: string,
  providerId: string | number | null,
): Promise<Response> {
  const provider = await findProvider(deps, tenantId, providerId);
  return sendOff(deps, { request, tenantId, provider, purpose: "sign-in", target: signInTarget(clientId) });
}

/** Completes the sign-in when the browser returns. */
export async function finishProviderSignIn(
  deps: AccountDependencies,
  request: Request,
  visitor: Visitor,
  { attempt, checks }: TakenAttempt,
  query: string,
): Promise<Response> {
  const { tenantId, target } = attempt;
  const provider = await findProvider(deps, tenantId, attempt.providerId);
  const way: WayToProvider = { request, tenantId, provider, purpose: "sign-in", target };
  return tellingTheUser(deps, way, async () => {
    const identity = await deps.upstream.identify(provider, attempt, checks, query);
    const by = (id: number) => originOf(request, { actor: { type: "User", id } });
    const account = await deps.upstream.accountOf(tenantId, provider, identity, by);
    // Only an application's sign-in page can link the account, because it has a request to continue.
    if (account.outcome === "link") return refuse(deps, way, "unknown");
    if (account.outcome === "stranger") return refuse(deps, way, "stranger");
    const { userId } = account;
    if (account.outcome === "inactive") return refuse(deps, { ...way, userId }, "inactive");
    const cookies = await beginSessionByProvider(deps, request, visitor, attempt, identity, { userId });
    return toAccount(deps, undefined, cookies);
  });
}
