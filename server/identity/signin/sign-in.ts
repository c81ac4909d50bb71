import type { Sql } from "../../platform/db/sql.ts";
import type { TenantId } from "../../platform/ids.ts";
import { isText, TEXT_LIMIT } from "../../platform/text.ts";
import { originOf } from "../../records/index.ts";
import { type Account, findAccounts } from "./accounts.store.ts";
import type { Cookies } from "./cookies.ts";
import { adopt } from "./imported-passwords.ts";
import type { KnownBrowsers } from "./known-browsers.ts";
import { digestOf } from "./opaque.ts";
import type { Passwords } from "./password.ts";
import { ACR, type Authentication, type Visitor } from "./session.ts";
import { usernameKey } from "./store.ts";
import { admit, countSuccess, noteFailure, noteThrottled, type SignInTry } from "./throttle.ts";

export type SignInOutcome =
  | { outcome: "authenticated"; authentication: Authentication; needsSecondFactor: boolean; cookies: string[] }
  /** One outcome for a wrong password, an unknown or inactive account, and an ambiguous name. */
  | { outcome: "refused" }
  | { outcome: "throttled"; retryAfter: number };

export interface PasswordSignIn {
  tenantId: TenantId;
  clientId?: string;
  username: string;
  password: string;
  visitor: Visitor;
  /** The tenant comes from unauthenticated input and may not exist. */
  isNamed?: boolean;
}

export type SignIn = (request: Request, given: PasswordSignIn) => Promise<SignInOutcome>;

/** Its `cookies` make the browser a known one, unless a second factor is still required. */
export function createSignIn(sql: Sql, cookies: Cookies, passwords: Passwords, browsers: KnownBrowsers): SignIn {
  return async (request, { tenantId, clientId, username, password, visitor, isNamed }) => {
    if (!isUsername(username)) return { outcome: "refused" };
    const { address } = visitor;
    const offered = cookies.read(request, "device");
    const device = offered === undefined ? undefined : digestOf(offered);
    const key = await usernameKey(sql, username);
    const { accounts, decoy } = await findAccounts(sql, tenantId, key, device, address);
    const account = accounts.length === 1 ? accounts[0] : undefined;

    const knownDevice = account?.knownDevice ? device : undefined;
    const knownAddress = account?.knownAddress ?? false;
    const attempt: SignInTry = {
      tenantId,
      account: key,
      factor: "password",
      address,
      knownDevice,
      knownAddress,
      isNamed,
    };
    const retryAfter = await admit(sql, attempt);
    const origin = originOf(request, { clientId });
    const subject = account && { type: "User", id: account.id };
    if (retryAfter !== undefined) {
      await noteThrottled(sql, attempt, origin, subject);
      return { outcome: "throttled", retryAfter };
    }

    const stored = account?.isActive && account.hash !== null ? { ...account, hash: account.hash } : undefined;
    if (!(await passwords.verify(tenantId, password, stored, decoy)) || !stored) {
      const details = { Reason: reasonOf(accounts) };
      await noteFailure(sql, attempt, origin, { kind: "SignIn.Failed", subject, details });
      return { outcome: "refused" };
    }
    await countSuccess(sql, attempt);
    const { id, needsSecondFactor } = stored;
    const own = stored.isImported && (await adopt(sql, passwords, { tenantId, id }, password, stored.hash));
    const user = { tenantId, userId: id };
    return {
      outcome: "authenticated",
      authentication: { ...user, clientId, amr: ["pwd"], acr: ACR.oneFactor, passwordHash: own || stored.hash },
      needsSecondFactor,
      cookies: needsSecondFactor ? [] : [await browsers.remember(request, user, address)],
    };
  };
}

/** For the audit log only; the user sees one message for all reasons. */
function reasonOf(accounts: Account[]): string {
  const [account, second] = accounts;
  if (!account) return "UnknownUser";
  if (second) return "AmbiguousUser";
  if (!account.isActive) return "InactiveUser";
  if (account.isExpired) return "ExpiredPassword";
  return account.hash === null ? "NoPassword" : "WrongPassword";
}

/** PostgreSQL's text type cannot store NUL. */
function isUsername(text: string): boolean {
  return text !== "" && isText(text, TEXT_LIMIT);
}
