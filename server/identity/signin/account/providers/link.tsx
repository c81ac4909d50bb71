// Links a provider account to the user's own after both are proved, and unlinks it.

import { BadInput, Conflict, NotFound } from "../../../../platform/errors.ts";
import { readForm } from "../../../../platform/http/body.ts";
import { originOf } from "../../../../records/index.ts";
import { pageResponse, texts } from "../../../../ui/index.ts";
import type { Visitor } from "../../session.ts";
import type { Trouble } from "../../throttle.ts";
import { type UpstreamIdentity, whoIs } from "../../upstream/identity.ts";
import type { Provider } from "../../upstream/providers/contract.ts";
import type { TakenAttempt } from "../../upstream/round-trips.ts";
import { proofAsked, troubleWithProof } from "../guarded.tsx";
import { ACCOUNT_PATH, type AccountDependencies, type AccountVisit, nameOf, toAccount } from "../visit.ts";
import { visited } from "../visited.tsx";
import { GoOnPage, LINK_PATH, LinkAccountPage } from "./pages.tsx";
import { findProvider, refuse, tellingTheUser } from "./redirect.tsx";

/**
 * POST /account/providers/start. Answers with a page that refreshes itself, because the account page's CSP form-action
 * blocks a redirect to another site.
 */
export async function startLinking(deps: AccountDependencies, visit: AccountVisit): Promise<Response> {
  const { request, session } = visit;
  const form = await readForm(request);
  deps.forms.require(request, form.get("csrf"), session);
  const provider = await findProvider(deps, session.tenantId, form.get("provider") ?? "");
  return tellingTheUser(deps, visit, provider, async () => {
    const organisation = session.tenantName;
    const wish = { target: LINK_PATH, maxAge: undefined, loginHint: "" };
    const { location: href, cookies } = await deps.upstream.begin(request, session.tenantId, provider, wish);
    const language = texts.speak(request);
    const page = <GoOnPage {...{ site: deps.endpoints.site, language, organisation, href }} provider={provider.name} />;
    return pageResponse(page, { cookies, headers: { refresh: `0; url=${href}` } });
  });
}

/** The browser is back: shows the provider's account and asks for the local owner's proofs. */
async function proposeLink(
  deps: AccountDependencies,
  visit: AccountVisit,
  { attempt, checks }: TakenAttempt,
  query: string,
): Promise<Response> {
  const { request, session } = visit;
  const { tenantId, providerId } = attempt;
  // The provider's answer cannot be used again.
  texts.learn(request, { page: ACCOUNT_PATH });
  // The browser has since signed in to another tenant.
  if (tenantId !== session.tenantId) throw overAlready();
  const provider = await findProvider(deps, tenantId, providerId);
  return tellingTheUser(deps, visit, provider, async () => {
    const identity = await deps.upstream.identify(provider, attempt, checks, query);
    const owner = await deps.upstream.ownerOf(tenantId, provider, identity);
    if (owner === session.userId) return toAccount(deps, request, "linked");
    if (owner !== undefined) return refuse(deps, visit, provider, "taken");
    const begun = { providerId, target: LINK_PATH, maxAge: undefined };
    const link = await deps.upstream.proceed(request, tenantId, begun, identity);
    return linkPage(deps, visit, provider, link, identity);
  });
}

export async function finishLinking(deps: AccountDependencies, visit: AccountVisit): Promise<Response> {
  const { request, session } = visit;
  const form = await readForm(request);
  const link = form.get("link") ?? "";
  const pending = await deps.upstream.pending(request, link);
  // An attempt that began at an application continues there.
  if (pending?.target !== LINK_PATH || pending.tenantId !== session.tenantId) throw overAlready();
  const provider = await findProvider(deps, session.tenantId, pending.providerId);
  if (!provider.isActive) throw new NotFound(texts.ERRORS.providerInactive);
  const shown = shownToLink(visit, provider, pending.identity);
  const changed = { problem: texts.speak(request).t.linkChanged, status: 409 };
  const trouble =
    deps.forms.troubleWith(request, form.get("csrf"), session) ??
    (deps.forms.hasShown(form.get("csrf"), form.get("shown"), shown)
      ? await troubleWithProof(deps, visit, form)
      : changed);
  if (trouble) return linkPage(deps, visit, provider, link, pending.identity, trouble);
  const by = (id: number) => originOf(request, { actor: { type: "User", id } });
  if (!(await deps.upstream.link(pending, session, by))) throw overAlready();
  return toAccount(deps, request, "linked");
}

export async function unlink(deps: AccountDependencies, { request, session }: AccountVisit): Promise<Response> {
  const form = await readForm(request);
  deps.forms.require(request, form.get("csrf"), session);
  const outcome = await deps.linkedAccounts.unlink(request, session, form.get("account") ?? "");
  if (outcome === "last-way-in") {
    throw new Conflict(texts.ERRORS.lastWayIn);
  }
  return toAccount(deps, request, outcome === "unlinked" ? "unlinked" : undefined);
}

async function linkPage(
  deps: AccountDependencies,
  { request, session }: AccountVisit,
  provider: Provider,
  link: string,
  identity: UpstreamIdentity,
  { problem, status, headers }: Partial<Trouble> = {},
): Promise<Response> {
  const { csrf, cookies } = deps.forms.protect(request, session);
  const { asksPassword, asksCode } = await proofAsked(deps, session);
  const language = texts.speak(request);
  const page = (
    <LinkAccountPage
      site={deps.endpoints.site}
      language={language}
      csrf={csrf}
      link={link}
      shown={deps.forms.sealShown(csrf, shownToLink({ request, session }, provider, identity))}
      provider={provider.name}
      there={whoIs(identity)}
      here={nameOf(session, language.t)}
      organisation={session.tenantName}
      asksPassword={asksPassword}
      asksCode={asksCode}
      problem={problem}
    />
  );
  return pageResponse(page, { status, headers, cookies });
}

function shownToLink(
  { request, session }: Pick<AccountVisit, "request" | "session">,
  { id, name }: Provider,
  identity: UpstreamIdentity,
) {
  const here = nameOf(session, texts.speak(request).t);
  return ["account link", id, name, identity.authority, identity.subject, whoIs(identity), here] as const;
}

const overAlready = () => new BadInput(texts.ERRORS.linkOver);

/** Handles browsers that return from a provider to link an account. */
export interface AccountReturns {
  isAwaited(taken: TakenAttempt): boolean;
  /** @param query of the address that the browser returned to */
  comeBack(request: Request, visitor: Visitor, taken: TakenAttempt, query: string): Promise<Response>;
}

export function createAccountReturns(deps: AccountDependencies): AccountReturns {
  return {
    isAwaited: ({ attempt: { target } }) => target === LINK_PATH,
    comeBack: (request, visitor, taken, query) =>
      visited(deps, request, visitor, (visit) => proposeLink(deps, visit, taken, query)),
  };
}
