import { originOf, recordAudit } from "../../audit/index.ts";
import { NotFound } from "../../errors.ts";
import { NO_STORE } from "../../http/no-store.ts";
import { canSignInAnew, failedBy, type Provider, UpstreamFailure, type UpstreamProblem } from "../../signin/index.ts";
import { AuthorizationError } from "./authorization-error.ts";
import { type AuthorizationRequest, RefusedRequest } from "./authorization-request.ts";
import type { AuthorizeDependencies } from "./dependencies.ts";
import { type Target, targetText } from "./target.ts";
import { type ProviderWay, upstreamProblem } from "./upstream-pages.tsx";

/** Off to the provider; or a page that says why not. */
export async function sendToProvider(
  deps: AuthorizeDependencies,
  request: Request,
  target: Target,
  checked: AuthorizationRequest,
  providerId: number,
): Promise<Response> {
  const { client, prompts, loginHint } = checked;
  const provider = await usableProvider(deps, checked, providerId);
  if (wantsFreshSignIn(checked) && !canSignInAnew(provider)) {
    // OIDC Core 3.1.2.1: who cannot authenticate the user again says so.
    const reason = `${provider.name} cannot be asked to sign the user in again.`;
    throw new RefusedRequest(new AuthorizationError("login_required", reason), checked.reply);
  }
  return tellingTheUser(deps, { request, target, checked, provider }, async () => {
    // OIDC Core 15.1: max_age=0 asks for the same as prompt=login.
    const maxAge = prompts.has("login") ? 0 : checked.maxAge;
    const wish = { target: targetText(target), maxAge, loginHint };
    const { location, cookies } = await deps.upstream.begin(request, client.tenantId, provider, wish);
    const headers = new Headers({ location: location.href, "referrer-policy": "no-referrer", ...NO_STORE });
    for (const cookie of cookies) headers.append("set-cookie", cookie);
    return new Response(null, { status: 303, headers });
  });
}

/** An earlier sign-in, somewhere else, may not be enough. */
export function wantsFreshSignIn({ prompts, maxAge }: AuthorizationRequest): boolean {
  return prompts.has("login") || maxAge !== undefined;
}

/** @throws NotFound for one that is not there, or that the application's users cannot use */
export async function usableProvider(
  { upstream }: AuthorizeDependencies,
  { client }: AuthorizationRequest,
  providerId: number,
): Promise<Provider> {
  const isOthers = client.identityProvider !== null && client.identityProvider.id !== providerId;
  const provider = isOthers ? undefined : await upstream.find(client.tenantId, providerId);
  if (!provider) throw new NotFound("There is no such way to sign in to this application.");
  return provider;
}

/** Shows what a provider's failure is, and which ways are left. */
export async function tellingTheUser(
  deps: AuthorizeDependencies,
  way: ProviderWay,
  step: () => Promise<Response>,
): Promise<Response> {
  const { checked, provider } = way;
  if (!provider.isActive) return refuse(deps, way, "switched-off");
  try {
    return await step();
  } catch (error) {
    if (!(error instanceof UpstreamFailure)) throw error;
    const { kind, detail } = error;
    const { tenantId } = checked.client;
    deps.log.warn({ tenantId, providerId: provider.id, kind, detail }, "a sign-in by an identity provider failed");
    return refuse(deps, way, kind, { detail });
  }
}

/** Says why nobody is signed in, and writes it down. @param known what is, of the user and of the failure */
export async function refuse(
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
