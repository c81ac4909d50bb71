import type { Sql } from "../../db/connection.ts";
import type { TenantId } from "../../tenant-id.ts";
import type { Cookies } from "../cookies.ts";
import type { Forms } from "../forms.ts";
import type { KnownBrowsers } from "../known-browsers.ts";
import type { OwnPassword } from "../own-password.ts";
import type { PageEndpoints } from "../pages/endpoint.tsx";
import type { SecondFactor } from "../second-factor/second-factor.ts";
import type { Sessions } from "../sessions.ts";
import type { SignIn } from "../sign-in.ts";
import type { Upstream } from "../upstream/upstream.ts";
import type { AllowedApplication } from "./account-page.tsx";
import type { Credentials } from "./credentials.ts";
import type { LinkedAccounts } from "./providers/linked.ts";

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
