// Returns an account to its owner, who disowns a change of a credential by the link of a mail.

import type { Sql } from "../../../platform/db/sql.ts";
import { originOf, ownRecords, recordAudit } from "../../../records/index.ts";
import { texts } from "../../../ui/index.ts";
import type { ForgottenPasswords } from "../links/forgotten.ts";
import { LIFETIME } from "../links/mailed.ts";
import { type MailedLink, takeLink } from "../links/store.ts";
import { digestOf, newOpaqueValue } from "../opaque.ts";
import { deleteRecentPasskeys, hasPasskey } from "../passkeys/store.ts";
import type { Passwords } from "../password.ts";
import { voidResets } from "../password-reset.store.ts";
import { findPassword, savePassword } from "../store.ts";
import { listIdentities } from "../upstream/store.ts";
import { keepsWayIn } from "../ways-in.ts";
import { type EndGrants, endSessions } from "./own-credentials.ts";
import { unlinkIdentity } from "./providers/linked.ts";

/**
 * Ends every session, restores the address, removes recent passkeys and linked accounts, makes the password unusable, and mails a link
 * to set a new one. @returns false if the link is void or expired @throws TenantBusy
 */
export type TakeBack = (request: Request, link: MailedLink, token: string) => Promise<boolean>;

interface TakeBackDependencies {
  sql: Sql;
  passwords: Passwords;
  endGrants: EndGrants;
  forgotten: Pick<ForgottenPasswords, "canSend" | "send">;
}

export function createTakeBack({ sql, passwords, endGrants, forgotten }: TakeBackDependencies): TakeBack {
  return async (request, { tenantId, userId, address, username, name }, token) => {
    const unknown = await passwords.hash(tenantId, newOpaqueValue());
    return sql.beginFor(tenantId, async (tx) => {
      if (!(await takeLink(tx, tenantId, "Alarm", digestOf(token), userId))) return false;
      const actor = { type: "User", id: userId } as const;
      const origin = originOf(request, { actor });
      await ownRecords.changeOwnUser(tx, tenantId, userId, { Email: address }, { Email: address });
      const language = texts.speak(request).code;
      const hasPassword = (await findPassword(tx, tenantId, userId)) !== undefined;
      if (hasPassword) {
        for (const identity of await listIdentities(tx, tenantId, userId)) {
          const isRecent = Date.now() - identity.linkedOn.getTime() < LIFETIME.alarm * 1_000;
          if (isRecent) await unlinkIdentity(tx, endGrants, origin, { tenantId, userId, identity });
        }
        await savePassword(tx, tenantId, userId, unknown);
      }
      for (const { id } of await deleteRecentPasskeys(tx, tenantId, userId, LIFETIME.alarm)) {
        await recordAudit(tx, tenantId, origin, {
          kind: "Passkey.Removed",
          subject: actor,
          details: { PasskeyId: id },
        });
      }
      const identities = await listIdentities(tx, tenantId, userId);
      const kept = { hasPasskey: await hasPasskey(tx, tenantId, userId), identities };
      const isLinkNeeded = hasPassword || !(await keepsWayIn(tx, tenantId, userId, kept));
      await voidResets(tx, tenantId, userId);
      await endSessions(tx, endGrants, tenantId, userId);
      await recordAudit(tx, tenantId, origin, { kind: "Account.TakenBack", subject: actor });
      if (isLinkNeeded && forgotten.canSend) {
        await forgotten.send(tx, origin, tenantId, { id: userId, name: name || username, address }, language);
      }
      return true;
    });
  };
}
