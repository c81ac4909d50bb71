// The accounts at other providers by which a user can sign in here.

import { type Origin, originOf, recordAudit } from "../../../audit/index.ts";
import type { Queries, Sql } from "../../../db/sql.ts";
import type { TenantId } from "../../../ids.ts";
import { digestOf } from "../../opaque.ts";
import type { Session } from "../../session.ts";
import { hasPasswordToSignInWith } from "../../store.ts";
import { authorityOf } from "../../upstream/configuration.ts";
import {
  deleteIdentity,
  type LinkedIdentity,
  listIdentities,
  lockUser,
  type SubjectKey,
} from "../../upstream/store.ts";
import type { EndGrants } from "../credentials.ts";
import { deleteSessionsBy } from "../store.ts";

export interface LinkedAccount {
  /** What a form names it by. */
  key: string;
  providerId: number;
  provider: string;
  /** What the provider calls the user, for there may be several of one provider. */
  subject: string;
  linkedOn: Date;
  /** It signs the user in: the provider is switched on, and still the one that was linked. */
  isUsable: boolean;
}

export interface LinkedAccounts {
  list(tenantId: TenantId, userId: number): Promise<LinkedAccount[]>;
  /**
   * Unlinks one of the user's own, unless nothing would be left to sign in with; sessions begun by its provider end in
   * other browsers.
   */
  unlink(request: Request, session: Session, key: string): Promise<"unlinked" | "last-way-in" | "not-there">;
}

export function createLinkedAccounts(sql: Sql, endGrants: EndGrants): LinkedAccounts {
  return {
    async list(tenantId, userId) {
      return (await listIdentities(sql, tenantId, userId)).map(toLinkedAccount);
    },
    unlink(request, { id: sessionId, tenantId, userId }, key) {
      return sql.beginFor(tenantId, async (tx) => {
        // Two that are unlinked at once would each take the other for the one that is left.
        await lockUser(tx, tenantId, userId);
        const all = await listIdentities(tx, tenantId, userId);
        const gone = all.find((identity) => keyOf(identity) === key);
        if (!gone) return "not-there";
        const others = all.filter((identity) => identity !== gone);
        const isWayLeft = others.some(isUsable) || (await hasPasswordToSignInWith(tx, tenantId, userId));
        if (!isWayLeft) return "last-way-in";
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
  /** A session that stays, though the provider began it. */
  exceptSessionId?: string;
}

/** With it go the sessions that its provider has begun, and what came of them. */
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

/** A subject is any text, and may be long. */
export function keyOf({ providerId, authority, subject }: SubjectKey): string {
  return digestOf(JSON.stringify([providerId, authority, subject])).toString("base64url");
}

export function isUsable(identity: LinkedIdentity): boolean {
  return identity.isActive && identity.authority === authorityOf(identity);
}
