// The accounts at other providers that a User signs in by.

import type { Caller } from "../../access/index.ts";
import type { Queries, Sql } from "../../db/connection.ts";
import { NotFound } from "../../errors.ts";
import type { Page } from "../../http/paging.ts";
import type { EndGrants } from "../account/credentials.ts";
import { isUsable, keyOf, unlinkIdentity } from "../account/providers/linked.ts";
import { type LinkedIdentity, listIdentities, lockUser } from "../upstream/store.ts";

export type IdentityRecord = ReturnType<typeof toIdentityRecord>;

/** @param userId in both of them as a path has it */
export interface IdentityAdministration {
  /** All of them, by the providers' names. @throws Permission, NotFound */
  listIdentities(caller: Caller, userId: string): Promise<Page<IdentityRecord>>;
  /**
   * Also ends the sessions that the provider has begun. It may be the User's last way in: a password link is another.
   * @returns its last state
   * @throws Permission, NotFound
   */
  unlinkIdentity(caller: Caller, userId: string, identityId: string): Promise<IdentityRecord>;
}

/** @returns the User, for who may do this with it */
export type OpenUser = (
  queries: Queries,
  caller: Caller,
  action: "Settings:Read" | "Settings:Update",
  userId: string,
) => Promise<{ id: number; record: Record<string, unknown> }>;

export function createIdentityAdministration(sql: Sql, open: OpenUser, endGrants: EndGrants): IdentityAdministration {
  return {
    async listIdentities(caller, userId) {
      const { id } = await open(sql, caller, "Settings:Read", userId);
      return { Items: (await listIdentities(sql, caller.tenantId, id)).map(toIdentityRecord), Next: null };
    },
    async unlinkIdentity(caller, userText, identityId) {
      const { tenantId } = caller;
      return sql.begin(async (tx) => {
        const { id: userId } = await open(tx, caller, "Settings:Update", userText);
        await lockUser(tx, tenantId, userId);
        const linked = await listIdentities(tx, tenantId, userId);
        const identity = linked.find((one) => keyOf(one) === identityId);
        if (!identity) throw new NotFound("The User has no linked identity with this Id.");
        await unlinkIdentity(tx, endGrants, caller, { tenantId, userId, identity });
        return toIdentityRecord(identity);
      });
    },
  };
}

function toIdentityRecord(identity: LinkedIdentity) {
  const { providerId, name, externalId, subject, linkedOn } = identity;
  return {
    Id: keyOf(identity),
    IdentityProvider: { Id: String(providerId), ExternalId: externalId ?? "", Name: name, Type: "IdentityProvider" },
    Subject: subject,
    LinkedOn: linkedOn.toISOString(),
    Is_Usable: isUsable(identity),
  };
}
