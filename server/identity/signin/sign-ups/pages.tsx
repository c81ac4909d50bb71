// The link of a sign-up: the person gives a name and a password, and agrees to the tenant's terms.

import { Conflict, NotFound } from "../../../platform/errors.ts";
import { readForm } from "../../../platform/http/body.ts";
import { requestUrl } from "../../../platform/http/request.ts";
import { isText } from "../../../platform/text.ts";
import { attribute, CardPage, MessagePage, Problem, pageResponse, type Site, texts } from "../../../ui/index.ts";
import type { PageEndpoints, Pages } from "../endpoint.tsx";
import type { Forms } from "../forms.ts";
import { NewPasswordField } from "../new-password.tsx";
import type { PasswordProblem } from "../password.ts";
import type { Trouble } from "../throttle.ts";
import { SIGN_UP_LINK_PATH, type SignUps } from "./sign-ups.ts";
import type { OpenSignUp, SignUpConsent } from "./store.ts";

const NAME_LIMIT = 200;

interface SignUpPagesDependencies {
  signUps: SignUps;
  forms: Forms;
  passwordProblem: PasswordProblem;
  endpoints: PageEndpoints;
}

interface Typed {
  name: string;
  agrees: boolean;
}

/** GET does not use the link up, because mail programs open links in advance. */
export function signUpLinkPages(deps: SignUpPagesDependencies): Pages {
  return {
    [SIGN_UP_LINK_PATH]: {
      async get(request) {
        const token = requestUrl(request).searchParams.get("token") ?? "";
        return show(deps, request, await openSignUp(deps, request, token), token, { name: "", agrees: false });
      },
      post: (request) => accept(deps, request),
    },
  };
}

async function accept(deps: SignUpPagesDependencies, request: Request): Promise<Response> {
  const form = await readForm(request);
  const token = form.get("token") ?? "";
  const open = await openSignUp(deps, request, token);
  const language = texts.speak(request);
  const { t } = language;
  const typed = { name: (form.get("name") ?? "").trim(), agrees: form.has("agree") };
  const password = form.get("new_password") ?? "";
  const again = (trouble: Trouble) => show(deps, request, open, token, typed, trouble);
  const stale = deps.forms.troubleWith(request, form.get("csrf"));
  if (stale) return again(stale);
  if (!typed.name || !isText(typed.name, NAME_LIMIT)) return again({ problem: t.enterName, status: 422 });
  if (open.text && !typed.agrees) return again({ problem: t.checkTheBox, status: 422 });
  const { tenantId, tenantName, email } = open;
  const owner = { username: email, name: typed.name, email, organisation: tenantName };
  const problem = await deps.passwordProblem({ tenantId, userId: 0, owner }, password, language);
  if (problem) return again({ problem, status: 422 });
  const { site } = deps.endpoints;
  try {
    const made = await deps.signUps.accept(request, open, token, { name: typed.name, password });
    if (!made) throw deadLink();
    return pageResponse(<DonePage {...{ site, language, open, isReady: made === "ready" }} />);
  } catch (error) {
    if (!(error instanceof Conflict)) throw error;
    return again({ problem: texts.errorIn(language, error.errors[0]!) ?? error.errors.join(" "), status: 409 });
  }
}

async function openSignUp(
  { signUps, endpoints }: SignUpPagesDependencies,
  request: Request,
  token: string,
): Promise<OpenSignUp> {
  const open = await signUps.find(token);
  if (!open) throw deadLink();
  endpoints.site.wear(open.tenantId);
  texts.learn(request, { tenant: open.tenantPages });
  return open;
}

const deadLink = () => new NotFound(texts.ERRORS.signUpLink);

function show(
  { endpoints: { site }, forms }: SignUpPagesDependencies,
  request: Request,
  open: OpenSignUp,
  token: string,
  typed: Typed,
  { problem, status, headers }: Partial<Trouble> = {},
): Promise<Response> {
  const { csrf, cookies } = forms.protect(request);
  const page = <SignUpPage {...{ site, language: texts.speak(request), csrf, open, token, typed, problem }} />;
  return pageResponse(page, { status, headers, cookies });
}

interface SignUpProps {
  site: Site;
  language: texts.Language;
  csrf: string;
  open: OpenSignUp;
  token: string;
  typed: Typed;
  problem: string | undefined;
}

function SignUpPage({ site, language, csrf, open, token, typed, problem }: SignUpProps): JSX.Element {
  const { t } = language;
  return (
    <CardPage {...{ site, language, problem }} title={t.makeAccount} organisation={open.tenantName}>
      <h1 safe>{t.makeAccount}</h1>
      <p class="lead">
        <texts.Say text={t.signUpAt} values={{ organisation: open.tenantName, address: open.email }} />
      </p>
      <Problem text={problem} />
      <form method="post" action={site.href(SIGN_UP_LINK_PATH)}>
        <input type="hidden" name="csrf" value={csrf} />
        <input type="hidden" name="token" value={attribute(token)} />
        <input type="hidden" name="username" value={attribute(open.email)} autocomplete="username" />
        <label for="name" safe>
          {t.fullName}
        </label>
        <input id="name" name="name" value={attribute(typed.name)} autocomplete="name" maxlength="200" required />
        <NewPasswordField language={language} label={t.password} problem={problem} />
        {open.text ? (
          <label>
            <input type="checkbox" name="agree" required checked={typed.agrees} /> <span safe>{open.text}</span>
          </label>
        ) : (
          ""
        )}
        <button type="submit" safe>
          {t.makeTheAccount}
        </button>
      </form>
      {open.terms || open.privacy ? <OwnLinks t={t} {...open} /> : ""}
    </CardPage>
  );
}

/** Links to the tenant's own pages. */
function OwnLinks({ t, terms, privacy }: Pick<SignUpConsent, "terms" | "privacy"> & { t: texts.Texts }): JSX.Element {
  return (
    <p class="note">
      {terms ? (
        <a href={attribute(terms)} target="_blank" rel="noopener noreferrer" safe>
          {t.termsOfService}
        </a>
      ) : (
        ""
      )}
      {terms && privacy ? " · " : ""}
      {privacy ? (
        <a href={attribute(privacy)} target="_blank" rel="noopener noreferrer" safe>
          {t.privacyPolicy}
        </a>
      ) : (
        ""
      )}
    </p>
  );
}

interface DoneProps {
  site: Site;
  language: texts.Language;
  open: OpenSignUp;
  isReady: boolean;
}

function DonePage({ site, language, open, isReady }: DoneProps): JSX.Element {
  const { t } = language;
  const lines = isReady ? [t.accountReady, t.canSignIn] : [t.waitsForApproval];
  const href = site.href(`/account?organisation=${open.tenantId}`);
  const heading = isReady ? texts.fill(t.welcome, { organisation: open.tenantName }) : t.almostDone;
  return <MessagePage {...{ site, language, heading, lines }} {...(isReady && { next: { href, text: t.signIn } })} />;
}
