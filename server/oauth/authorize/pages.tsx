// The pages that stand between an authorization request and its answer. Each goes on with the request as it was.

import { ChooseAccountPage, type OfferedProvider, type Session, SignInPage } from "../../signin/index.ts";
import { pageResponse, phrase, type Site } from "../../ui/index.ts";
import type { Api } from "../apis/store.ts";
import { withoutLoopbackPort } from "../clients/credential-rules.ts";
import type { AuthorizationRequest } from "./authorization-request.ts";
import { ConsentPage } from "./consent-page.tsx";
import { type Target, targetText, upstreamPath, withoutPrompts, withPrompt } from "./parameters.ts";
import { formTargets } from "./reply.ts";

/** A form's hidden token and the cookies that go with it. */
interface Protection {
  csrf: string;
  cookies: string[];
}

export interface SignInState {
  username: string;
  /** Why the last attempt failed. */
  problem?: string;
  status?: number;
  headers?: Record<string, string>;
}

export function signInPage(
  site: Site,
  target: Target,
  checked: AuthorizationRequest,
  { csrf, cookies }: Protection,
  providers: OfferedProvider[],
  { username, problem, status, headers }: SignInState,
): Promise<Response> {
  const page = (
    <SignInPage
      site={site}
      application={nameOfClient(checked)}
      request={targetText(target)}
      csrf={csrf}
      username={username}
      problem={problem}
      providers={providers.map(({ id, name }) => ({ name, href: site.href(upstreamPath(id, target)) }))}
    />
  );
  return pageResponse(page, { status, headers, cookies, formAction: formTargets(checked.reply.redirectUri) });
}

export function consentPage(
  site: Site,
  target: Target,
  checked: AuthorizationRequest,
  session: Session,
  scopes: string[],
  { csrf, cookies }: Protection,
): Promise<Response> {
  const { client, reply, apis, resources, device } = checked;
  const page = (
    <ConsentPage
      site={site}
      application={nameOfClient(checked)}
      stranger={client.isOpen ? { address: strangersAddress(checked) } : undefined}
      wants={[...inWords(scopes, apis), ...otherRecipients(scopes, apis, resources)]}
      user={nameOf(session)}
      destination={device ? undefined : destinationOf(reply.redirectUri)}
      userCode={device?.userCode}
      request={targetText(target)}
      csrf={csrf}
      switchHref={href(site, target, withPrompt(target.parameters, "login"))}
    />
  );
  return pageResponse(page, { cookies, formAction: formTargets(reply.redirectUri) });
}

export function chooseAccountPage(
  site: Site,
  target: Target,
  checked: AuthorizationRequest,
  session: Session,
): Promise<Response> {
  return pageResponse(
    <ChooseAccountPage
      site={site}
      application={nameOfClient(checked)}
      user={nameOf(session)}
      continueHref={href(site, target, withoutPrompts(target.parameters, ["select_account"]))}
      switchHref={href(site, target, withPrompt(target.parameters, "login"))}
    />,
  );
}

/** An application that nobody here has set up can have any name, so it is shown with its address (RFC 7591 5). */
function nameOfClient(checked: AuthorizationRequest): string {
  const { name, isOpen } = checked.client;
  const address = isOpen ? strangersAddress(checked) : undefined;
  return address === undefined ? name : `${name} (${address})`;
}

/** What a stranger cannot fake: its host or scheme. Undefined if the answer goes to a program on the user's device. */
function strangersAddress({ client: { documentUrl }, reply: { redirectUri } }: AuthorizationRequest) {
  if (documentUrl !== null) return new URL(documentUrl).host;
  return withoutLoopbackPort(redirectUri) === undefined ? destinationOf(redirectUri) : undefined;
}

const href = (site: Site, { path }: Target, query: string) => site.href(`${path}?${query}`);
const nameOf = ({ name, username }: Session) => (name && name !== username ? `${name} (${username})` : username);

/** What people know an address by: its host, or for an app on the device the app's own scheme. */
function destinationOf(redirectUri: string): string {
  const { host, protocol } = new URL(redirectUri);
  return host || protocol.slice(0, -1);
}

const WORDS: Record<string, string> = {
  openid: "know who you are",
  profile: "see your name and user name",
  name: "see your name",
  email: "see your e-mail address",
  address: "see your postal address",
  phone: "see your phone number",
  "AccessManager:Read": "read users, applications and departments for you",
  "AccessManager:Create": "create users, applications and departments for you",
  "AccessManager:Update": "change users, applications and departments for you",
  "AccessManager:Delete": "delete users, applications and departments for you",
  "Settings:Read": "see credentials, policies and keys for you",
  "Settings:Update": "change credentials, policies and keys for you",
  "Webhooks:Read": "see webhook connections and their activity for you",
  "Webhooks:Create": "create webhook connections for you",
  "Webhooks:Update": "change webhook connections for you",
  "Webhooks:Delete": "delete webhook connections for you",
};

/** APIs that a token is for, though none of their scopes is asked for. */
function otherRecipients(scopes: string[], apis: readonly Api[], resources: string[]): string[] {
  const named = apis.filter(({ id }) => resources.includes(id));
  const unheard = named.filter((api) => !api.scopes.some(({ name }) => scopes.includes(name)));
  return unheard.map(({ name }) => phrase`tell ${name} who you are`);
}

/** What a user is asked to allow, in words; those of an API are its own maker's. */
export function inWords(scopes: string[], apis: readonly Pick<Api, "name" | "scopes">[]): string[] {
  const told = scopes.includes("profile") ? scopes.filter((scope) => scope !== "name") : scopes;
  const ofApis = new Map(
    apis.flatMap((api) =>
      api.scopes.map(({ name, description }) => [name, phrase`use ${api.name}: ${description || name}`] as const),
    ),
  );
  return told.map((scope) => WORDS[scope] ?? ofApis.get(scope) ?? `use ${scope} for you`);
}
