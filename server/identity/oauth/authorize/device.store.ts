// Device authorization requests (RFC 8628).

import type { Queries, Sql } from "../../../platform/db/sql.ts";
import type { TenantId } from "../../../platform/ids.ts";
import { type Allowance, allowance } from "../clients/consents.store.ts";
import { cameOfProvider } from "../clients/store.ts";

export interface NewDeviceCode {
  digest: Buffer;
  userCode: string;
  clientId: number;
  scopes: string[];
  resources: string[];
  /** Seconds between two polls. */
  interval: number;
  /** The origin of the request, if the client has no secret. */
  network: string | undefined;
}

export interface WaitingDevice {
  digest: Buffer;
  tenantId: TenantId;
  clientId: number;
  userCode: string;
  scopes: string[];
  resources: string[];
}

export interface DeviceGrant {
  userId: number;
  scopes: string[];
  resources: string[];
  authTime: Date;
  amr: string[];
  acr: string;
}

export interface PolledDevice extends Omit<DeviceGrant, "userId">, Allowance {
  clientId: number;
  /** null: denied or undecided. */
  userId: number | null;
  isDecided: boolean;
  isExpired: boolean;
  isUsed: boolean;
  familyId: string | null;
}

/** Limits on waiting requests: per address for clients without a secret, per client, and per tenant. */
export interface WaitingLimits {
  address: number;
  client: number;
  tenant: number;
}

/** @returns the outcome; "taken" if the user code is in use */
export async function insertDeviceCode(
  sql: Queries,
  tenantId: TenantId,
  { digest, userCode, clientId, scopes, resources, interval, network }: NewDeviceCode,
  seconds: number,
  max: WaitingLimits,
): Promise<"made" | "taken" | "too many"> {
  const [row] = await sql<{ isRoom: boolean; isMade: boolean }[]>`
    with room as (
      select count(*) < ${max.tenant} and count(*) filter (where client_id = ${clientId}) < ${max.client}
        and count(*) filter (where client_id = ${clientId} and network = ${network ?? null}) < ${max.address} as is_there
      from (
        select client_id, network from device_codes
        where tenant_id = ${tenantId} and decided_on is null and expires_on > now() limit ${max.tenant}) waiting
    ), made as (
      insert into device_codes (digest, user_code, tenant_id, client_id, scopes, resources, interval_seconds, network,
        expires_on)
      select ${digest}, ${userCode}, ${tenantId}, ${clientId}, ${scopes}::text[], ${resources}::text[], ${interval},
        ${network ?? null}, now() + make_interval(secs => ${seconds})
      from room where is_there
      on conflict (user_code) do nothing returning digest
    )
    select is_there as "isRoom", exists (select from made) as "isMade" from room`;
  return row!.isMade ? "made" : row!.isRoom ? "taken" : "too many";
}

/** Finds a request by its user code, which determines the tenant. */
export async function findWaitingDigest(sql: Queries, userCode: string): Promise<Buffer | undefined> {
  const [row] = await sql<{ digest: Buffer }[]>`
    select digest from device_codes where user_code = ${userCode} and decided_on is null and expires_on > now()`;
  return row?.digest;
}

/** Finds a request by its digest, which determines the tenant. */
export async function findWaiting(sql: Queries, digest: Buffer): Promise<WaitingDevice | undefined> {
  const [row] = await sql<WaitingDevice[]>`
    select digest, tenant_id as "tenantId", client_id as "clientId", user_code as "userCode", scopes, resources
    from device_codes where digest = ${digest} and decided_on is null and expires_on > now()`;
  return row;
}

/** @param grant undefined: the user denies @returns false if it was already decided or has expired */
export async function decideDevice(
  sql: Queries,
  tenantId: TenantId,
  digest: Buffer,
  grant: DeviceGrant | undefined,
): Promise<boolean> {
  const given = grant
    ? sql`, user_id = ${grant.userId}, scopes = ${grant.scopes}::text[], resources = ${grant.resources}::text[],
        auth_time = ${grant.authTime}, amr = ${grant.amr}::text[], acr = ${grant.acr}`
    : sql``;
  const rows = await sql`
    update device_codes set decided_on = now() ${given}
    where tenant_id = ${tenantId} and digest = ${digest} and decided_on is null and expires_on > now() returning digest`;
  return rows.length > 0;
}

export async function findDevice(sql: Queries, tenantId: TenantId, digest: Buffer): Promise<PolledDevice | undefined> {
  const [row] = await sql<PolledDevice[]>`
    select client_id as "clientId", user_id as "userId", scopes, resources, auth_time as "authTime", amr, acr,
      decided_on is not null as "isDecided", expires_on <= now() as "isExpired", used_on is not null as "isUsed",
      family_id as "familyId", ${allowance(sql, tenantId, sql`d.user_id`, sql`d.client_id`)}
    from device_codes d where tenant_id = ${tenantId} and digest = ${digest}`;
  return row;
}

/** Seconds that a poll may be early: clocks and networks make a device's timer of exactly the interval uneven. */
const POLL_TOLERANCE = 1;

/** Records a poll. @param more seconds added to the interval if it is too early @returns whether it was too early */
export async function notePoll(sql: Queries, tenantId: TenantId, digest: Buffer, more: number): Promise<boolean> {
  const [row] = await sql<{ isTooSoon: boolean }[]>`
    with before as (
      select digest, coalesce(polled_on > now() - make_interval(secs => interval_seconds - ${POLL_TOLERANCE}::integer), false) as is_too_soon
      from device_codes where tenant_id = ${tenantId} and digest = ${digest} for update
    )
    update device_codes d set polled_on = now(),
      interval_seconds = interval_seconds + case when is_too_soon then ${more}::integer else 0 end
    from before where d.digest = before.digest
    returning is_too_soon as "isTooSoon"`;
  return row?.isTooSoon ?? false;
}

/** Uses the request up; concurrent calls wait for the transaction. @returns false if it was already used */
export async function takeDevice(sql: Queries, tenantId: TenantId, digest: Buffer): Promise<boolean> {
  const rows = await sql`
    update device_codes set used_on = now()
    where tenant_id = ${tenantId} and digest = ${digest} and used_on is null and expires_on > now() returning digest`;
  return rows.length > 0;
}

export async function linkDevice(sql: Queries, tenantId: TenantId, digest: Buffer, familyId: string): Promise<void> {
  await sql`update device_codes set family_id = ${familyId} where tenant_id = ${tenantId} and digest = ${digest}`;
}

/** Expires approved requests that no device has fetched. @param clientId limits this to one client */
export async function expireDevices(
  sql: Queries,
  tenantId: TenantId,
  userId: number,
  clientId?: number,
): Promise<void> {
  await sql`
    update device_codes set expires_on = now()
    where tenant_id = ${tenantId} and user_id = ${userId} and expires_on > now()
      ${clientId === undefined ? sql`` : sql`and client_id = ${clientId}`}`;
}

export async function expireDevicesBy(sql: Queries, tenantId: TenantId, identityProviderId: number): Promise<void> {
  await sql`
    update device_codes set expires_on = now()
    where tenant_id = ${tenantId} and expires_on > now() and ${cameOfProvider(sql, tenantId, identityProviderId)}`;
}

/** Expired requests are kept this long, so the reuse of a used one is detected. */
const KEPT = "1 day";

export async function removeExpiredDevices(sql: Sql): Promise<number> {
  return (await sql`delete from device_codes where expires_on < now() - ${KEPT}::interval`).count;
}
