import type { Logger } from "pino";
import type { Sql } from "../../db/sql.ts";
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
import type { FindApis } from "../apis/known-apis.ts";
import type { FindKnownClient } from "../clients/known-clients.ts";
import type { FindLogo } from "../clients/logos.ts";
import type { Tokens } from "../tokens/tokens.ts";
import type { ClientDependencies } from "./checks/client.ts";
import type { Devices } from "./device.ts";
import type { PushedRequests } from "./pushed.ts";
import type { OpenRequestObject } from "./request-object.ts";

export interface AuthorizeDependencies {
  sql: Sql;
  consoleClient: ClientDependencies["consoleClient"];
  tokens: Tokens;
  findApis: FindApis;
  issuer: string;
  pushedRequests: PushedRequests;
  findClient: FindKnownClient;
  findLogo: FindLogo;
  refreshClient: (request: Request, clientId: string | undefined) => Promise<void>;
  openRequestObject: OpenRequestObject;
  devices: Devices;
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
