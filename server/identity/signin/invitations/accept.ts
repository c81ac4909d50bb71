// A person accepts an invitation: a User with the verified address, a password, the roles and the department.

import type { Sql, Transaction } from "../../../platform/db/sql.ts";
import { ApiError, Conflict } from "../../../platform/errors.ts";
import { contextOf } from "../../../platform/http/context.ts";
import { type Access, type Actor, originOf, ownRecords, recordAudit } from "../../../records/index.ts";
import { texts } from "../../../ui/index.ts";
import type { Passwords } from "../password.ts";
import { savePassword } from "../store.ts";
import type { Invitation } from "./contract.ts";
import { requireGrantable } from "./grantable.ts";
import { announceInvitation, recordState } from "./service.ts";
import { findOpen, INVITATIONS, isAddressOfUser, joinRoles, lockByDigest, type OpenInvitation } from "./store.ts";

export interface Acceptance {
  /** @param digest of the link's token */
  find(digest: Buffer): Promise<OpenInvitation | undefined>;
  /**
   * @param also in the same transaction, for the new User's way to sign in
   * @returns false if the link is void or expired
   * @throws Conflict if the user name or the address is a User's, or the inviter may no longer grant what it carries
   */
  accept(
    request: Request,
    open: OpenInvitation,
    digest: Buffer,
    chosen: Chosen,
    also: (tx: Transaction, userId: number) => Promise<void>,
  ): Promise<boolean>;
  /** @throws also TenantBusy */
  acceptByPassword(
    request: Request,
    open: OpenInvitation,
    digest: Buffer,
    chosen: Chosen,
    password: string,
  ): Promise<boolean>;
}

interface Chosen {
  username: string;
  name: string;
}

interface AcceptanceDependencies {
  sql: Sql;
  access: Pick<Access, "permissionsIn" | "knownScopes" | "findRecords">;
  passwords: Passwords;
}

export function createAcceptance({ sql, access, passwords }: AcceptanceDependencies): Acceptance {
  const accept: Acceptance["accept"] = async (request, { tenantId }, digest, { username, name }, also) => {
    return sql.beginFor(tenantId, async (tx) => {
      await ownRecords.lockUsers(tx, tenantId);
      const invitation = await lockByDigest(tx, tenantId, digest);
      if (!invitation) return false;
      const { email, departmentId, roles, actor } = invitation;
      if (await isAddressOfUser(tx, tenantId, email)) throw new Conflict(texts.ERRORS.signUpExists);
      // Its owner would be taken for this User.
      if (await isAddressOfUser(tx, tenantId, username)) throw taken();
      const named = { ...invitation, name: name || invitation.name };
      await requireStillGrantable(tx, request, named, username, tenantId);
      const fields = { Name: named.name, Username: username, Email: email };
      const userId = await ownRecords.makeInvitedUser(tx, tenantId, fields, { Email: email }, departmentId, actor);
      if (userId === undefined) throw taken();
      await also(tx, userId);
      const origin = originOf(request, { actor: { type: "User", id: userId } });
      for (const id of await joinRoles(tx, tenantId, userId, roles)) {
        const details = { Changed: ["Members"], Members: { Added: [{ Type: "User", Id: userId }], Removed: [] } };
        await recordAudit(tx, tenantId, origin, { kind: "Role.Changed", subject: { type: "Role", id }, details });
      }
      const accepted = { id: invitation.id, digest: null, userId, storedState: "Accepted" as const };
      const after = await INVITATIONS.update(tx, tenantId, { ...accepted, sequence: invitation.sequence + 1 }, actor);
      await recordState(tx, tenantId, origin, after, "Sent");
      await announceInvitation(tx, tenantId, "Updated", after, origin.traceParent);
      return true;
    });
  };

  return {
    find: (digest) => findOpen(sql, digest),
    accept,
    async acceptByPassword(request, open, digest, chosen, password) {
      const hash = await passwords.hash(open.tenantId, password);
      return accept(request, open, digest, chosen, (tx, userId) => savePassword(tx, open.tenantId, userId, hash));
    },
  };

  /** The last one who saved or sent the invitation was judged then. */
  async function requireStillGrantable(
    tx: Transaction,
    request: Request,
    invitation: Invitation & { actor: Actor },
    username: string,
    tenantId: OpenInvitation["tenantId"],
  ): Promise<void> {
    const { actor, clientId } = invitation;
    const scopes = await access.knownScopes(tenantId, clientId, actor.type === "User" ? actor.id : undefined);
    const { key, address, traceParent } = contextOf(request);
    const call = { tenantId, clientId: String(clientId), actor, scopes: new Set(scopes), time: new Date() };
    try {
      const permissions = await access.permissionsIn(tx, { ...call, requestKey: key, address, traceParent });
      await requireGrantable(access, tx, { ...call, permissions }, invitation, username);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      throw new Conflict(texts.ERRORS.inviter);
    }
  }
}

const taken = () => new Conflict(texts.ERRORS.usernameTaken);
