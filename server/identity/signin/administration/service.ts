// A User's sign-in as administrators manage it: password links, the second factor, sessions. Each call requires a
// policy that permits it on the User.

import type { Queries, Sql } from "../../../platform/db/sql.ts";
import { Conflict, NotFound } from "../../../platform/errors.ts";
import { isUuid, type Paging, readUserId } from "../../../platform/http/query.ts";
import type { TenantId } from "../../../platform/ids.ts";
import {
  type AuditEntry,
  type Caller,
  type Permitted,
  recordAudit,
  type Shown,
  type ShownPage,
  withoutRecords,
} from "../../../records/index.ts";
import { type EndGrants, endSessions } from "../account/own-credentials.ts";
import { deleteUsersSession } from "../account/store.ts";
import type { WarnOwner } from "../links/mailed.ts";
import { digestOf, newOpaqueValue } from "../opaque.ts";
import { deletePasskey, listPasskeys } from "../passkeys/store.ts";
import { RESET_LIFETIME, RESET_PATH, saveReset, voidResets } from "../password-reset.store.ts";
import { deleteFactor, findFactor } from "../second-factor/store.ts";
import {
  FACTOR,
  type FactorRecord,
  PASSKEY,
  type PasskeyRecord,
  RESET,
  SESSION,
  type SessionRecord,
  type UserSession,
} from "./contract.ts";
import { createIdentityAdministration, type IdentityAdministration, type OpenUser } from "./identities.ts";
import { findUserSession, listUserSessions } from "./store.ts";

/** @param userId in all methods, as it appears in the path */
export interface UserAdministration extends IdentityAdministration {
  /** Earlier links become invalid. @throws Permission, NotFound, Conflict if the Username is missing or shared */
  makePasswordReset(
    caller: Permitted<"Settings:Update">,
    userId: string,
  ): Promise<Shown<{ Url: string; ExpiresOn: string }>>;
  /** @returns undefined if the User has no second factor @throws Permission, NotFound if the User does not exist */
  findSecondFactor(caller: Permitted<"Settings:Read">, userId: string): Promise<Shown<FactorRecord> | undefined>;
  /** @returns the removed factor @throws Permission, NotFound also if the User has none */
  removeSecondFactor(caller: Permitted<"Settings:Update">, userId: string): Promise<Shown<FactorRecord>>;
  /** Newest first. @throws Permission, NotFound */
  listPasskeys(caller: Permitted<"Settings:Read">, userId: string): Promise<ShownPage<PasskeyRecord>>;
  /**
   * The User's last way to sign in can be removed, because an administrator can send a password link.
   * @returns its last state @throws Permission, NotFound
   */
  removePasskey(caller: Permitted<"Settings:Update">, userId: string, passkeyId: string): Promise<Shown<PasskeyRecord>>;
  /** Newest first. @throws Permission, NotFound, BadInput */
  listSessions(caller: Permitted<"Settings:Read">, userId: string, paging: Paging): Promise<ShownPage<SessionRecord>>;
  /** @throws Permission, NotFound */
  readSession(caller: Permitted<"Settings:Read">, userId: string, sessionId: string): Promise<Shown<SessionRecord>>;
  /** Also ends the session's refresh tokens. @returns its last state @throws Permission, NotFound */
  endSession(caller: Permitted<"Settings:Update">, userId: string, sessionId: string): Promise<Shown<SessionRecord>>;
  /** Ends all sessions and refresh tokens of the User. @returns the number of sessions @throws Permission, NotFound */
  endSessions(caller: Permitted<"Settings:Update">, userId: string): Promise<number>;
}

export interface AdministrationDependencies {
  sql: Sql;
  /** The issuer of our tokens: PUBLIC_URL. */
  issuer: string;
  findUser: FindUser;
  endGrants: EndGrants;
  warnOwner: WarnOwner;
}

export function createUserAdministration(deps: AdministrationDependencies): UserAdministration {
  const { sql, issuer, findUser, endGrants, warnOwner } = deps;

  const open: OpenUser = async (queries, caller, action, userId) => {
    const user = await requireUser(findUser, queries, caller.tenantId, userId);
    caller.permissions.require(action, "User", user.record);
    return user;
  };

  const record = (tx: Queries, caller: Caller, id: number, entry: AuditEntry) =>
    recordAudit(tx, caller.tenantId, caller, { ...entry, subject: { type: "User", id } });

  return {
    ...createIdentityAdministration(sql, open, endGrants),

    async makePasswordReset(caller, userId) {
      const token = newOpaqueValue();
      const expiresOn = await sql.beginFor(caller.tenantId, async (tx) => {
        const { id, record: user } = await open(tx, caller, "Settings:Update", userId);
        if (user.Username === "") throw new Conflict("The User has no Username to sign in with. Give it one first.");
        await record(tx, caller, id, { kind: "PasswordReset.Created" });
        await voidResets(tx, caller.tenantId, id);
        return saveReset(tx, caller.tenantId, id, digestOf(token), RESET_LIFETIME);
      });
      return withoutRecords(RESET.toRecord({ url: `${issuer}${RESET_PATH}?token=${token}`, expiresOn }));
    },

    async findSecondFactor(caller, userId) {
      const user = await open(sql, caller, "Settings:Read", userId);
      const factor = await findFactor(sql, caller.tenantId, user.id);
      return factor && (await caller.gate.show("User", FACTOR.toRecord(factor), seenBy(user))).record;
    },

    async removeSecondFactor(caller, userId) {
      const { user, factor } = await sql.beginFor(caller.tenantId, async (tx) => {
        const user = await open(tx, caller, "Settings:Update", userId);
        const { id } = user;
        const factor = await findFactor(tx, caller.tenantId, id);
        if (!factor || !(await deleteFactor(tx, caller.tenantId, id))) throw noFactor();
        await record(tx, caller, id, { kind: "SecondFactor.Removed" });
        await warnOwner(tx, caller.tenantId, id, "second factor");
        return { user, factor };
      });
      return (await caller.gate.written("User", FACTOR.toRecord(factor), {}, seenBy(user))).record;
    },

    async listPasskeys(caller, userId) {
      const user = await open(sql, caller, "Settings:Read", userId);
      const all = (await listPasskeys(sql, caller.tenantId, user.id)).map((one) => PASSKEY.toRecord(one));
      const behind = { resource: () => user.record, action: "Settings:Read" } as const;
      return caller.gate.page(await caller.gate.only("User", all, behind), all.length);
    },

    async removePasskey(caller, userId, passkeyId) {
      const { user, passkey } = await sql.beginFor(caller.tenantId, async (tx) => {
        const user = await open(tx, caller, "Settings:Update", userId);
        const passkey = isUuid(passkeyId) && (await deletePasskey(tx, caller.tenantId, user.id, passkeyId));
        if (!passkey) throw new NotFound("The User has no passkey with this Id.");
        await record(tx, caller, user.id, { kind: "Passkey.Removed", details: { PasskeyId: passkeyId } });
        await warnOwner(tx, caller.tenantId, user.id, "removed passkey");
        return { user, passkey };
      });
      return (await caller.gate.written("User", PASSKEY.toRecord(passkey), {}, seenBy(user))).record;
    },

    async listSessions(caller, userId, paging) {
      const user = await open(sql, caller, "Settings:Read", userId);
      return caller.gate.list({
        type: "User",
        action: "Settings:Read",
        name: `User/${user.id}/Sessions`,
        paging,
        read: (limit, after) => listUserSessions(sql, caller.tenantId, user.id, limit, after),
        id: (session) => session.id,
        resource: () => user.record,
        item: (session) => SESSION.toRecord(session),
      });
    },

    async readSession(caller, userId, sessionId) {
      const user = await open(sql, caller, "Settings:Read", userId);
      const session = await findSession(sql, caller, user.id, sessionId);
      return (await caller.gate.show("User", SESSION.toRecord(session), seenBy(user))).record;
    },

    async endSession(caller, userId, sessionId) {
      const { user, session } = await sql.beginFor(caller.tenantId, async (tx) => {
        const user = await open(tx, caller, "Settings:Update", userId);
        const { id } = user;
        const session = await findSession(tx, caller, id, sessionId);
        if (!(await deleteUsersSession(tx, caller.tenantId, id, sessionId))) throw noSession();
        await endGrants(tx, caller.tenantId, id, { sessionId });
        await record(tx, caller, id, { kind: "Session.Revoked", details: { Sessions: "One" } });
        return { user, session };
      });
      return (await caller.gate.written("User", SESSION.toRecord(session), {}, seenBy(user))).record;
    },

    async endSessions(caller, userId) {
      return sql.beginFor(caller.tenantId, async (tx) => {
        const { id } = await open(tx, caller, "Settings:Update", userId);
        const ended = await endSessions(tx, endGrants, caller.tenantId, id);
        await record(tx, caller, id, { kind: "Session.Revoked", details: { Sessions: "All" } });
        return ended;
      });
    },
  };
}

async function findSession(sql: Queries, { tenantId }: Caller, userId: number, id: string): Promise<UserSession> {
  const session = isUuid(id) ? await findUserSession(sql, tenantId, userId, id) : undefined;
  if (!session) throw noSession();
  return session;
}

function noSession(): NotFound {
  return new NotFound("The User has no session with this Id.");
}

/** Readers of the User's settings may read its sign-in data. */
function seenBy({ record }: { record: Record<string, unknown> }) {
  return { resource: record, action: "Settings:Read" } as const;
}

export function noFactor(): NotFound {
  return new NotFound("The User has no second factor.");
}

/** Finds a User in its response shape, which policies evaluate. */
export type FindUser = (
  sql: Queries,
  tenantId: TenantId,
  type: "User",
  id: number,
) => Promise<Record<string, unknown> | undefined>;

/** @param text the Id as it appears in the path @throws NotFound */
async function requireUser(find: FindUser, sql: Queries, tenantId: TenantId, text: string) {
  const id = readUserId(text);
  const record = await find(sql, tenantId, "User", id);
  if (!record) throw new NotFound("There is no User with this Id.");
  return { id, record };
}
