// Signing in to Settings: choosing the organisation, redirecting to our OpenID provider, and returning with a code.

import {
  ACCOUNT_PATH,
  accountSignIn,
  CONSOLE_CALLBACK_PATH,
  digestOf,
  signOut as endSession,
  newOpaqueValue,
  pageController,
  type tenants,
} from "../identity/index.ts";
import { readForm } from "../platform/http/body.ts";
import { NO_STORE } from "../platform/http/conditions.ts";
import { isOwnForm, pageBelow, requestUrl } from "../platform/http/request.ts";
import { attribute, CardPage, MessagePage, pageResponse, type Site, texts } from "../ui/index.ts";
import type { ConsoleDependencies } from "./page.tsx";
import { findSignedInUser } from "./signed-in-user.ts";
import { bindingsOf, readState, writeState } from "./state.ts";

export const SIGN_IN_PATH = "/settings/sign-in";
/** The maximum number of characters of a typed name. Names and Ids of organisations have fewer. */
const ORGANISATION_LIMIT = 200;
/** Seconds until the user must return with a code. */
const SIGN_IN_LIFETIME = 3600;

export function signInController(deps: ConsoleDependencies) {
  return pageController(deps, {
    [SIGN_IN_PATH]: { get: (request) => begin(deps, request) },
    "/signin/:organisation": { get: (request) => toOrganisation(deps, request) },
    [CONSOLE_CALLBACK_PATH]: { get: (request) => comeBack(deps, request) },
    "/settings/sign-out": { post: (request) => signOut(deps, request) },
    "/settings/signed-out": { get: (request) => signedOut(deps, request) },
  });
}

/** By PUBLIC_URL: the provider returns there, where a cookie set on another name of this host would be missing. */
export function toSignIn({ publicUrl }: Pick<ConsoleDependencies, "publicUrl">, request: Request): Response {
  // A refreshing part cannot show the sign-in, so the whole page must reload.
  if (request.headers.has("hx-request")) return new Response(null, { status: 401, headers: { "hx-refresh": "true" } });
  const { pathname, search, searchParams } = requestUrl(request);
  const organisation = searchParams.get("organisation")?.slice(0, ORGANISATION_LIMIT);
  const query = new URLSearchParams({ next: pageAfter(pathname + (organisation === undefined ? search : "")) });
  if (organisation !== undefined) query.set("organisation", organisation);
  return to(`${publicUrl}${SIGN_IN_PATH}?${query}`);
}

/** The address of an organisation's own sign-in page. Unknown names have one as well. */
async function toOrganisation({ site }: ConsoleDependencies, request: Request): Promise<Response> {
  const { pathname, searchParams } = requestUrl(request);
  const written = pathname.slice("/signin/".length);
  const organisation = new URLSearchParams(`name=${written.replaceAll("+", "%2B")}`).get("name")!;
  const next = searchParams.get("next") ?? ACCOUNT_PATH;
  return to(site.href(`${SIGN_IN_PATH}?${new URLSearchParams({ organisation, next })}`));
}

async function begin(deps: ConsoleDependencies, request: Request): Promise<Response> {
  const { searchParams } = requestUrl(request);
  const next = pageAfter(searchParams.get("next"));
  const asked = searchParams.get("organisation")?.slice(0, ORGANISATION_LIMIT).trim();
  const tenant = asked === undefined ? await knownTenant(deps, request) : await tenantNamed(deps, asked);
  if (!tenant && !asked) {
    const page = (
      <OrganisationPage site={deps.site} language={texts.speak(request)} action={SIGN_IN_PATH} next={next} />
    );
    // An organisation may have its own identity provider.
    return pageResponse(page, { endsElsewhere: true });
  }
  // Unknown names get a sign-in page as well, so visitors cannot probe for organisations.
  const clientId = deps.consoleClient.clientId(tenant?.id, asked ?? "");
  if (isOfAccount(next)) return to(deps.site.href(accountSignIn(clientId, next)));
  // All tabs of a browser share the seed, because any of them may return first.
  const seed = deps.cookies.read(request, "settings-sign-in") ?? newOpaqueValue();
  const state = writeState(seed, `${clientId} ${next}`);
  const path = deps.consoleClient.authorizationRequest(clientId, state, bindingsOf(seed));
  return to(deps.site.href(path), [deps.cookies.set("settings-sign-in", seed, SIGN_IN_LIFETIME)]);
}

/** The tenant of the browser's session, the last one used, or the only one. */
async function knownTenant(deps: ConsoleDependencies, request: Request): Promise<tenants.Tenant | undefined> {
  const { tenants, sessions, cookies } = deps;
  const session = await sessions.findStarted(request);
  const known = session?.tenantId ?? cookies.read(request, "organisation");
  return (known === undefined ? undefined : await tenants.find(known)) ?? (await tenants.findOnly());
}

async function tenantNamed({ tenants }: ConsoleDependencies, name: string): Promise<tenants.Tenant | undefined> {
  // PostgreSQL's text type cannot store NUL.
  return name === "" || name.includes("\0") ? undefined : tenants.find(name);
}

async function comeBack(deps: ConsoleDependencies, request: Request): Promise<Response> {
  const { searchParams } = requestUrl(request);
  const seed = deps.cookies.read(request, "settings-sign-in");
  const text = seed === undefined ? undefined : readState(seed, searchParams.get("state") ?? "");
  if (seed === undefined || text === undefined) {
    // Another tab has already signed in.
    if (await findSignedInUser(deps, request)) return to(deps.site.href("/settings"));
    return startAgain(deps, "This sign-in was started in a different browser, or too long ago.");
  }
  const state = signInStateOf(text);
  const code = searchParams.get("code");
  if (code === null) return startAgain(deps, searchParams.get("error_description") ?? "The response contains no code.");
  const redeemed = await deps.consoleClient.redeem(request, state.clientId, code, bindingsOf(seed));
  const session = await deps.sessions.find(request);
  if (session?.id !== redeemed.sessionId) return startAgain(deps, "This browser has signed out in the meantime.");

  const value = newOpaqueValue();
  await deps.consoleClient.enter(redeemed, digestOf(value));
  return to(deps.site.href(pageAfter(state.next)), [
    deps.cookies.set("settings", value),
    deps.cookies.clear("settings-sign-in"),
    deps.cookies.rememberOrganisation(redeemed.tenantId),
  ]);
}

function startAgain({ site, cookies }: ConsoleDependencies, reason: string): Promise<Response> {
  const next = { href: site.href("/settings"), text: "Start again", isButton: true };
  const shared = { site, language: texts.ENGLISH, next };
  const page = <MessagePage {...shared} heading="Not signed in" lines={[reason]} />;
  return pageResponse(page, { status: 400, cookies: [cookies.clear("settings-sign-in")] });
}

async function signedOut({ site }: ConsoleDependencies, request: Request): Promise<Response> {
  const language = texts.speak(request);
  const { signedOut, signedOutHere, signInAgain } = language.t;
  const next = { href: site.href("/settings"), text: signInAgain, isButton: true };
  return pageResponse(<MessagePage {...{ site, language, next }} heading={signedOut} lines={[signedOutHere]} />);
}

async function signOut(deps: ConsoleDependencies, request: Request): Promise<Response> {
  const form = await readForm(request);
  const session = await deps.sessions.findStarted(request);
  const gone = deps.cookies.clear("settings");
  const destination = deps.site.href("/settings/signed-out");
  if (!session) return to(destination, [gone]);
  // A page from before the last sign-in has an old token, and its button must still work.
  if (!isOwnForm(request)) deps.forms.require(request, form.get("csrf"), session);
  const { cookies, onward } = await endSession(deps, deps.site, request, session, destination);
  return onward ? onward([gone, ...cookies]) : to(destination, [gone, ...cookies]);
}

/** @param text untrusted; the first page of Settings is used if it is too long or no page after a sign-in */
function pageAfter(text: string | null): string {
  const path = pageBelow("/settings", text) ?? pageBelow(ACCOUNT_PATH, text) ?? "/settings";
  return [SIGN_IN_PATH, CONSOLE_CALLBACK_PATH].includes(path.split("?", 1)[0]!) ? "/settings" : path;
}

const isOfAccount = (path: string) => pageBelow(ACCOUNT_PATH, path) !== undefined;

function to(location: string, cookies: string[] = []): Response {
  const headers = new Headers({ location, "referrer-policy": "no-referrer", ...NO_STORE });
  for (const cookie of cookies) headers.append("set-cookie", cookie);
  return new Response(null, { status: 303, headers });
}

interface OrganisationPageProps {
  site: Site;
  language: texts.Language;
  action: string;
  next: string;
}

/** Does not list organisations, because their names are not public. */
function OrganisationPage({ site, language, action, next }: OrganisationPageProps): JSX.Element {
  const { t } = language;
  return (
    <CardPage site={site} language={language} title={t.whichOrganisation}>
      <h1 safe>{t.whichOrganisation}</h1>
      <p class="lead" safe>
        {texts.fill(t.toContinueTo, { application: isOfAccount(next) ? t.yourAccount : "Settings" })}
      </p>
      <form method="get" action={site.href(action)}>
        <input type="hidden" name="next" value={attribute(next)} />
        <label for="organisation" safe>
          {t.organisationName}
        </label>
        <input
          id="organisation"
          name="organisation"
          autocomplete="organization"
          autocapitalize="none"
          spellcheck="false"
          maxlength="100"
          required
          autofocus
        />
        <button type="submit" safe>
          {t.continue}
        </button>
      </form>
    </CardPage>
  );
}

interface SignInState {
  /** The client of the request, which determines the tenant. */
  clientId: string;
  next: string;
}

function signInStateOf(text: string): SignInState {
  const space = text.indexOf(" ");
  return { clientId: text.slice(0, space), next: text.slice(space + 1) };
}
