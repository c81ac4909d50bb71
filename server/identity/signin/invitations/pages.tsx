// The link of an invitation: the person chooses a user name and a password.

import { Conflict, NotFound } from "../../../platform/errors.ts";
import { readForm } from "../../../platform/http/body.ts";
import { requestUrl } from "../../../platform/http/request.ts";
import { asTyped, isText, KEY_LIMIT, usernameKey } from "../../../platform/text.ts";
import { attribute, CardPage, MessagePage, Problem, pageResponse, type Site, texts } from "../../../ui/index.ts";
import type { PageEndpoints, Pages } from "../endpoint.tsx";
import type { Forms } from "../forms.ts";
import { NewPasswordField } from "../new-password.tsx";
import type { PasswordProblem } from "../password.ts";
import type { Session, Sessions } from "../session.ts";
import type { Trouble } from "../throttle.ts";
import type { Acceptance } from "./accept.ts";
import { INVITATION_PATH } from "./service.ts";
import type { OpenInvitation } from "./store.ts";

const NAME_LIMIT = 200;

export interface InvitationPagesDependencies {
  invitations: Acceptance;
  forms: Forms;
  sessions: Sessions;
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
        const open = await openInvitation(deps, request, token);
        const session = await deps.sessions.find(request);
        if (session && searchParams.get("as") !== "new") return signedInPage(deps, request, open, token, session);
        return show(deps, request, open, token, { username: open.email, name: open.name });
      },
      post: (request) => accept(deps, request),
    },
  };
}

interface Typed {
  username: string;
  name: string;
}

async function accept(deps: InvitationPagesDependencies, request: Request): Promise<Response> {
  const form = await readForm(request);
  const token = form.get("token") ?? "";
  const open = await openInvitation(deps, request, token);
  const language = texts.speak(request);
  const { t } = language;
  const typed = { username: (form.get("username") ?? "").trim(), name: (form.get("name") ?? "").trim() };
  const password = form.get("new_password") ?? "";
  const again = (trouble: Trouble) => show(deps, request, open, token, typed, trouble);
  const stale = deps.forms.troubleWith(request, form.get("csrf"));
  if (stale) return again(stale);
  const { text } = asTyped(typed.username, KEY_LIMIT);
  if (!text || !usernameKey(text) || !isText(typed.name, NAME_LIMIT))
    return again({ problem: t.ordinaryNames, status: 422 });
  const { tenantId, tenantName } = open;
  const owner = { ...typed, email: open.email, organisation: tenantName };
  const problem = await deps.passwordProblem({ tenantId, userId: 0, owner }, password, language);
  if (problem) return again({ problem, status: 422 });
  try {
    if (!(await deps.invitations.accept(request, open, token, { ...typed, password }))) throw deadLink();
  } catch (error) {
    if (!(error instanceof Conflict)) throw error;
    return again({ problem: texts.errorIn(language, error.errors[0]!) ?? error.errors.join(" "), status: 409 });
  }
  const { site } = deps.endpoints;
  const lines = [t.accountReady, t.canSignIn];
  const next = { href: site.href(`/account?organisation=${tenantId}`), text: t.signIn };
  const heading = texts.fill(t.welcome, { organisation: tenantName });
  return pageResponse(<MessagePage {...{ site, language, heading, lines, next }} />);
}

async function openInvitation(
  deps: InvitationPagesDependencies,
  request: Request,
  token: string,
): Promise<OpenInvitation> {
  const open = await deps.invitations.find(token);
  if (!open) throw deadLink();
  deps.endpoints.site.wear(open.tenantId);
  texts.learn(request, { tenant: open.tenantPages });
  return open;
}

const deadLink = () => new NotFound(texts.ERRORS.invitation);

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

function show(
  { endpoints: { site }, forms }: InvitationPagesDependencies,
  request: Request,
  open: OpenInvitation,
  token: string,
  typed: Typed,
  { problem, status, headers }: Partial<Trouble> = {},
): Promise<Response> {
  const { csrf, cookies } = forms.protect(request);
  const page = <AcceptPage {...{ site, language: texts.speak(request), csrf, open, token, typed, problem }} />;
  return pageResponse(page, { status, headers, cookies });
}

interface AcceptProps {
  site: Site;
  language: texts.Language;
  csrf: string;
  open: OpenInvitation;
  token: string;
  typed: Typed;
  problem: string | undefined;
}

function AcceptPage({ site, language, csrf, open, token, typed, problem }: AcceptProps): JSX.Element {
  const described = problem ? "problem" : undefined;
  const { t } = language;
  const invited = { inviter: open.invitedBy || t.anAdministrator, address: open.email, organisation: open.tenantName };
  return (
    <CardPage {...{ site, language, problem }} title={t.makeAccount} organisation={open.tenantName}>
      <h1 safe>{t.makeAccount}</h1>
      <p class="lead">
        <texts.Say text={t.invites} values={invited} />
      </p>
      <Problem text={problem} />
      <form method="post" action={site.href(INVITATION_PATH)}>
        <input type="hidden" name="csrf" value={csrf} />
        <input type="hidden" name="token" value={attribute(token)} />
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
          aria-describedby={described}
        />
        <NewPasswordField language={language} label={t.password} problem={problem} />
        <button type="submit" safe>
          {t.makeTheAccount}
        </button>
      </form>
      <p class="note" safe>
        {t.invitationUnexpected}
      </p>
    </CardPage>
  );
}
