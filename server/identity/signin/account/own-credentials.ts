// A user's own password and sessions. A new password ends the other sessions, with the tokens issued from them.

import type { Queries, Sql } from "../../../platform/db/sql.ts";
import { Conflict } from "../../../platform/errors.ts";
import type { TenantId } from "../../../platform/ids.ts";
import { type AuditEntry, originOf, recordAudit } from "../../../records/index.ts";
import { digestOf } from "../opaque.ts";
import type { Passwords } from "../password.ts";
import { type PasswordReset, takeReset } from "../password-reset.store.ts";
import type { Session } from "../session.ts";
import { isSession, savePassword } from "../store.ts";
import { deleteOtherSessions, deleteUsersSession } from "./store.ts";

/** Ends the codes and token families of a user's sessions: of one, of all but one, or of all. */
export type EndGrants = (
  tx: Queries,
  tenantId: TenantId,
  userId: number,
  which: { sessionId: string } | { exceptSessionId: string | undefined },
) => Promise<void>;

export interface AccountCredentials {
  /** Ends every other session of the user. @throws TenantBusy, Conflict if the current one has ended meanwhile */
  changePassword(request: Request, session: Session, password: string): Promise<void>;
  /** Ends every session of the user. @returns false if the link is invalid or expired @throws TenantBusy */
  resetPassword(request: Request, reset: PasswordReset, token: string, password: string): Promise<boolean>;
  /** @param id any session's Id; sessions of other users are ignored */
  endSession(request: Request, session: Session, id: string): Promise<void>;
  endOtherSessions(request: Request, session: Session): Promise<void>;
}

export function createCredentials(sql: Sql, passwords: Passwords, endGrants: EndGrants): AccountCredentials {
  return {
    async changePassword(request, { id, tenantId, userId }, password) {
      const hash = await passwords.hash(tenantId, password);
      await sql.beginFor(tenantId, async (tx) => {
        await savePassword(tx, tenantId, userId, hash);
        // A concurrent change of the password has ended this session and takes precedence.
        if (!(await isSession(tx, tenantId, userId, id))) {
          throw new Conflict("You have been signed out, so your password was not changed. Sign in again.");
        }
        await endSessions(tx, endGrants, tenantId, userId, id);
        await recordOwn(tx, request, tenantId, userId, { kind: "Password.Changed" });
      });
    },
    async resetPassword(request, { tenantId, userId }, token, password) {
      const hash = await passwords.hash(tenantId, password);
      return sql.beginFor(tenantId, async (tx) => {
        if (!(await takeReset(tx, tenantId, digestOf(token)))) return false;
        await savePassword(tx, tenantId, userId, hash);
        await endSessions(tx, endGrants, tenantId, userId);
        await recordOwn(tx, request, tenantId, userId, { kind: "Password.Reset" });
        return true;
      });
    },
    async endSession(request, { tenantId, userId }, id) {
      await sql.beginFor(tenantId, async (tx) => {
        if (!(await deleteUsersSession(tx, tenantId, userId, id))) return;
        await endGrants(tx, tenantId, userId, { sessionId: id });
        await recordOwn(tx, request, tenantId, userId, { kind: "Session.Revoked", details: { Sessions: "One" } });
      });
    },
    async endOtherSessions(request, { id, tenantId, userId }) {
      await sql.beginFor(tenantId, async (tx) => {
        await endSessions(tx, endGrants, tenantId, userId, id);
        await recordOwn(tx, request, tenantId, userId, { kind: "Session.Revoked", details: { Sessions: "Others" } });
      });
    },
  };
}

/** Ends a user's sessions and their grants. @param except a session that stays @returns the number of sessions ended */
export async function endSessions(
  tx: Queries,
  endGrants: EndGrants,
  tenantId: TenantId,
  userId: number,
  except?: string,
): Promise<number> {
  const ended = await deleteOtherSessions(tx, tenantId, userId, except);
  await endGrants(tx, tenantId, userId, { exceptSessionId: except });
  return ended;
}

function recordOwn(
  tx: Queries,
  request: Request,
  tenantId: TenantId,
  userId: number,
  entry: AuditEntry,
): Promise<void> {
  const user = { type: "User", id: userId } as const;
  return recordAudit(tx, tenantId, originOf(request, { actor: user }), { ...entry, subject: user });
}
