import type { Logger } from "pino";
import type { Sql } from "../../db/connection.ts";
import type { MasterKey } from "../../master-key.ts";
import type {
  AccountReturns,
  Cookies,
  Forms,
  KnownBrowsers,
  OwnPassword,
  PageEndpoints,
  SecondFactor,
  Sessions,
  SignIn,
  Upstream,
} from "../../signin/index.ts";
import type { Tokens } from "../tokens/tokens.ts";

/** What signing a user in at a client takes. */
export interface AuthorizeDependencies {
  sql: Sql;
  masterKey: MasterKey;
  tokens: Tokens;
  issuer: string;
  cookies: Cookies;
  forms: Forms;
  sessions: Sessions;
  signIn: SignIn;
  ownPassword: OwnPassword;
  secondFactor: SecondFactor;
  browsers: KnownBrowsers;
  upstream: Upstream;
  accountReturns: AccountReturns;
  endpoints: PageEndpoints;
  log: Logger;
}
