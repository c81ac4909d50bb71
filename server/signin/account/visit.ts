// A visit to the account pages, and where it goes on.

import type { Sql } from "../../db/sql.ts";
import { NO_STORE } from "../../http/conditions.ts";
import type { TenantId } from "../../ids.ts";
import { type Cookies, flashCookie } from "../cookies.ts";
import type { PageEndpoints } from "../endpoint.tsx";
import type { Forms } from "../forms.ts";
import type { KnownBrowsers } from "../known-browsers.ts";
import type { OwnPassword } from "../password.ts";
import type { SecondFactor } from "../second-factor/second-factor.ts";
import type { Caller, Session, Sessions } from "../session.ts";
import type { SignIn } from "../sign-in.ts";
import type { Upstream } from "../upstream/upstream.ts";
import type { AllowedApplication } from "./account-page.tsx";
import type { Credentials } from "./credentials.ts";
import type { LinkedAccounts } from "./providers/linked.ts";

/** A request to an account page by its user. */
export interface Visit {
  request: Request;
  caller: Caller;
  session: Session;
}

export const ACCOUNT_PATH = "/account";

/** Where somebody signs in to the account pages, by an application. */
export function signInTarget(clientId: string): string {
  return `${ACCOUNT_PATH}?${new URLSearchParams({ client_id: clientId })}`;
}

export function isSignInTarget(target: string): boolean {
  return target.startsWith(`${ACCOUNT_PATH}?`);
}

/** What the account page says of what has just been done. */
export const TOLD = {
  password: "Your password is changed. You are signed out everywhere else.",
  enrolled: "Your authenticator app is set up.",
  removed: "Your authenticator app is removed.",
  session: "That browser is signed out.",
  sessions: "You are signed out everywhere else.",
  linked: "It is linked. From now on you can sign in with it.",
  unlinked: "It is unlinked, and no longer signs you in.",
  grant: "The application's access is revoked.",
};

/** Goes on to the account page: 303, so that no form is sent twice. */
export function toAccount(
  { endpoints: { site }, cookies }: Pick<AccountDependencies, "endpoints" | "cookies">,
  done?: keyof typeof TOLD,
  more: string[] = [],
): Response {
  const headers = new Headers({ location: site.href(ACCOUNT_PATH), ...NO_STORE });
  if (done) headers.append("set-cookie", flashCookie(cookies, TOLD[done]));
  for (const cookie of more) headers.append("set-cookie", cookie);
  return new Response(null, { status: 303, headers });
}

/** How the pages name who is signed in. */
export function nameOf({ name, username }: Pick<Session, "name" | "username">): string {
  return name && username && name !== username ? `${name} (${username})` : username || name || "a user without a name";
}

export interface SigningApplication {
  tenantId: TenantId;
  /** Where its users sign in, if not here; `allowLocal`: they may also do so here. */
  identityProvider: { id: number; allowLocal: boolean } | null;
}

/** What the account pages have of the OAuth provider. */
export interface Applications {
  /**
   * The application that somebody signs in by. Where there is none, or it is inactive, it is one of a tenant that there is
   * not, so that nobody can sign in and nobody can tell.
   */
  find(clientId: string): Promise<SigningApplication>;
  allowed(tenantId: TenantId, userId: number): Promise<AllowedApplication[]>;
  /** Ends what came of it, too. */
  revoke(request: Request, tenantId: TenantId, userId: number, clientId: string): Promise<void>;
}

export interface AccountDependencies {
  sql: Sql;
  cookies: Cookies;
  forms: Forms;
  sessions: Sessions;
  signIn: SignIn;
  ownPassword: OwnPassword;
  secondFactor: SecondFactor;
  browsers: KnownBrowsers;
  credentials: Credentials;
  upstream: Upstream;
  linkedAccounts: LinkedAccounts;
  applications: Applications;
  endpoints: PageEndpoints;
}
