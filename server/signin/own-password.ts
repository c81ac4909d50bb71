import { originOf } from "../audit/index.ts";
import type { Sql } from "../db/connection.ts";
import type { KnownBrowsers } from "./known-browsers.ts";
import type { Passwords } from "./password.ts";
import { noteFailure, noteThrottled } from "./refusals.ts";
import type { CheckOutcome } from "./second-factor/second-factor.ts";
import type { Caller, Session } from "./sessions.ts";
import { findPasswordHash, usernameKey } from "./store.ts";
import { admit, countSuccess } from "./throttle.ts";

/** The password of who has a session, asked for again before what only its owner may do. */
export interface OwnPassword {
  /** Who signs in elsewhere may have none. */
  exists(session: Session): Promise<boolean>;
  /** As slowed down as at sign-in. @throws TenantBusy */
  check(request: Request, session: Session, password: string, caller: Caller): Promise<CheckOutcome>;
}

export function createOwnPassword(sql: Sql, passwords: Passwords, browsers: KnownBrowsers): OwnPassword {
  return {
    exists: async ({ tenantId, userId }) => (await findPasswordHash(sql, tenantId, userId)) !== undefined,
    async check(request, session, password, { address }) {
      const { tenantId, userId, username } = session;
      const known = await browsers.recognize(request, session, address);
      const account = await usernameKey(sql, username);
      const attempt = { tenantId, account, factor: "password", address, ...known } as const;
      const retryAfter = await admit(sql, attempt);
      const subject = { type: "User", id: userId };
      if (retryAfter !== undefined) {
        await noteThrottled(sql, attempt, originOf(request, {}), subject);
        return { outcome: "throttled", retryAfter };
      }
      if (!(await passwords.verify(tenantId, password, await findPasswordHash(sql, tenantId, userId)))) {
        const details = { Reason: "WrongPassword" };
        await noteFailure(sql, attempt, originOf(request, {}), { kind: "SignIn.Failed", subject, details });
        return { outcome: "wrong" };
      }
      await countSuccess(sql, attempt);
      return { outcome: "right" };
    },
  };
}
