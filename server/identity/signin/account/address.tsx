// The user's own mail address: confirmed, or changed to one that is confirmed first.

import { NotFound } from "../../../platform/errors.ts";
import { readForm } from "../../../platform/http/body.ts";
import { requestUrl } from "../../../platform/http/request.ts";
import { isMailAddress } from "../../../platform/mail-address.ts";
import { attribute, CardPage, Problem, pageResponse, type Site } from "../../../ui/index.ts";
import { ADDRESS_PATH } from "../links/mailed.ts";
import { findLink, findRecipient, type MailedLink } from "../links/store.ts";
import { digestOf } from "../opaque.ts";
import { CodeField, PasswordField } from "../second-factor/pages.tsx";
import type { Session } from "../session.ts";
import type { Trouble } from "../throttle.ts";
import { BackLink, proofAsked, troubleWithProof } from "./guarded.tsx";
import { CHANGE_PATH, type OwnAddress } from "./own-address.ts";
import { type AccountDependencies, type AccountVisit, nameOf, toAccount } from "./visit.ts";

export async function ownAddress(deps: AccountDependencies, session: Session): Promise<OwnAddress> {
  const { canSend } = deps.forgotten;
  const [recipient, hasPassword] = await Promise.all([
    findRecipient(deps.sql, session.tenantId, session.userId),
    deps.ownPassword.exists(session),
  ]);
  const { address = "", isVerified = false } = recipient ?? {};
  return {
    ...{ address, isVerified },
    canVerify: canSend && !isVerified && isMailAddress(address),
    canChange: canSend && hasPassword,
  };
}

const MANY_MAILS: Trouble = {
  problem: "This address has had many mails in the last hour. Try again later.",
  status: 429,
  headers: { "retry-after": "3600" },
};

export async function sendVerification(deps: AccountDependencies, visit: AccountVisit): Promise<Response> {
  const { request, session } = visit;
  const { tenantId, userId } = session;
  const form = await readForm(request);
  deps.forms.require(request, form.get("csrf"), session);
  const { address, canVerify } = await ownAddress(deps, session);
  if (!canVerify) return toAccount(deps);
  const isSent = await deps.sql.beginFor(tenantId, (tx) => deps.confirmAddress(tx, tenantId, userId, address));
  return toAccount(deps, isSent ? "verification" : "manyMails");
}

export async function changePage(
  deps: AccountDependencies,
  { request, session }: AccountVisit,
  { typed = "", problem, status, headers }: Partial<Trouble> & { typed?: string } = {},
): Promise<Response> {
  const own = await ownAddress(deps, session);
  if (!own.canChange) return toAccount(deps);
  const { csrf, cookies } = deps.forms.protect(request, session);
  const asked = await proofAsked(deps, session);
  const { site } = deps.endpoints;
  const page = <ChangePage {...{ site, csrf, problem, typed, ...asked }} own={own} organisation={session.tenantName} />;
  return pageResponse(page, { status, headers, cookies });
}

/** The address stays until the new one is confirmed. */
export async function requestChange(deps: AccountDependencies, visit: AccountVisit): Promise<Response> {
  const { request, session } = visit;
  const { tenantId, userId } = session;
  const form = await readForm(request);
  const typed = (form.get("address") ?? "").trim();
  const again = (trouble: Trouble) => changePage(deps, visit, { typed, ...trouble });
  const { address, isVerified, canChange } = await ownAddress(deps, session);
  if (!canChange) return toAccount(deps);
  const stale = deps.forms.troubleWith(request, form.get("csrf"), session);
  if (stale) return again(stale);
  if (!isMailAddress(typed)) {
    return again({ problem: "Enter one mail address, such as ana@example.com.", status: 422 });
  }
  if (typed === address && isVerified) return again({ problem: "This is your address already.", status: 422 });
  const trouble = await troubleWithProof(deps, visit, form);
  if (trouble) return again(trouble);
  const isSent = await deps.sql.beginFor(tenantId, (tx) => deps.confirmAddress(tx, tenantId, userId, typed));
  return isSent ? toAccount(deps, "verification") : again(MANY_MAILS);
}

/** The link of a mail. GET does not use it up, because mail programs open links in advance. */
export async function confirmPage(deps: AccountDependencies, { request, session }: AccountVisit): Promise<Response> {
  const token = requestUrl(request).searchParams.get("token") ?? "";
  const link = await linkOf(deps, session, token);
  const { csrf, cookies } = deps.forms.protect(request, session);
  const { site } = deps.endpoints;
  const page = (
    <CardPage site={site} title="Confirm your address" organisation={session.tenantName}>
      <h1>Confirm your address</h1>
      <p class="lead">
        <strong safe>{link.address}</strong> becomes the mail address of <strong safe>{nameOf(session)}</strong>.
      </p>
      <form method="post" action={site.href(ADDRESS_PATH)}>
        <input type="hidden" name="csrf" value={csrf} />
        <input type="hidden" name="token" value={attribute(token)} />
        <button type="submit">Confirm</button>
      </form>
      <p class="note">If you did not ask for this, close this page.</p>
    </CardPage>
  );
  return pageResponse(page, { cookies });
}

export async function confirm(deps: AccountDependencies, { request, session }: AccountVisit): Promise<Response> {
  const form = await readForm(request);
  deps.forms.require(request, form.get("csrf"), session);
  const token = form.get("token") ?? "";
  const link = await linkOf(deps, session, token);
  if (!(await deps.credentials.confirmAddress(request, session, link, token))) throw deadLink();
  return toAccount(deps, "address");
}

/**
 * Only its own user can use a link: an address that someone else typed is not theirs because its owner opened the mail.
 * @throws NotFound
 */
async function linkOf({ sql }: AccountDependencies, session: Session, token: string): Promise<MailedLink> {
  const link = await findLink(sql, "Address", digestOf(token));
  if (!link || link.tenantId !== session.tenantId || link.userId !== session.userId) throw deadLink();
  return link;
}

function deadLink(): NotFound {
  return new NotFound(
    "This link was already used, has expired, or is for another account than the one that you are signed in to.",
  );
}

interface ChangePageProps {
  site: Site;
  csrf: string;
  own: OwnAddress;
  typed: string;
  problem: string | undefined;
  organisation: string;
  asksPassword: boolean;
  asksCode: boolean;
}

function ChangePage(props: ChangePageProps): JSX.Element {
  const { site, csrf, own, typed, problem, organisation, asksPassword, asksCode } = props;
  const title = problem ? "Error: Change your mail address" : "Change your mail address";
  return (
    <CardPage site={site} title={title} organisation={organisation}>
      <h1>Change your mail address</h1>
      {own.address ? (
        <p class="lead">
          It is <strong safe>{own.address}</strong> until you confirm the new one by a link in a mail.
        </p>
      ) : (
        <p class="lead">You confirm it by a link in a mail.</p>
      )}
      <Problem text={problem} />
      <form method="post" action={site.href(CHANGE_PATH)}>
        <input type="hidden" name="csrf" value={csrf} />
        <label for="address">New address</label>
        <input
          id="address"
          name="address"
          type="email"
          value={attribute(typed)}
          autocomplete="email"
          maxlength="254"
          required
          aria-describedby={problem ? "problem" : undefined}
          aria-invalid={problem ? "true" : undefined}
        />
        {asksPassword ? <PasswordField problem={problem} /> : ""}
        {asksCode ? <CodeField label="A code from your app, or a recovery code" problem={problem} /> : ""}
        <button type="submit">Send the link</button>
      </form>
      <BackLink site={site} />
    </CardPage>
  );
}
