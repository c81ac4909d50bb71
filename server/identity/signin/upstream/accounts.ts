// Maps an identity from a provider to a User here.

import type { Sql, Transaction } from "../../../platform/db/sql.ts";
import type { TenantId } from "../../../platform/ids.ts";
import { type Origin, ownRecords, recordAudit } from "../../../records/index.ts";
import type { KnownBrowsers } from "../known-browsers.ts";
import { ACR, type Session, type Sessions, type Visitor } from "../session.ts";
import { mayComeIn, type UpstreamIdentity, type UserFields } from "./identity.ts";
import type { Provider } from "./providers/contract.ts";
import { MAPPED_FIELDS } from "./providers/provider-words.ts";
import type { PendingLink } from "./round-trips.ts";
import {
  deleteAttempt,
  findLinkedUser,
  insertIdentity,
  isTaken,
  type LinkedUser,
  type RoundTrip,
  type SubjectKey,
  takeHeldAttempt,
} from "./store.ts";

export type ProviderAccount =
  | { outcome: "known"; userId: number }
  | { outcome: "inactive"; userId: number }
  /** The provider's rules do not allow a new User for this account. */
  | { outcome: "stranger" }
  /** The User exists or must be created first: its owner must prove it by password. */
  | { outcome: "link" };

/** The User fields that a provider updates. Username and External_Id identify a User, so they are never changed. */
const KEPT_UP_TO_DATE = MAPPED_FIELDS.filter((name) => name !== "Username" && name !== "External_Id");

/** The origin of a link, once its User is known. */
export type LinkedBy = (userId: number) => Origin;

/** Finds the linked User, or creates one if the provider may. An existing User is never matched by its fields. */
export function accountOf(
  sql: Sql,
  tenantId: TenantId,
  { id: providerId, provisioning, ...rules }: Provider,
  { authority, subject, fields, verified, tenants }: UpstreamIdentity,
  by: LinkedBy,
): Promise<ProviderAccount> {
  const key: SubjectKey = { providerId, authority, subject };
  return sql.beginFor(tenantId, async (tx): Promise<ProviderAccount> => {
    const linked = await findLinkedUser(tx, tenantId, key);
    if (linked) return known(tx, tenantId, linked, fields, verified);
    if (provisioning !== "Create") return { outcome: "link" };
    // Checked before any look-up by name, so strangers cannot probe for accounts.
    if (!mayComeIn(rules, verified, tenants)) return { outcome: "stranger" };
    // Two browsers of one new user would otherwise create two Users.
    await ownRecords.lockUsers(tx, tenantId);
    const meanwhile = await findLinkedUser(tx, tenantId, key);
    if (meanwhile) return known(tx, tenantId, meanwhile, fields, verified);
    const { Username: username, Email: email, External_Id: externalId } = fields;
    if (await isTaken(tx, tenantId, { username, email, externalId })) return { outcome: "link" };
    const userId = await ownRecords.makeOwnUser(tx, tenantId, fields, verified);
    if (userId === undefined) return { outcome: "link" };
    await insertIdentity(tx, tenantId, key, userId, true);
    await recordLink(tx, tenantId, key, userId, by);
    return { outcome: "known", userId };
  }) as Promise<ProviderAccount>;
}

/** Links an account after all proofs. @returns false if it is already linked or cannot be */
export async function linkAccount(
  tx: Transaction,
  { tenantId, providerId, identity, digest }: PendingLink,
  userId: number,
  by: LinkedBy,
): Promise<boolean> {
  if (!(await deleteAttempt(tx, tenantId, digest))) return false;
  return linkSubject(tx, tenantId, { providerId, ...identity }, userId, by);
}

/** Links an account that waited for its owner's second factor, if there is one. */
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
  await ownRecords.changeOwnUser(tx, tenantId, userId, {}, key.verified);
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
  verified: ownRecords.Vouched,
): Promise<ProviderAccount> {
  if (!isActive) return { outcome: "inactive", userId };
  const kept = KEPT_UP_TO_DATE.flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name]]]));
  await ownRecords.changeOwnUser(tx, tenantId, userId, provisioned ? Object.fromEntries(kept) : {}, verified);
  return { outcome: "known", userId };
}

/** RFC 8176 has no method for federation, and the provider's own methods are unknown here. */
const BY_PROVIDER = { amr: ["fed"], acr: ACR.oneFactor };
/** The clock skew allowed for a provider, as for id_tokens. */
const CLOCK_TOLERANCE_MS = 30_000;

/** @param clientId the application to sign in to @returns Set-Cookie values */
export async function beginSessionByProvider(
  { sessions, browsers }: { sessions: Sessions; browsers: KnownBrowsers },
  request: Request,
  visitor: Visitor,
  { tenantId, providerId, maxAge, startedOn }: RoundTrip,
  { authTime: providerAuthTime, idTokenHint, authority, subject }: UpstreamIdentity,
  { userId, clientId }: { userId: number } & Pick<Origin, "clientId">,
): Promise<string[]> {
  const authTime = authTimeOf(providerAuthTime, maxAge, startedOn);
  const when = { authTime, isAuthTimeKnown: providerAuthTime !== undefined };
  const authentication = {
    tenantId,
    clientId,
    userId,
    ...BY_PROVIDER,
    identityProviderId: providerId,
    idTokenHint,
    identity: { providerId, authority, subject },
    ...when,
  };
  const { cookie, isUnfinished } = await sessions.begin(request, authentication, visitor);
  return isUnfinished ? [cookie] : [cookie, await browsers.remember(request, { tenantId, userId }, visitor.address)];
}

/** Undefined: now. @param providerAuthTime seconds since 1970, by the provider's clock */
function authTimeOf(providerAuthTime: number | undefined, maxAge: number | null, startedOn: Date): Date | undefined {
  if (providerAuthTime === undefined) return undefined;
  const since = providerAuthTime * 1_000;
  if (maxAge === null) return new Date(since);
  // A provider's slow clock must not cause endless re-authentication, so the time is shifted by the tolerance.
  return since < startedOn.getTime() - CLOCK_TOLERANCE_MS ? new Date(since + CLOCK_TOLERANCE_MS) : undefined;
}
