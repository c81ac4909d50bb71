// The link of an invitation: the person chooses a user name and a password.

import { Conflict, NotFound } from "../../../platform/errors.ts";
import { readForm } from "../../../platform/http/body.ts";
import { requestUrl } from "../../../platform/http/request.ts";
import { asTyped, isText, KEY_LIMIT, usernameKey } from "../../../platform/text.ts";
import { attribute, CardPage, MessagePage, Problem, pageResponse, type Site } from "../../../ui/index.ts";
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
        const open = await openInvitation(deps, token);
        const session = await deps.sessions.find(request);
        if (session && searchParams.get("as") !== "new") return signedInPage(deps, open, token, session);
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
  const open = await openInvitation(deps, token);
  const typed = { username: (form.get("username") ?? "").trim(), name: (form.get("name") ?? "").trim() };
  const password = form.get("new_password") ?? "";
  const again = (trouble: Trouble) => show(deps, request, open, token, typed, trouble);
  const stale = deps.forms.troubleWith(request, form.get("csrf"));
  if (stale) return again(stale);
  const { text } = asTyped(typed.username, KEY_LIMIT);
  if (!text || !usernameKey(text) || !isText(typed.name, NAME_LIMIT))
    return again({ problem: "Enter a user name and a name of ordinary text.", status: 422 });
  const { tenantId, tenantName } = open;
  const owner = { ...typed, email: open.email, organisation: tenantName };
  const problem = await deps.passwordProblem({ tenantId, userId: 0, owner }, password);
  if (problem) return again({ problem, status: 422 });
  try {
    if (!(await deps.invitations.accept(request, open, token, { ...typed, password }))) throw deadLink();
  } catch (error) {
    if (!(error instanceof Conflict)) throw error;
    return again({ problem: error.errors.join(" "), status: 409 });
  }
  const { site } = deps.endpoints;
  const lines = ["Your account is ready, and your mail address is verified.", "You can now sign in."];
  const next = { href: site.href(`/account?organisation=${tenantId}`), text: "Sign in" };
  return pageResponse(<MessagePage site={site} heading={`Welcome to ${tenantName}`} lines={lines} next={next} />);
}

async function openInvitation(deps: InvitationPagesDependencies, token: string): Promise<OpenInvitation> {
  const open = await deps.invitations.find(token);
  if (!open) throw deadLink();
  deps.endpoints.site.wear(open.tenantId);
  return open;
}

const deadLink = () =>
  new NotFound("This invitation was already accepted, has expired or was revoked. Ask for a new one.");

/** The new account belongs to the invited address, so another signed-in user decides first. */
function signedInPage(
  { endpoints: { site } }: InvitationPagesDependencies,
  open: OpenInvitation,
  token: string,
  session: Session,
): Promise<Response> {
  const href = `${site.href(INVITATION_PATH)}?${new URLSearchParams({ token, as: "new" })}`;
  const page = (
    <CardPage site={site} title="You are signed in already" organisation={session.tenantName}>
      <h1>You are signed in already</h1>
      <p>
        You are <strong safe>{session.name || session.username}</strong> at <strong safe>{session.tenantName}</strong>.
        This invitation makes another account, at <strong safe>{open.tenantName}</strong> for{" "}
        <strong safe>{open.email}</strong>.
      </p>
      <div class="accounts">
        <a class="button" href={attribute(href)}>
          Make the other account
        </a>
        <a class="button outline" href={site.href("/account")}>
          Stay with this account
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
  const page = <AcceptPage {...{ site, csrf, open, token, typed, problem }} />;
  return pageResponse(page, { status, headers, cookies });
}

interface AcceptProps {
  site: Site;
  csrf: string;
  open: OpenInvitation;
  token: string;
  typed: Typed;
  problem: string | undefined;
}

function AcceptPage({ site, csrf, open, token, typed, problem }: AcceptProps): JSX.Element {
  const described = problem ? "problem" : undefined;
  const heading = "Make your account";
  return (
    <CardPage site={site} title={problem ? `Error: ${heading}` : heading} organisation={open.tenantName}>
      <h1 safe>{heading}</h1>
      <p class="lead">
        {open.invitedBy ? <strong safe>{open.invitedBy}</strong> : "An administrator"} invites{" "}
        <strong safe>{open.email}</strong> to <strong safe>{open.tenantName}</strong>.
      </p>
      <Problem text={problem} />
      <form method="post" action={site.href(INVITATION_PATH)}>
        <input type="hidden" name="csrf" value={csrf} />
        <input type="hidden" name="token" value={attribute(token)} />
        <label for="name">Full name</label>
        <input id="name" name="name" value={attribute(typed.name)} autocomplete="name" maxlength="200" />
        <label for="username">User name</label>
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
        <NewPasswordField label="Password" problem={problem} />
        <button type="submit">Make the account</button>
      </form>
      <p class="note">If you do not expect this invitation, close this page.</p>
    </CardPage>
  );
}
