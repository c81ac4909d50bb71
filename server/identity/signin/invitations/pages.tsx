// The link of an invitation: the person chooses a user name and a password.

import type { Sql } from "../../../platform/db/sql.ts";
import { Conflict, NotFound } from "../../../platform/errors.ts";
import { readForm } from "../../../platform/http/body.ts";
import { requestUrl } from "../../../platform/http/request.ts";
import { asTyped, isText, KEY_LIMIT, usernameKey } from "../../../platform/text.ts";
import { attribute, CardPage, MessagePage, Problem, pageResponse, type Site } from "../../../ui/index.ts";
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
        const open = await openInvitation(deps, digestOf(token));
        const session = await deps.sessions.find(request);
        if (session && searchParams.get("as") !== "new") return signedInPage(deps, open, token, session);
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

export function readTyped(form: Map<string, string>): { typed: Typed; problem: string | undefined } {
  const typed = { username: (form.get("username") ?? "").trim(), name: (form.get("name") ?? "").trim() };
  const { text } = asTyped(typed.username, KEY_LIMIT);
  const isFine = text && usernameKey(text) && isText(typed.name, NAME_LIMIT);
  return { typed, problem: isFine ? undefined : "Enter a user name and a name of ordinary text." };
}

async function accept(deps: InvitationPagesDependencies, request: Request): Promise<Response> {
  const form = await readForm(request);
  const token = form.get("token") ?? "";
  const digest = digestOf(token);
  const open = await openInvitation(deps, digest);
  const { typed, problem: wrong } = readTyped(form);
  const password = form.get("new_password") ?? "";
  const again = (trouble: Trouble) => show(deps, request, open, token, typed, trouble);
  const stale = deps.forms.troubleWith(request, form.get("csrf"));
  if (stale) return again(stale);
  if (wrong) return again({ problem: wrong, status: 422 });
  const { tenantId, tenantName } = open;
  const owner = { ...typed, email: open.email, organisation: tenantName };
  const problem = await deps.passwordProblem({ tenantId, userId: 0, owner }, password);
  if (problem) return again({ problem, status: 422 });
  try {
    if (!(await deps.invitations.acceptByPassword(request, open, digest, typed, password))) throw deadLink();
  } catch (error) {
    if (!(error instanceof Conflict)) throw error;
    return again({ problem: error.errors.join(" "), status: 409 });
  }
  return welcomePage(deps, open);
}

export function welcomePage(
  { endpoints: { site } }: InvitationPagesDependencies,
  { tenantId, tenantName }: OpenInvitation,
): Promise<Response> {
  const lines = ["Your account is ready, and your mail address is verified.", "You can now sign in."];
  const next = { href: site.href(`/account?organisation=${tenantId}`), text: "Sign in" };
  return pageResponse(<MessagePage site={site} heading={`Welcome to ${tenantName}`} lines={lines} next={next} />);
}

export async function openInvitation(
  { invitations }: InvitationPagesDependencies,
  digest: Buffer,
): Promise<OpenInvitation> {
  const open = await invitations.find(digest);
  if (!open) throw deadLink();
  return open;
}

export const deadLink = () =>
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
  const page = <AcceptPage {...{ site, csrf, open, token, typed, problem, providers }} />;
  return pageResponse(page, { status, headers, cookies });
}

interface AcceptProps {
  site: Site;
  csrf: string;
  open: OpenInvitation;
  token: string;
  typed: Typed;
  problem: string | undefined;
  providers: OfferedProvider[];
}

function AcceptPage({ site, csrf, open, token, typed, problem, providers }: AcceptProps): JSX.Element {
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
        <NameFields typed={typed} problem={problem} />
        <NewPasswordField label="Password" problem={problem} />
        <button type="submit">Make the account</button>
      </form>
      {providers.length > 0 ? <ProviderForms {...{ site, csrf, token, providers }} /> : ""}
      <p class="note">If you do not expect this invitation, close this page.</p>
    </CardPage>
  );
}

export function NameFields({ typed, problem }: { typed: Typed; problem: string | undefined }): JSX.Element {
  return (
    <>
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
        aria-describedby={problem ? "problem" : undefined}
      />
    </>
  );
}

interface ProviderFormsProps {
  site: Site;
  csrf: string;
  token: string;
  providers: OfferedProvider[];
}

/** The other ways to accept an invitation. */
function ProviderForms({ site, csrf, token, providers }: ProviderFormsProps): JSX.Element {
  return (
    <section class="accounts others" aria-label="Other ways to accept">
      {providers.map(({ id, name }) => (
        <form method="post" action={site.href(PROVIDER_PATH)}>
          <input type="hidden" name="csrf" value={csrf} />
          <input type="hidden" name="token" value={attribute(token)} />
          <input type="hidden" name="provider" value={String(id)} />
          <button type="submit" class="outline" safe>{`Accept with ${name}`}</button>
        </form>
      ))}
    </section>
  );
}
