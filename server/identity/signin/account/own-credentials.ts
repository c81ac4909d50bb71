// A user's own password and sessions. A new password ends the other sessions, with the tokens issued from them.

import type { Queries, Sql } from "../../../platform/db/sql.ts";
import { Conflict } from "../../../platform/errors.ts";
import type { Details } from "../../../platform/http/contract.ts";
import type { TenantId } from "../../../platform/ids.ts";
import { type AuditEntry, originOf, ownRecords, recordAudit } from "../../../records/index.ts";
import { texts } from "../../../ui/index.ts";
import type { WarnOwner } from "../links/mailed.ts";
import { findRecipient, type MailedLink, takeLink } from "../links/store.ts";
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
  /** Ends every session of the user, if the link does. @returns false if it is invalid or expired @throws TenantBusy */
  resetPassword(request: Request, reset: PasswordReset, token: string, password: string): Promise<boolean>;
  /** The new address of a user, or the confirmation of the present one. @returns false if the link is void or expired */
  confirmAddress(request: Request, session: Session, link: MailedLink, token: string): Promise<boolean>;
  /** @param id any session's Id; sessions of other users are ignored */
  endSession(request: Request, session: Session, id: string): Promise<void>;
  endOtherSessions(request: Request, session: Session): Promise<void>;
}

interface CredentialsDependencies {
  sql: Sql;
  passwords: Passwords;
  endGrants: EndGrants;
  warnOwner: WarnOwner;
}

export function createCredentials(deps: CredentialsDependencies): AccountCredentials {
  const { sql, passwords, endGrants, warnOwner } = deps;
  return {
    async changePassword(request, { id, tenantId, userId }, password) {
      const hash = await passwords.hash(tenantId, password);
      await sql.beginFor(tenantId, async (tx) => {
        await savePassword(tx, tenantId, userId, hash);
        // A concurrent change of the password has ended this session and takes precedence.
        if (!(await isSession(tx, tenantId, userId, id))) {
          throw new Conflict(texts.ERRORS.signedOut);
        }
        await endSessions(tx, endGrants, tenantId, userId, id);
        await recordOwn(tx, request, tenantId, userId, { kind: "Password.Changed" });
        await warnOwner(tx, tenantId, userId, "password");
      });
    },
    async resetPassword(request, { tenantId, userId, endsSessions }, token, password) {
      const hash = await passwords.hash(tenantId, password);
      return sql.beginFor(tenantId, async (tx) => {
        if (!(await takeReset(tx, tenantId, digestOf(token)))) return false;
        await savePassword(tx, tenantId, userId, hash);
        if (endsSessions) await endSessions(tx, endGrants, tenantId, userId);
        await recordOwn(tx, request, tenantId, userId, { kind: "Password.Reset" });
        await warnOwner(tx, tenantId, userId, "password");
        return true;
      });
    },
    async confirmAddress(request, { tenantId, userId }, { address }, token) {
      return sql.beginFor(tenantId, async (tx) => {
        const before = await findRecipient(tx, tenantId, userId);
        if (!(await takeLink(tx, tenantId, "Address", digestOf(token), userId)) || !before) return false;
        await ownRecords.changeOwnUser(tx, tenantId, userId, { Email: address }, { Email: address });
        const isOther = before.address !== address;
        const details: Details = isOther ? { Changed: ["Email"] } : {};
        await recordOwn(tx, request, tenantId, userId, { kind: "Address.Verified", details });
        if (isOther) await warnOwner(tx, tenantId, userId, "mail address", before);
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
