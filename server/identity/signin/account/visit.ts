// A request to the account pages, and its redirects.

import type { Sql } from "../../../platform/db/sql.ts";
import { NO_STORE } from "../../../platform/http/conditions.ts";
import type { Export } from "../../../platform/http/export.ts";
import type { TenantId } from "../../../platform/ids.ts";
import { texts } from "../../../ui/index.ts";
import type { Cookies } from "../cookies.ts";
import type { PageEndpoints } from "../endpoint.tsx";
import type { Forms } from "../forms.ts";
import type { KnownBrowsers } from "../known-browsers.ts";
import type { ForgottenPasswords } from "../links/forgotten.ts";
import type { ConfirmAddress } from "../links/mailed.ts";
import type { Passkeys } from "../passkeys/passkeys.ts";
import type { OwnPassword, PasswordProblem } from "../password.ts";
import type { SecondFactor } from "../second-factor/second-factor.ts";
import type { Session, Sessions, Visitor } from "../session.ts";
import type { Upstream } from "../upstream/upstream.ts";
import type { AllowedApplication } from "./account-page.tsx";
import type { AccountCredentials } from "./own-credentials.ts";
import type { LinkedAccounts } from "./providers/linked.ts";
import type { TakeBack } from "./take-back.ts";

export interface AccountVisit {
  request: Request;
  visitor: Visitor;
  session: Session;
}

export const ACCOUNT_PATH = "/account";

/** The authorization request of the account pages, which ends with the user's session. */
export const ACCOUNT_SIGN_IN_PATH = "/account/sign-in";

/** @param application the client_id that selects the tenant @param next the page to return to */
export function accountSignIn(application: string, next: string): string {
  return `${ACCOUNT_SIGN_IN_PATH}?${new URLSearchParams({ application, next })}`;
}

/** Redirects to the account page with 303, so reloading does not repeat the POST. */
export function toAccount(
  { endpoints: { site }, cookies }: Pick<AccountDependencies, "endpoints" | "cookies">,
  request: Request,
  done?: keyof texts.Texts["notices"],
  more: string[] = [],
): Response {
  const headers = new Headers({ location: site.href(ACCOUNT_PATH), ...NO_STORE });
  if (done) headers.append("set-cookie", cookies.setNotice(texts.speak(request).t.notices[done]));
  for (const cookie of more) headers.append("set-cookie", cookie);
  return new Response(null, { status: 303, headers });
}

export function nameOf({ name, username }: Pick<Session, "name" | "username">, t: texts.Texts): string {
  if (name && username && name !== username) return texts.fill(t.personAndUserName, { name, username });
  return username || name || t.namelessUser;
}

export interface Applications {
  allowed(tenantId: TenantId, userId: number, language: texts.Language): Promise<AllowedApplication[]>;
  revoke(request: Request, tenantId: TenantId, userId: number, clientId: string): Promise<void>;
  /** Also for an inactive one. */
  isOf(tenantId: TenantId, clientId: string): Promise<boolean>;
}

export interface AccountDependencies {
  sql: Sql;
  cookies: Cookies;
  forms: Forms;
  sessions: Sessions;
  ownPassword: OwnPassword;
  passwordProblem: PasswordProblem;
  secondFactor: SecondFactor;
  passkeys: Passkeys;
  browsers: KnownBrowsers;
  credentials: AccountCredentials;
  forgotten: Pick<ForgottenPasswords, "canSend">;
  confirmAddress: ConfirmAddress;
  takeBack: TakeBack;
  upstream: Upstream;
  linkedAccounts: LinkedAccounts;
  applications: Applications;
  /** All data about the person. @param isStill whether the person is still signed in */
  exportOwn(
    request: Request,
    person: { tenantId: TenantId; userId: number },
    isStill: () => Promise<boolean>,
  ): Promise<Export>;
  endpoints: PageEndpoints;
  /** The address at which a user of the tenant signs in anew, and then reaches the account page. */
  signInAgain(tenantId: TenantId, next: string): string;
}
