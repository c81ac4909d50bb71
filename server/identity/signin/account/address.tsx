// The user's own mail address: confirmed, or changed to one that is confirmed first.

import { NotFound } from "../../../platform/errors.ts";
import { readForm } from "../../../platform/http/body.ts";
import { requestUrl } from "../../../platform/http/request.ts";
import { isMailAddress } from "../../../platform/mail-address.ts";
import { attribute, CardPage, Problem, pageResponse, Text, texts } from "../../../ui/index.ts";
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

export async function sendVerification(deps: AccountDependencies, visit: AccountVisit): Promise<Response> {
  const { request, session } = visit;
  const { tenantId, userId } = session;
  const form = await readForm(request);
  deps.forms.require(request, form.get("csrf"), session);
  const { address, canVerify } = await ownAddress(deps, session);
  if (!canVerify) return toAccount(deps, request);
  const isSent = await deps.sql.beginFor(tenantId, (tx) =>
    deps.confirmAddress(tx, tenantId, userId, address, texts.speak(request).code),
  );
  return toAccount(deps, request, isSent ? "verification" : "manyMails");
}

export async function changePage(
  deps: AccountDependencies,
  { request, session }: AccountVisit,
  { typed = "", problem, status, headers }: Partial<Trouble> & { typed?: string } = {},
): Promise<Response> {
  const own = await ownAddress(deps, session);
  if (!own.canChange) return toAccount(deps, request);
  const { csrf, cookies } = deps.forms.protect(request, session);
  const { asksPassword, asksCode } = await proofAsked(deps, session);
  const { site } = deps.endpoints;
  const language = texts.speak(request);
  const { t } = language;
  const page = (
    <CardPage {...{ site, language, problem }} title={t.changeAddress} organisation={session.tenantName}>
      <h1 safe>{t.changeAddress}</h1>
      <p class="lead">
        {own.address ? (
          <texts.Say text={t.addressUntil} values={{ address: own.address }} />
        ) : (
          <Text text={t.addressByLink} />
        )}
      </p>
      <Problem text={problem} />
      <form method="post" action={site.href(CHANGE_PATH)}>
        <input type="hidden" name="csrf" value={csrf} />
        <label for="address" safe>
          {t.newAddress}
        </label>
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
        {asksPassword ? <PasswordField t={t} problem={problem} /> : ""}
        {asksCode ? <CodeField label={t.codeOrRecovery} problem={problem} /> : ""}
        <button type="submit" safe>
          {t.sendLink}
        </button>
      </form>
      <BackLink site={site} t={t} />
    </CardPage>
  );
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
  if (!canChange) return toAccount(deps, request);
  const stale = deps.forms.troubleWith(request, form.get("csrf"), session);
  if (stale) return again(stale);
  const language = texts.speak(request);
  const { t } = language;
  if (!isMailAddress(typed)) {
    return again({ problem: texts.fill(t.notAnAddress, { example: "ana@example.com" }), status: 422 });
  }
  if (typed === address && isVerified) return again({ problem: t.sameAddress, status: 422 });
  const trouble = await troubleWithProof(deps, visit, form);
  if (trouble) return again(trouble);
  const isSent = await deps.sql.beginFor(tenantId, (tx) =>
    deps.confirmAddress(tx, tenantId, userId, typed, language.code),
  );
  if (isSent) return toAccount(deps, request, "verification");
  return again({ problem: t.manyMailsToAddress, status: 429, headers: { "retry-after": "3600" } });
}

/** The link of a mail. GET does not use it up, because mail programs open links in advance. */
export async function confirmPage(deps: AccountDependencies, { request, session }: AccountVisit): Promise<Response> {
  const token = requestUrl(request).searchParams.get("token") ?? "";
  const link = await linkOf(deps, session, token);
  const { csrf, cookies } = deps.forms.protect(request, session);
  const { site } = deps.endpoints;
  const language = texts.speak(request);
  const { t } = language;
  const page = (
    <CardPage site={site} language={language} title={t.confirmAddress} organisation={session.tenantName}>
      <h1 safe>{t.confirmAddress}</h1>
      <p class="lead">
        <texts.Say text={t.becomesAddress} values={{ address: link.address, user: nameOf(session, t) }} />
      </p>
      <form method="post" action={site.href(ADDRESS_PATH)}>
        <input type="hidden" name="csrf" value={csrf} />
        <input type="hidden" name="token" value={attribute(token)} />
        <button type="submit" safe>
          {t.confirm}
        </button>
      </form>
      <p class="note" safe>
        {t.ifNotAsked}
      </p>
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
  return toAccount(deps, request, "address");
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

const deadLink = () => new NotFound(texts.ERRORS.addressLink);
