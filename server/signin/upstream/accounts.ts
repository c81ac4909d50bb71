// Who somebody that a provider has signed in is here.

import { type Origin, recordAudit } from "../../audit/index.ts";
import type { Sql, Transaction } from "../../db/sql.ts";
import { changeOwnUser, makeOwnUser, type Vouched, waitForUsers } from "../../entities/index.ts";
import type { TenantId } from "../../ids.ts";
import type { KnownBrowsers } from "../known-browsers.ts";
import { ACR, type Caller, type Session, type Sessions } from "../session.ts";
import { mayComeIn, type UpstreamIdentity, type UserFields } from "./identity.ts";
import { MAPPED_FIELDS, type Provider } from "./providers/store.ts";
import type { PendingLink } from "./round-trips.ts";
import {
  type Attempt,
  deleteAttempt,
  findLinkedUser,
  insertIdentity,
  isTaken,
  type LinkedUser,
  type SubjectKey,
  takeHeldAttempt,
} from "./store.ts";

export type Account =
  | { outcome: "known"; userId: number }
  | { outcome: "inactive"; userId: number }
  /** The provider's rules let no such account become a User. */
  | { outcome: "stranger" }
  /** An account is there already, or has to be: its owner has to prove it by the password. */
  | { outcome: "link" };

/** What a provider may change of a User it has made; by the others a User is found, so they stay. */
const KEPT_UP_TO_DATE = MAPPED_FIELDS.filter((name) => name !== "Username" && name !== "External_Id");

/** Who links an account, once it is known whose it is. */
export type LinkedBy = (userId: number) => Origin;

/** Finds the linked User, or makes one where the provider may. Who has an account is never found by its fields. */
export function accountOf(
  sql: Sql,
  tenantId: TenantId,
  { id: providerId, provisioning, ...rules }: Provider,
  { authority, subject, fields, verified, tenants }: UpstreamIdentity,
  by: LinkedBy,
): Promise<Account> {
  const key: SubjectKey = { providerId, authority, subject };
  return sql.beginFor(tenantId, async (tx): Promise<Account> => {
    const linked = await findLinkedUser(tx, tenantId, key);
    if (linked) return known(tx, tenantId, linked, fields, verified);
    if (provisioning !== "Create") return { outcome: "link" };
    // Before any look-up by a name: a stranger must not learn which there are.
    if (!mayComeIn(rules, verified, tenants)) return { outcome: "stranger" };
    // Two browsers of the same new user would make two of them.
    await waitForUsers(tx, tenantId);
    const meanwhile = await findLinkedUser(tx, tenantId, key);
    if (meanwhile) return known(tx, tenantId, meanwhile, fields, verified);
    const { Username: username, Email: email, External_Id: externalId } = fields;
    if (await isTaken(tx, tenantId, { username, email, externalId })) return { outcome: "link" };
    const userId = await makeOwnUser(tx, tenantId, fields, verified);
    if (userId === undefined) return { outcome: "link" };
    await insertIdentity(tx, tenantId, key, userId, true);
    await recordLink(tx, tenantId, key, userId, by);
    return { outcome: "known", userId };
  }) as Promise<Account>;
}

/** Links an account whose owner has proved all; false if that was done meanwhile, or cannot be. */
export async function linkAccount(
  tx: Transaction,
  { tenantId, providerId, identity, digest }: PendingLink,
  userId: number,
  by: LinkedBy,
): Promise<boolean> {
  if (!(await deleteAttempt(tx, tenantId, digest))) return false;
  return linkSubject(tx, tenantId, { providerId, ...identity }, userId, by);
}

/** The same for an account whose owner has given the second factor by now, if that was waited for. */
export async function linkHeldAccount(
  tx: Transaction,
  { tenantId, id, userId }: Pick<Session, "tenantId" | "id" | "userId">,
  by: LinkedBy,
): Promise<void> {
  const held = await takeHeldAttempt(tx, tenantId, id);
  if (held?.identity) await linkSubject(tx, tenantId, { providerId: held.providerId, ...held.identity }, userId, by);
}

/** @returns false if the subject is linked already */
export async function linkSubject(
  tx: Transaction,
  tenantId: TenantId,
  key: SubjectKey & Pick<UpstreamIdentity, "verified">,
  userId: number,
  by: LinkedBy,
): Promise<boolean> {
  if (!(await insertIdentity(tx, tenantId, key, userId, false))) return false;
  await changeOwnUser(tx, tenantId, userId, {}, key.verified);
  await recordLink(tx, tenantId, key, userId, by);
  return true;
}

function recordLink(tx: Transaction, tenantId: TenantId, { providerId }: SubjectKey, userId: number, by: LinkedBy) {
  const details = { IdentityProviderId: String(providerId) };
  return recordAudit(tx, tenantId, by(userId), {
    kind: "Identity.Linked",
    subject: { type: "User", id: userId },
    details,
  });
}

async function known(
  tx: Transaction,
  tenantId: TenantId,
  { userId, isActive, provisioned }: LinkedUser,
  fields: UserFields,
  verified: Vouched,
): Promise<Account> {
  if (!isActive) return { outcome: "inactive", userId };
  const kept = KEPT_UP_TO_DATE.flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name]]]));
  await changeOwnUser(tx, tenantId, userId, provisioned ? Object.fromEntries(kept) : {}, verified);
  return { outcome: "known", userId };
}

/** RFC 8176 has no word for it; and how the provider has done it is the provider's own business. */
const BY_PROVIDER = { amr: ["fed"], acr: ACR.oneFactor };
/** Its clock may differ so much, as for id_tokens. */
const CLOCK_TOLERANCE_MS = 30_000;

/**
 * Signs in a user whom a provider has.
 * @param clientId the application that it is for
 * @returns Set-Cookie values
 */
export async function beginSessionByProvider(
  { sessions, browsers }: { sessions: Sessions; browsers: KnownBrowsers },
  request: Request,
  caller: Caller,
  { tenantId, providerId, maxAge, startedOn }: Attempt,
  { authTime: told, idTokenHint }: UpstreamIdentity,
  { userId, clientId }: { userId: number } & Pick<Origin, "clientId">,
): Promise<string[]> {
  const authTime = authTimeOf(told, maxAge, startedOn);
  const when = { authTime, isAuthTimeKnown: told !== undefined };
  const authentication = {
    tenantId,
    clientId,
    userId,
    ...BY_PROVIDER,
    identityProviderId: providerId,
    idTokenHint,
    ...when,
  };
  const { cookie, isUnfinished } = await sessions.begin(request, authentication, caller);
  return isUnfinished ? [cookie] : [cookie, await browsers.remember(request, { tenantId, userId }, caller.address)];
}

/**
 * When the user has signed in there, if that was before this attempt.
 * @param told seconds since 1970, by the provider's clock
 * @returns undefined: just now, however long all of it took
 */
function authTimeOf(told: number | undefined, maxAge: number | null, startedOn: Date): Date | undefined {
  if (told === undefined) return undefined;
  const since = told * 1_000;
  if (maxAge === null) return new Date(since);
  // A clock that is behind must not lead there again and again: what max_age counts is at most so much too young.
  return since < startedOn.getTime() - CLOCK_TOLERANCE_MS ? new Date(since + CLOCK_TOLERANCE_MS) : undefined;
}
