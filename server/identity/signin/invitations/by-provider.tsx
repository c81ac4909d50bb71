// An invitation accepted at an identity provider: the new User signs in there, without a password here.

import { BadInput, Conflict, NotFound } from "../../../platform/errors.ts";
import { readForm } from "../../../platform/http/body.ts";
import { contextOf } from "../../../platform/http/context.ts";
import { toRecordId } from "../../../platform/http/query.ts";
import { originOf, recordAudit } from "../../../records/index.ts";
import { attribute, CardPage, Problem, pageResponse, texts } from "../../../ui/index.ts";
import type { AccountReturns } from "../account/providers/link.tsx";
import { GoOnPage } from "../account/providers/pages.tsx";
import type { Pages } from "../endpoint.tsx";
import { digestOf } from "../opaque.ts";
import { UpstreamProblemPage } from "../pages.tsx";
import type { Trouble } from "../throttle.ts";
import { linkAccount } from "../upstream/accounts.ts";
import { failedBy, problemText, UpstreamFailure, type UpstreamProblem } from "../upstream/failure.ts";
import { type UpstreamIdentity, whoIs } from "../upstream/identity.ts";
import type { Provider } from "../upstream/providers/contract.ts";
import type { PendingLink, TakenAttempt } from "../upstream/round-trips.ts";
import {
  deadLink,
  type InvitationPagesDependencies,
  NameFields,
  openInvitation,
  PROVIDER_PATH,
  readTyped,
  type Typed,
  welcomePage,
} from "./pages.tsx";
import type { OpenInvitation } from "./store.ts";

const ACCEPT_PATH = `${PROVIDER_PATH}/accept`;
/** Before the digest of the invitation's token. */
const TARGET = "invitation: ";

interface Way {
  request: Request;
  open: OpenInvitation;
  provider: Provider;
}

export function invitationProviderPages(deps: InvitationPagesDependencies): Pages {
  return {
    [PROVIDER_PATH]: { post: (request) => start(deps, request) },
    [ACCEPT_PATH]: { post: (request) => accept(deps, request) },
  };
}

/** Answers with a page that refreshes itself, because the CSP's form-action blocks a redirect to another site. */
async function start(deps: InvitationPagesDependencies, request: Request): Promise<Response> {
  const form = await readForm(request);
  deps.forms.require(request, form.get("csrf"));
  const digest = digestOf(form.get("token") ?? "");
  const open = await openInvitation(deps, request, digest);
  const provider = await findProvider(deps, open, toRecordId(form.get("provider") ?? ""));
  return tellingTheUser(deps, { request, open, provider }, async () => {
    const wish = { target: TARGET + digest.toString("hex"), maxAge: undefined, loginHint: open.email };
    const { location: href, cookies } = await deps.upstream.begin(request, open.tenantId, provider, wish);
    const page = (
      <GoOnPage
        {...{ site: deps.endpoints.site, language: texts.speak(request), href }}
        organisation={open.tenantName}
        provider={provider.name}
      />
    );
    return pageResponse(page, { cookies, headers: { refresh: `0; url=${href}` } });
  });
}

/** Handles browsers that return from a provider to accept an invitation. */
export function createInvitationReturns(deps: InvitationPagesDependencies): AccountReturns {
  return {
    isAwaited: ({ attempt: { target } }) => target.startsWith(TARGET),
    comeBack: (request, _, taken, query) => propose(deps, request, taken, query),
  };
}

async function propose(
  deps: InvitationPagesDependencies,
  request: Request,
  { attempt, checks }: TakenAttempt,
  query: string,
): Promise<Response> {
  const { tenantId, providerId, target } = attempt;
  const open = await openInvitation(deps, request, digestIn(target));
  const provider = await findProvider(deps, open, providerId);
  const way = { request, open, provider };
  return tellingTheUser(deps, way, async () => {
    const identity = await deps.upstream.identify(provider, attempt, checks, query);
    if ((await deps.upstream.ownerOf(tenantId, provider, identity)) !== undefined) return refuse(deps, way, "taken");
    const begun = { providerId, target, maxAge: undefined };
    const link = await deps.upstream.proceed(request, tenantId, begun, identity);
    const { Username: username = open.email, Name: name = open.name } = identity.fields;
    return confirmPage(deps, way, link, identity, { username, name });
  });
}

async function accept(deps: InvitationPagesDependencies, request: Request): Promise<Response> {
  const form = await readForm(request);
  const link = form.get("link") ?? "";
  const pending = await deps.upstream.pending(request, link);
  if (!pending?.target.startsWith(TARGET)) throw overAlready();
  const digest = digestIn(pending.target);
  const open = await openInvitation(deps, request, digest);
  const provider = await findProvider(deps, open, pending.providerId);
  const { identity } = pending;
  const language = texts.speak(request);
  const { typed, problem } = readTyped(form, language);
  const again = (trouble: Trouble) => confirmPage(deps, { request, open, provider }, link, identity, typed, trouble);
  const trouble =
    deps.forms.troubleWith(request, form.get("csrf")) ??
    (deps.forms.hasShown(form.get("csrf"), form.get("shown"), shownOf(open, provider, identity))
      ? problem && { problem, status: 422 }
      : { problem: language.t.linkChanged, status: 409 });
  if (trouble) return again(trouble);
  try {
    if (!(await acceptLinked(deps, request, { open, digest, pending }, typed))) throw deadLink();
  } catch (error) {
    if (!(error instanceof Conflict)) throw error;
    return again({ problem: texts.errorIn(language, error.errors[0]!) ?? error.errors.join(" "), status: 409 });
  }
  return welcomePage(deps, request, open);
}

function acceptLinked(
  { invitations }: InvitationPagesDependencies,
  request: Request,
  { open, digest, pending }: { open: OpenInvitation; digest: Buffer; pending: PendingLink },
  typed: Typed,
): Promise<boolean> {
  return invitations.accept(request, open, digest, typed, async (tx, userId) => {
    const by = (id: number) => originOf(request, { actor: { type: "User", id } });
    if (!(await linkAccount(tx, pending, userId, by))) throw overAlready();
  });
}

const digestIn = (target: string) => Buffer.from(target.slice(TARGET.length), "hex");

function overAlready(): BadInput {
  return new BadInput(texts.ERRORS.invitationOver);
}

async function findProvider(
  { upstream }: InvitationPagesDependencies,
  { tenantId }: OpenInvitation,
  id: number | undefined,
): Promise<Provider> {
  const provider = await upstream.find(tenantId, id ?? 0);
  if (!provider?.isActive) throw new NotFound(texts.ERRORS.providerInactive);
  return provider;
}

async function tellingTheUser(
  deps: InvitationPagesDependencies,
  way: Way,
  step: () => Promise<Response>,
): Promise<Response> {
  try {
    return await step();
  } catch (error) {
    if (!(error instanceof UpstreamFailure)) throw error;
    return refuse(deps, way, error.kind, error.detail);
  }
}

async function refuse(
  { sql, endpoints: { site } }: InvitationPagesDependencies,
  { request, open, provider }: Way,
  problem: UpstreamProblem,
  detail?: string,
): Promise<Response> {
  const entry = failedBy("Identity.LinkFailed", provider, problem, detail === undefined ? {} : { detail });
  await recordAudit(sql, open.tenantId, originOf(request, {}), entry);
  const { status } = problemText(problem);
  const language = texts.speak(request);
  const said = { language, provider: provider.name, problem, links: [], reference: contextOf(request).key };
  return pageResponse(<UpstreamProblemPage site={site} purpose="linking" {...said} />, { status });
}

const shownOf = ({ id, email }: OpenInvitation, provider: Provider, identity: UpstreamIdentity) =>
  ["invitation", id, email, provider.id, provider.name, identity.authority, identity.subject, whoIs(identity)] as const;

/** Names both: at the provider, the browser may be signed in to someone else's account. */
function confirmPage(
  { endpoints: { site }, forms }: InvitationPagesDependencies,
  { request, open, provider }: Way,
  link: string,
  identity: UpstreamIdentity,
  typed: Typed,
  { problem, status, headers }: Partial<Trouble> = {},
): Promise<Response> {
  const { csrf, cookies } = forms.protect(request);
  const language = texts.speak(request);
  const { t } = language;
  const accepted = {
    ...{ provider: provider.name, there: whoIs(identity), address: open.email },
    organisation: open.tenantName,
  };
  const page = (
    <CardPage {...{ site, language, problem }} title={t.makeAccount} organisation={open.tenantName}>
      <h1 safe>{t.makeAccount}</h1>
      <p class="lead">
        <texts.Say text={t.acceptedThere} values={accepted} />
      </p>
      <Problem text={problem} />
      <form method="post" action={site.href(ACCEPT_PATH)}>
        <input type="hidden" name="csrf" value={csrf} />
        <input type="hidden" name="link" value={attribute(link)} />
        <input type="hidden" name="shown" value={forms.sealShown(csrf, shownOf(open, provider, identity))} />
        <NameFields t={t} typed={typed} problem={problem} />
        <button type="submit" safe>
          {t.makeTheAccount}
        </button>
      </form>
      <p class="note" safe>
        {t.notYours}
      </p>
    </CardPage>
  );
  return pageResponse(page, { status, headers, cookies });
}
