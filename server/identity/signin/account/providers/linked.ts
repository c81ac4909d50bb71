// The provider accounts by which a user can sign in.

import type { Queries, Sql } from "../../../../platform/db/sql.ts";
import type { TenantId } from "../../../../platform/ids.ts";
import { type Origin, originOf, recordAudit } from "../../../../records/index.ts";
import { digestOf } from "../../opaque.ts";
import { hasPasskey } from "../../passkeys/store.ts";
import type { Session } from "../../session.ts";
import { isUsable } from "../../upstream/configuration.ts";
import {
  deleteIdentity,
  type LinkedIdentity,
  listIdentities,
  lockUser,
  type SubjectKey,
} from "../../upstream/store.ts";
import { keepsWayIn } from "../../ways-in.ts";
import type { EndGrants } from "../own-credentials.ts";
import { deleteSessionsBy } from "../store.ts";

export interface LinkedAccount {
  key: string;
  providerId: number;
  provider: string;
  /** The provider's subject; a user may have several accounts at one provider. */
  subject: string;
  linkedOn: Date;
  /** The provider is active and still has the authority that was linked. */
  isUsable: boolean;
}

export interface LinkedAccounts {
  list(tenantId: TenantId, userId: number): Promise<LinkedAccount[]>;
  /** Refuses the last way to sign in. Ends the provider's sessions in other browsers. */
  unlink(request: Request, session: Session, key: string): Promise<"unlinked" | "last-way-in" | "not-there">;
}

export function createLinkedAccounts(sql: Sql, endGrants: EndGrants): LinkedAccounts {
  return {
    async list(tenantId, userId) {
      return (await listIdentities(sql, tenantId, userId)).map(toLinkedAccount);
    },
    unlink(request, { id: sessionId, tenantId, userId }, key) {
      return sql.beginFor(tenantId, async (tx) => {
        await lockUser(tx, tenantId, userId);
        const all = await listIdentities(tx, tenantId, userId);
        const gone = all.find((identity) => keyOf(identity) === key);
        if (!gone) return "not-there";
        const others = all.filter((identity) => identity !== gone);
        const kept = { hasPasskey: await hasPasskey(tx, tenantId, userId), identities: others };
        if (!(await keepsWayIn(tx, tenantId, userId, kept))) return "last-way-in";
        const origin = originOf(request, { actor: { type: "User", id: userId } });
        await unlinkIdentity(tx, endGrants, origin, { tenantId, userId, identity: gone, exceptSessionId: sessionId });
        return "unlinked";
      }) as Promise<"unlinked" | "last-way-in" | "not-there">;
    },
  };
}

export interface Unlinking {
  tenantId: TenantId;
  userId: number;
  identity: LinkedIdentity;
  /** A session that stays, although the provider began it. */
  exceptSessionId?: string;
}

/** Also ends the sessions that the provider has begun, and their grants. */
export async function unlinkIdentity(
  tx: Queries,
  endGrants: EndGrants,
  origin: Origin,
  { tenantId, userId, identity, exceptSessionId }: Unlinking,
): Promise<void> {
  await deleteIdentity(tx, tenantId, identity);
  for (const ended of await deleteSessionsBy(tx, tenantId, userId, identity.providerId, exceptSessionId)) {
    await endGrants(tx, tenantId, userId, { sessionId: ended });
  }
  await recordAudit(tx, tenantId, origin, {
    kind: "Identity.Unlinked",
    subject: { type: "User", id: userId },
    details: { IdentityProviderId: String(identity.providerId) },
  });
}

function toLinkedAccount(identity: LinkedIdentity): LinkedAccount {
  const { providerId, name, subject, linkedOn } = identity;
  return { key: keyOf(identity), providerId, provider: name, subject, linkedOn, isUsable: isUsable(identity) };
}

/** A digest, because a subject can be long and contain any characters. */
export function keyOf({ providerId, authority, subject }: SubjectKey): string {
  return digestOf(JSON.stringify([providerId, authority, subject])).toString("base64url");
}
