// The link of a sign-up: the person gives a name and a password, and agrees to the tenant's terms.

import { Conflict, NotFound } from "../../../platform/errors.ts";
import { readForm } from "../../../platform/http/body.ts";
import { requestUrl } from "../../../platform/http/request.ts";
import { isText } from "../../../platform/text.ts";
import { attribute, CardPage, MessagePage, Problem, pageResponse, type Site } from "../../../ui/index.ts";
import type { PageEndpoints, Pages } from "../endpoint.tsx";
import type { Forms } from "../forms.ts";
import { NewPasswordField } from "../new-password.tsx";
import type { PasswordProblem } from "../password.ts";
import type { Trouble } from "../throttle.ts";
import { SIGN_UP_LINK_PATH, type SignUps } from "./sign-ups.ts";
import type { Consent, OpenSignUp } from "./store.ts";

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
        return show(deps, request, await openSignUp(deps, token), token, { name: "", agrees: false });
      },
      post: (request) => accept(deps, request),
    },
  };
}

async function accept(deps: SignUpPagesDependencies, request: Request): Promise<Response> {
  const form = await readForm(request);
  const token = form.get("token") ?? "";
  const open = await openSignUp(deps, token);
  const typed = { name: (form.get("name") ?? "").trim(), agrees: form.has("agree") };
  const password = form.get("new_password") ?? "";
  const again = (trouble: Trouble) => show(deps, request, open, token, typed, trouble);
  const stale = deps.forms.troubleWith(request, form.get("csrf"));
  if (stale) return again(stale);
  if (!typed.name || !isText(typed.name, NAME_LIMIT)) return again({ problem: "Enter your name.", status: 422 });
  if (open.text && !typed.agrees) return again({ problem: "Check the box to continue.", status: 422 });
  const { tenantId, tenantName, email } = open;
  const owner = { username: email, name: typed.name, email, organisation: tenantName };
  const problem = await deps.passwordProblem({ tenantId, userId: 0, owner }, password);
  if (problem) return again({ problem, status: 422 });
  const { site } = deps.endpoints;
  try {
    const made = await deps.signUps.accept(request, open, token, { name: typed.name, password });
    if (!made) throw deadLink();
    return pageResponse(<DonePage {...{ site, open, isReady: made === "ready" }} />);
  } catch (error) {
    if (!(error instanceof Conflict)) throw error;
    return again({ problem: error.errors.join(" "), status: 409 });
  }
}

async function openSignUp({ signUps }: SignUpPagesDependencies, token: string): Promise<OpenSignUp> {
  const open = await signUps.find(token);
  if (!open) throw deadLink();
  return open;
}

const deadLink = () =>
  new NotFound("This link was already used or has expired. Ask for a new one on the sign-in page.");

function show(
  { endpoints: { site }, forms }: SignUpPagesDependencies,
  request: Request,
  open: OpenSignUp,
  token: string,
  typed: Typed,
  { problem, status, headers }: Partial<Trouble> = {},
): Promise<Response> {
  const { csrf, cookies } = forms.protect(request);
  const page = <SignUpPage {...{ site, csrf, open, token, typed, problem }} />;
  return pageResponse(page, { status, headers, cookies });
}

interface SignUpProps {
  site: Site;
  csrf: string;
  open: OpenSignUp;
  token: string;
  typed: Typed;
  problem: string | undefined;
}

function SignUpPage({ site, csrf, open, token, typed, problem }: SignUpProps): JSX.Element {
  const heading = "Make your account";
  return (
    <CardPage site={site} title={problem ? `Error: ${heading}` : heading} organisation={open.tenantName}>
      <h1 safe>{heading}</h1>
      <p class="lead">
        At <strong safe>{open.tenantName}</strong>. You sign in with <strong safe>{open.email}</strong>.
      </p>
      <Problem text={problem} />
      <form method="post" action={site.href(SIGN_UP_LINK_PATH)}>
        <input type="hidden" name="csrf" value={csrf} />
        <input type="hidden" name="token" value={attribute(token)} />
        <input type="hidden" name="username" value={attribute(open.email)} autocomplete="username" />
        <label for="name">Full name</label>
        <input id="name" name="name" value={attribute(typed.name)} autocomplete="name" maxlength="200" required />
        <NewPasswordField label="Password" problem={problem} />
        {open.text ? (
          <label>
            <input type="checkbox" name="agree" required checked={typed.agrees} /> <span safe>{open.text}</span>
          </label>
        ) : (
          ""
        )}
        <button type="submit">Make the account</button>
      </form>
      {open.terms || open.privacy ? <OwnLinks {...open} /> : ""}
    </CardPage>
  );
}

/** Links to the tenant's own pages. */
function OwnLinks({ terms, privacy }: Pick<Consent, "terms" | "privacy">): JSX.Element {
  return (
    <p class="note">
      {terms ? (
        <a href={attribute(terms)} target="_blank" rel="noopener noreferrer">
          Terms
        </a>
      ) : (
        ""
      )}
      {terms && privacy ? " · " : ""}
      {privacy ? (
        <a href={attribute(privacy)} target="_blank" rel="noopener noreferrer">
          Privacy
        </a>
      ) : (
        ""
      )}
    </p>
  );
}

function DonePage({ site, open, isReady }: { site: Site; open: OpenSignUp; isReady: boolean }): JSX.Element {
  const lines = isReady
    ? ["Your account is ready, and your mail address is verified.", "You can now sign in."]
    : ["Your mail address is verified. An administrator must approve your account.", "You will get a mail then."];
  const href = site.href(`/account?organisation=${open.tenantId}`);
  const heading = isReady ? `Welcome to ${open.tenantName}` : "Almost done";
  return <MessagePage {...{ site, heading, lines }} {...(isReady && { next: { href, text: "Sign in" } })} />;
}
