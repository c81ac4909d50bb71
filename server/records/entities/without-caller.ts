// Records written without a caller: users from identity providers, dynamically registered applications, and the
// system's own application.

import type { Transaction } from "../../platform/db/sql.ts";
import type { TenantId } from "../../platform/ids.ts";
import type { Actor } from "../access/caller.ts";
import { recordEvent } from "../events/write-event.ts";
import { type Changes, claimRow, countReferencing, lockByIdentifiers, lockEntity, rowsOf } from "../rows.store.ts";
import { givenValues, unvouched } from "../values.ts";
import { changeOf } from "./record.ts";
import { ENTITIES } from "./registry.ts";

const USER = ENTITIES.find(({ name }) => name === "User")!;
const APPLICATION = ENTITIES.find(({ name }) => name === "Application")!;

type Fields = Record<string, unknown>;

/** Serializes the creation of Users in this tenant until the transaction ends. */
export function lockUsers(tx: Transaction, tenantId: TenantId): Promise<void> {
  return lockEntity(tx, tenantId, USER);
}

/** User field values that a provider vouches for. */
export interface Vouched {
  Email?: string;
  MobilePhone?: string;
}

/** Invalid values are left out. @returns its Id, or undefined if a unique value is taken */
export async function makeOwnUser(
  tx: Transaction,
  tenantId: TenantId,
  fields: Fields,
  vouched: Vouched,
  isActive = true,
): Promise<number | undefined> {
  const nobodyYet = { type: "User", id: 0 } as const;
  const values = { ...fitting(fields), isActive };
  const made = await rowsOf(USER).insert(tx, tenantId, { ...values, ...vouchedOf(values, vouched) }, nobodyYet);
  if (!made) return undefined;
  const row = await claimRow(tx, tenantId, USER, made.id);
  await recordEvent(tx, tenantId, changeOf(USER, "Created", [row]));
  return row.id;
}

/** The record of a User that does not exist yet, as policies evaluate it. */
export function recordOfNewUser(values: Record<string, unknown>): Record<string, unknown> {
  return USER.toRecord({ id: 0, sequence: 1, ...values, isActive: true } as never);
}

/** The same as `makeOwnUser`, made by the person who invited the User. */
export async function makeInvitedUser(
  tx: Transaction,
  tenantId: TenantId,
  fields: Fields,
  vouched: Vouched,
  departmentId: number | null,
  inviter: Actor,
): Promise<number | undefined> {
  const values = { ...fitting(fields), isActive: true, departmentId };
  const made = await rowsOf(USER).insert(tx, tenantId, { ...values, ...vouchedOf(values, vouched) }, inviter);
  if (!made) return undefined;
  await recordEvent(tx, tenantId, changeOf(USER, "Created", [made]));
  return made.id;
}

/** Changes only different values; without a difference there is no event. Invalid values are left out. */
export async function changeOwnUser(
  tx: Transaction,
  tenantId: TenantId,
  id: number,
  fields: Fields,
  vouched: Vouched,
): Promise<void> {
  const before = await rowsOf(USER).find(tx, tenantId, { id }, "for update");
  if (!before) return;
  const values = unvouched(USER, before, fitting(fields));
  const wanted = { ...values, ...vouchedOf({ ...before, ...values }, vouched) };
  const different = Object.entries(wanted).filter(([column, value]) => before[column] !== value);
  if (different.length === 0) return;
  const actor = { type: "User", id } as const;
  const row = await rowsOf(USER).update(
    tx,
    tenantId,
    { ...Object.fromEntries(different), id, sequence: before.sequence + 1 },
    actor,
  );
  await recordEvent(tx, tenantId, changeOf(USER, "Updated", [row], [before]));
}

/** The vouched value may differ from the User's present one. */
function vouchedOf({ email, mobilePhone }: Record<string, unknown>, { Email, MobilePhone }: Vouched): Changes {
  return {
    ...(Email !== undefined && email === Email && { emailVerified: true }),
    ...(MobilePhone !== undefined && mobilePhone === MobilePhone && { mobilePhoneVerified: true }),
  };
}

const fitting = (fields: Fields): Changes => givenValues(USER, USER.check(fields).input);

/** With its event in the same transaction. @param name gets a UUID as suffix if it is taken @returns its Id */
export async function insertSystemApplication(
  tx: Transaction,
  tenantId: TenantId,
  { name, description }: { name: string; description: string },
): Promise<number> {
  return (await insertApplication(tx, tenantId, name, { description, isSystem: true })).id;
}

interface OwnApplication {
  /** Normalized. */
  name: string;
  /** "" if it has none. */
  webSite: string;
}

/** With its event in the same transaction. @returns its Id, and its name, with a UUID as suffix if it was taken */
export function makeOwnApplication(
  tx: Transaction,
  tenantId: TenantId,
  { name, webSite }: OwnApplication,
): Promise<{ id: number; name: string }> {
  return insertApplication(tx, tenantId, name, { webSiteUrl: webSite || null });
}

/** Changes only different values; without a difference there is no event. @param application undefined: unchanged */
export async function changeOwnApplication(
  tx: Transaction,
  tenantId: TenantId,
  id: number,
  application: { [Field in keyof OwnApplication]: string | undefined },
): Promise<OwnApplication> {
  const before = (await rowsOf(APPLICATION).find(tx, tenantId, { id }, "for update"))!;
  const current = String(before.name ?? "");
  const { webSite = String(before.webSiteUrl ?? "") } = application;
  const { name = current } = application;
  const isNamed = current === name || current.startsWith(`${name} `);
  const holders = isNamed ? [] : await lockByIdentifiers(tx, tenantId, APPLICATION, [{ column: "name", value: name }]);
  const wanted = {
    name: isNamed ? current : holders.length > 0 ? distinct(name) : name,
    webSiteUrl: webSite || null,
  };
  if (wanted.name === current && wanted.webSiteUrl === (before.webSiteUrl || null)) return { name: current, webSite };
  const actor = { type: "Application", id } as const;
  const row = await rowsOf(APPLICATION).update(tx, tenantId, { ...wanted, id, sequence: before.sequence + 1 }, actor);
  await recordEvent(tx, tenantId, changeOf(APPLICATION, "Updated", [row], [before]));
  return { name: wanted.name, webSite };
}

/** With its dependent data. @returns false if it does not exist or is still referenced */
export async function deleteOwnApplication(tx: Transaction, tenantId: TenantId, id: number): Promise<boolean> {
  const before = await rowsOf(APPLICATION).find(tx, tenantId, { id }, "for update");
  if (!before) return false;
  for (const referencing of APPLICATION.referencedBy) {
    if ((await countReferencing(tx, tenantId, referencing, id)) > 0) return false;
  }
  await rowsOf(APPLICATION).remove(tx, tenantId, id);
  await recordEvent(tx, tenantId, changeOf(APPLICATION, "Deleted", [{ ...before, sequence: before.sequence + 1 }]));
  return true;
}

async function insertApplication(tx: Transaction, tenantId: TenantId, name: string, values: Changes) {
  const insert = (chosen: string) =>
    rowsOf(APPLICATION).insert(tx, tenantId, { ...values, name: chosen, isActive: true });
  const row = (await insert(name)) ?? (await insert(distinct(name)));
  await recordEvent(tx, tenantId, changeOf(APPLICATION, "Created", [row!]));
  return { id: Number(row!.id), name: String(row!.name) };
}

const distinct = (name: string) => `${name} ${Bun.randomUUIDv7()}`;
