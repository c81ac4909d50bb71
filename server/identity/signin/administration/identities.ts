// The provider accounts by which a User signs in.

import { Type } from "@sinclair/typebox";
import type { Queries, Sql } from "../../../platform/db/sql.ts";
import { BadInput, Conflict, NotFound } from "../../../platform/errors.ts";
import { body } from "../../../platform/http/contract.ts";
import { field, type InputOf } from "../../../platform/http/fields.ts";
import type { Permitted, Shown, ShownPage } from "../../../records/index.ts";
import type { EndGrants } from "../account/own-credentials.ts";
import { keyOf, unlinkIdentity } from "../account/providers/linked.ts";
import { linkSubject } from "../upstream/accounts.ts";
import { authorityOf, isUsable } from "../upstream/configuration.ts";
import { SUBJECT_LIMIT } from "../upstream/identity.ts";
import { findProvider } from "../upstream/providers/store.ts";
import { findLinkedUser, type LinkedIdentity, listIdentities, lockUser } from "../upstream/store.ts";
import { IDENTITY, type IdentityRecord } from "./contract.ts";

const FIELDS = {
  IdentityProviderId: field<number>({
    sent: Type.String({ pattern: "^[1-9][0-9]{0,14}$" }),
    must: "must be an IdentityProvider's Id.",
    take: Number,
  }),
  Subject: field<string>({
    description: "The account's sub at the provider.",
    sent: Type.String({ minLength: 1, maxLength: SUBJECT_LIMIT, pattern: "^[^\\u0000]*[^\\s\\u0000][^\\u0000]*$" }),
    must: `must be a string of 1 to ${SUBJECT_LIMIT} characters.`,
  }),
};

export const IDENTITY_DATA = body(
  {
    name: "an Identity",
    must: "one object with IdentityProviderId and Subject",
    $id: "IdentityData",
    needs: ["IdentityProviderId", "Subject"],
  },
  FIELDS,
);

/** @param userId in both methods, as it appears in the path */
export interface IdentityAdministration {
  /** All of them, ordered by the providers' names. @throws Permission, NotFound */
  listIdentities(caller: Permitted<"Settings:Read">, userId: string): Promise<ShownPage<IdentityRecord>>;
  /** Can be repeated. @throws BadInput, Permission, NotFound, Conflict if it is linked to another User */
  linkIdentity(
    caller: Permitted<"Settings:Update">,
    userId: string,
    input: InputOf<typeof FIELDS>,
  ): Promise<Shown<IdentityRecord>>;
  /**
   * Also ends the sessions that the provider has begun. The User's last way to sign in can be removed, because an
   * administrator can send a password link.
   * @returns the link's last state @throws Permission, NotFound
   */
  unlinkIdentity(
    caller: Permitted<"Settings:Update">,
    userId: string,
    identityId: string,
  ): Promise<Shown<IdentityRecord>>;
}

/** @returns the User, if the caller is permitted this action on it */
export type OpenUser = <A extends "Settings:Read" | "Settings:Update">(
  queries: Queries,
  caller: Permitted<A>,
  action: A,
  userId: string,
) => Promise<{ id: number; record: Record<string, unknown> }>;

export function createIdentityAdministration(sql: Sql, open: OpenUser, endGrants: EndGrants): IdentityAdministration {
  return {
    async listIdentities(caller, userId) {
      const { id, record } = await open(sql, caller, "Settings:Read", userId);
      const identities = (await listIdentities(sql, caller.tenantId, id)).map(toIdentityRecord);
      const behind = { resource: () => record, action: "Settings:Read" } as const;
      return caller.gate.page(await caller.gate.only("User", identities, behind), identities.length);
    },
    async linkIdentity(caller, userText, { IdentityProviderId, Subject }) {
      const { tenantId } = caller;
      const [providerId, subject] = [IdentityProviderId!, Subject!];
      const { record, identity } = await sql.beginFor(tenantId, async (tx) => {
        const { id: userId, record } = await open(tx, caller, "Settings:Update", userText);
        await lockUser(tx, tenantId, userId);
        const provider = await findProvider(tx, tenantId, providerId);
        if (!provider) throw new BadInput("IdentityProviderId is not an IdentityProvider's Id.");
        const key = { providerId, authority: authorityOf(provider), subject };
        const owner = await findLinkedUser(tx, tenantId, key);
        if (owner && owner.userId !== userId)
          throw new Conflict("Subject is linked to another User. Unlink it there first.");
        if (!owner) await linkSubject(tx, tenantId, { ...key, verified: {} }, userId, () => caller);
        const linked = await listIdentities(tx, tenantId, userId);
        return { record, identity: linked.find((one) => keyOf(one) === keyOf(key))! };
      });
      const behind = { resource: record, action: "Settings:Read" } as const;
      return (await caller.gate.written("User", toIdentityRecord(identity), {}, behind)).record;
    },
    async unlinkIdentity(caller, userText, identityId) {
      const { tenantId } = caller;
      const { record, identity } = await sql.beginFor(tenantId, async (tx) => {
        const { id: userId, record } = await open(tx, caller, "Settings:Update", userText);
        await lockUser(tx, tenantId, userId);
        const linked = await listIdentities(tx, tenantId, userId);
        const identity = linked.find((one) => keyOf(one) === identityId);
        if (!identity) throw new NotFound("The User has no linked identity with this Id.");
        await unlinkIdentity(tx, endGrants, caller, { tenantId, userId, identity });
        return { record, identity };
      });
      const behind = { resource: record, action: "Settings:Read" } as const;
      return (await caller.gate.written("User", toIdentityRecord(identity), {}, behind)).record;
    },
  };
}

function toIdentityRecord(identity: LinkedIdentity) {
  const { providerId, name, externalId } = identity;
  return IDENTITY.toRecord(identity, {
    Id: keyOf(identity),
    IdentityProvider: { Id: String(providerId), ExternalId: externalId ?? "", Name: name, Type: "IdentityProvider" },
    Is_Usable: isUsable(identity),
  });
}
