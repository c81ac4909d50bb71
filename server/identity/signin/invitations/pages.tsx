// The link of an invitation: the person chooses a user name and a password.

import type { Sql } from "../../../platform/db/sql.ts";
import { Conflict, NotFound } from "../../../platform/errors.ts";
import { readForm } from "../../../platform/http/body.ts";
import { requestUrl } from "../../../platform/http/request.ts";
import { asTyped, isText, KEY_LIMIT, usernameKey } from "../../../platform/text.ts";
import { attribute, CardPage, MessagePage, Problem, pageResponse, type Site, texts } from "../../../ui/index.ts";
import type { PageEndpoints, Pages } from "../endpoint.tsx";
import type { Forms } from "../forms.ts";
import { NewPasswordField } from "../new-password.tsx";
import { digestOf } from "../opaque.ts";
import type { PasswordProblem } from "../password.ts";
import type { Session, Sessions } from "../session.ts";
import type { Trouble } from "../throttle.ts";
import type { OfferedProvider, Upstream } from "../upstream/upstream.ts";
import type { Acceptance } from "./accept.ts";
import { INVITATION_PATH } from "./service.ts";
import type { OpenInvitation } from "./store.ts";

const NAME_LIMIT = 200;
/** Begins the acceptance at an identity provider. */
export const PROVIDER_PATH = `${INVITATION_PATH}/provider`;

export interface InvitationPagesDependencies {
  sql: Sql;
  invitations: Acceptance;
  forms: Forms;
  sessions: Sessions;
  upstream: Upstream;
  passwordProblem: PasswordProblem;
  endpoints: PageEndpoints;
}

/** GET does not use the link up, because mail programs open links in advance. */
export function invitationPages(deps: InvitationPagesDependencies): Pages {
  return {
    [INVITATION_PATH]: {
      async get(request) {
        const { searchParams } = requestUrl(request);
        const token = searchParams.get("token") ?? "";
        const open = await openInvitation(deps, request, digestOf(token));
        const session = await deps.sessions.find(request);
        if (session && searchParams.get("as") !== "new") return signedInPage(deps, request, open, token, session);
        return show(deps, request, open, token, { username: open.email, name: open.name });
      },
      post: (request) => accept(deps, request),
    },
  };
}

export interface Typed {
  username: string;
  name: string;
}

export function readTyped(
  form: Map<string, string>,
  { t }: texts.Language,
): { typed: Typed; problem: string | undefined } {
  const typed = { username: (form.get("username") ?? "").trim(), name: (form.get("name") ?? "").trim() };
  const { text } = asTyped(typed.username, KEY_LIMIT);
  const isFine = text && usernameKey(text) && isText(typed.name, NAME_LIMIT);
  return { typed, problem: isFine ? undefined : t.ordinaryNames };
}

async function accept(deps: InvitationPagesDependencies, request: Request): Promise<Response> {
  const form = await readForm(request);
  const token = form.get("token") ?? "";
  const digest = digestOf(token);
  const open = await openInvitation(deps, request, digest);
  const language = texts.speak(request);
  const { typed, problem: wrong } = readTyped(form, language);
  const password = form.get("new_password") ?? "";
  const again = (trouble: Trouble) => show(deps, request, open, token, typed, trouble);
  const stale = deps.forms.troubleWith(request, form.get("csrf"));
  if (stale) return again(stale);
  if (wrong) return again({ problem: wrong, status: 422 });
  const { tenantId, tenantName } = open;
  const owner = { ...typed, email: open.email, organisation: tenantName };
  const problem = await deps.passwordProblem({ tenantId, userId: 0, owner }, password, language);
  if (problem) return again({ problem, status: 422 });
  try {
    if (!(await deps.invitations.acceptByPassword(request, open, digest, typed, password))) throw deadLink();
  } catch (error) {
    if (!(error instanceof Conflict)) throw error;
    return again({ problem: texts.errorIn(language, error.errors[0]!) ?? error.errors.join(" "), status: 409 });
  }
  return welcomePage(deps, request, open);
}

export function welcomePage(
  { endpoints: { site } }: InvitationPagesDependencies,
  request: Request,
  { tenantId, tenantName }: OpenInvitation,
): Promise<Response> {
  const language = texts.speak(request);
  const { t } = language;
  const lines = [t.accountReady, t.canSignIn];
  const next = { href: site.href(`/account?organisation=${tenantId}`), text: t.signIn };
  const heading = texts.fill(t.welcome, { organisation: tenantName });
  return pageResponse(<MessagePage {...{ site, language, heading, lines, next }} />);
}

export async function openInvitation(
  deps: InvitationPagesDependencies,
  request: Request,
  digest: Buffer,
): Promise<OpenInvitation> {
  const open = await deps.invitations.find(digest);
  if (!open) throw deadLink();
  deps.endpoints.site.wear(open.tenantId);
  texts.learn(request, { tenant: open.tenantPages });
  return open;
}

export const deadLink = () => new NotFound(texts.ERRORS.invitation);

/** The new account belongs to the invited address, so another signed-in user decides first. */
function signedInPage(
  { endpoints: { site } }: InvitationPagesDependencies,
  request: Request,
  open: OpenInvitation,
  token: string,
  session: Session,
): Promise<Response> {
  const href = `${site.href(INVITATION_PATH)}?${new URLSearchParams({ token, as: "new" })}`;
  const language = texts.speak(request);
  const { t } = language;
  const here = { user: session.name || session.username, organisation: session.tenantName };
  const page = (
    <CardPage {...{ site, language }} title={t.signedInAlready} organisation={session.tenantName}>
      <h1 safe>{t.signedInAlready}</h1>
      <p>
        <texts.Say text={t.youAreAt} values={here} />{" "}
        <texts.Say text={t.invitationMakes} values={{ organisation: open.tenantName, address: open.email }} />
      </p>
      <div class="accounts">
        <a class="button" href={attribute(href)} safe>
          {t.makeOther}
        </a>
        <a class="button outline" href={site.href("/account")} safe>
          {t.stay}
        </a>
      </div>
    </CardPage>
  );
  return pageResponse(page);
}

async function show(
  { endpoints: { site }, forms, upstream }: InvitationPagesDependencies,
  request: Request,
  open: OpenInvitation,
  token: string,
  typed: Typed,
  { problem, status, headers }: Partial<Trouble> = {},
): Promise<Response> {
  const { csrf, cookies } = forms.protect(request);
  const providers = await upstream.offered(open.tenantId);
  const language = texts.speak(request);
  const { t } = language;
  const invited = { inviter: open.invitedBy || t.anAdministrator, address: open.email, organisation: open.tenantName };
  const page = (
    <CardPage {...{ site, language, problem }} title={t.makeAccount} organisation={open.tenantName}>
      <h1 safe>{t.makeAccount}</h1>
      <p class="lead">
        <texts.Say text={t.invites} values={invited} />
      </p>
      <Problem text={problem} />
      <form method="post" action={site.href(INVITATION_PATH)}>
        <input type="hidden" name="csrf" value={csrf} />
        <input type="hidden" name="token" value={attribute(token)} />
        <NameFields t={t} typed={typed} problem={problem} />
        <NewPasswordField language={language} label={t.password} problem={problem} />
        <button type="submit" safe>
          {t.makeTheAccount}
        </button>
      </form>
      {providers.length > 0 ? <ProviderForms {...{ site, t, csrf, token, providers }} /> : ""}
      <p class="note" safe>
        {t.invitationUnexpected}
      </p>
    </CardPage>
  );
  return pageResponse(page, { status, headers, cookies });
}

interface NameFieldsProps {
  t: texts.Texts;
  typed: Typed;
  problem: string | undefined;
}

export function NameFields({ t, typed, problem }: NameFieldsProps): JSX.Element {
  return (
    <>
      <label for="name" safe>
        {t.fullName}
      </label>
      <input id="name" name="name" value={attribute(typed.name)} autocomplete="name" maxlength="200" />
      <label for="username" safe>
        {t.userName}
      </label>
      <input
        id="username"
        name="username"
        value={attribute(typed.username)}
        autocomplete="username"
        autocapitalize="none"
        spellcheck="false"
        maxlength="500"
        required
        aria-describedby={problem ? "problem" : undefined}
      />
    </>
  );
}

interface ProviderFormsProps {
  site: Site;
  t: texts.Texts;
  csrf: string;
  token: string;
  providers: OfferedProvider[];
}

/** The other ways to accept an invitation. */
function ProviderForms({ site, t, csrf, token, providers }: ProviderFormsProps): JSX.Element {
  return (
    <section class="accounts others" aria-label={attribute(t.otherWays)}>
      {providers.map(({ id, name }) => (
        <form method="post" action={site.href(PROVIDER_PATH)}>
          <input type="hidden" name="csrf" value={csrf} />
          <input type="hidden" name="token" value={attribute(token)} />
          <input type="hidden" name="provider" value={String(id)} />
          <button type="submit" class="outline" safe>
            {texts.fill(t.acceptWith, { provider: name })}
          </button>
        </form>
      ))}
    </section>
  );
}
