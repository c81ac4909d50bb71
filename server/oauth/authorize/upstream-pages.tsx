// What a user sees between a provider and the application.

import {
  LinkPage,
  type Provider,
  pageResponse,
  type Site,
  toldOf,
  type UpstreamIdentity,
  type UpstreamProblem,
  UpstreamProblemPage,
  whoIs,
} from "../../signin/index.ts";
import type { AuthorizationRequest } from "./authorization-request.ts";
import type { AuthorizeDependencies } from "./dependencies.ts";
import { parseParameters, withPrompt } from "./parameters.ts";
import { formTargets } from "./reply.ts";
import { type Target, targetText, upstreamPath } from "./target.ts";

/** An authorization request, and the provider that its user is to sign in with. */
export interface ProviderWay {
  request: Request;
  target: Target;
  checked: AuthorizationRequest;
  provider: Provider;
}

export function upstreamProblem(
  { endpoints: { site } }: Pick<AuthorizeDependencies, "endpoints">,
  { target, checked: { client }, provider }: ProviderWay,
  problem: UpstreamProblem,
): Promise<Response> {
  const { status, line } = toldOf(problem);
  const links = [];
  if (problem !== "switched-off" && problem !== "inactive" && problem !== "stranger") {
    // At the provider, somebody else has to sign in.
    const again =
      problem === "other-user"
        ? { ...target, parameters: parseParameters(withPrompt(target.parameters, "login")) }
        : target;
    links.push({ href: site.href(upstreamPath(provider.id, again)), text: "Try again" });
  }
  links.push(...otherWays(site, target, client));
  const page = <UpstreamProblemPage site={site} purpose="sign-in" provider={provider.name} line={line} links={links} />;
  return pageResponse(page, { status });
}

/** Beside the provider: the sign-in page, or the password alone, or none. */
function otherWays(site: Site, target: Target, { identityProvider }: AuthorizationRequest["client"]) {
  if (!identityProvider) return [{ href: site.href(targetText(target)), text: "Sign in another way" }];
  if (!identityProvider.allowLocal) return [];
  const request = new URLSearchParams({ request: targetText(target) });
  return [{ href: site.href(`/signin/local?${request}`), text: "Sign in with a password" }];
}

export interface LinkState {
  link: string;
  identity: UpstreamIdentity;
  username: string;
  /** Why the last attempt failed. */
  problem?: string;
  status?: number;
  headers?: Record<string, string>;
}

/** Asks for the password of the account to link. */
export function linkPage(
  { endpoints: { site }, forms }: Pick<AuthorizeDependencies, "endpoints" | "forms">,
  { request, target, checked, provider }: ProviderWay,
  { link, identity, username, problem, status, headers }: LinkState,
): Promise<Response> {
  const { csrf, cookies } = forms.protect(request);
  const { client, reply } = checked;
  const page = (
    <LinkPage
      site={site}
      provider={provider.name}
      there={whoIs(identity)}
      subject={identity.subject}
      username={username}
      link={link}
      csrf={csrf}
      problem={problem}
      otherHref={client.identityProvider ? undefined : site.href(targetText(target))}
    />
  );
  return pageResponse(page, { status, headers, cookies, formAction: formTargets(reply.redirectUri) });
}
