// What a user sees between a provider and the application.

import {
  LinkPage,
  type Provider,
  pageResponse,
  type UpstreamFailureKind,
  UpstreamProblemPage,
} from "../../signin/index.ts";
import type { AuthorizationRequest } from "./authorization-request.ts";
import type { AuthorizeDependencies } from "./dependencies.ts";
import { parseParameters, withPrompt } from "./parameters.ts";
import { formTargets } from "./reply.ts";
import { type Target, targetText, upstreamPath } from "./target.ts";

type Problem = UpstreamFailureKind | "switched-off" | "inactive" | "other-user";

const LINES: Record<Problem, { status: number; line: string }> = {
  unavailable: { status: 502, line: "It cannot be reached or does not answer at the moment. Try again in a while." },
  misconfigured: {
    status: 502,
    line: "It and this service do not agree on how they work together. Tell whoever looks after the application.",
  },
  untrusted: { status: 502, line: "Its answer cannot be trusted, so it was not used." },
  declined: { status: 403, line: "It did not sign you in, or you have ended the sign-in there." },
  "switched-off": { status: 403, line: "Signing in with it is switched off." },
  inactive: { status: 403, line: "Your account here is not active." },
  "other-user": { status: 403, line: "The application asked for another account. Sign in with that one." },
};

export function upstreamProblem(
  { endpoints: { site } }: Pick<AuthorizeDependencies, "endpoints">,
  target: Target,
  { client }: AuthorizationRequest,
  provider: Provider,
  problem: Problem,
): Promise<Response> {
  const { status, line } = LINES[problem];
  const links = [];
  if (problem !== "switched-off" && problem !== "inactive") {
    // At the provider, somebody else has to sign in.
    const again =
      problem === "other-user"
        ? { ...target, parameters: parseParameters(withPrompt(target.parameters, "login")) }
        : target;
    links.push({ href: site.href(upstreamPath(provider.id, again)), text: "Try again" });
  }
  if (!client.identityProvider) links.push({ href: site.href(targetText(target)), text: "Sign in another way" });
  else if (client.identityProvider.allowLocal) {
    const request = new URLSearchParams({ request: targetText(target) });
    links.push({ href: site.href(`/signin/local?${request}`), text: "Sign in with a password" });
  }
  return pageResponse(<UpstreamProblemPage site={site} provider={provider.name} line={line} links={links} />, {
    status,
  });
}

export interface LinkState {
  link: string;
  username: string;
  /** Why the last attempt failed. */
  problem?: string;
  status?: number;
  headers?: Record<string, string>;
}

/** Asks for the password of the account to link. */
export function linkPage(
  { endpoints: { site }, forms }: Pick<AuthorizeDependencies, "endpoints" | "forms">,
  request: Request,
  { reply }: AuthorizationRequest,
  provider: Pick<Provider, "name">,
  { link, username, problem, status, headers }: LinkState,
): Promise<Response> {
  const { csrf, cookies } = forms.protect(request);
  return pageResponse(
    <LinkPage site={site} provider={provider.name} username={username} link={link} csrf={csrf} problem={problem} />,
    { status, headers, cookies, formAction: formTargets(reply.redirectUri) },
  );
}
