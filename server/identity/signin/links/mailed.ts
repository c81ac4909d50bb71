// Links in mails to users. A link is built from PUBLIC_URL alone and works once. Its page has one button, and only the
// button uses it up, because mail programs open links in advance.

import type { Queries, Sql, Transaction } from "../../../platform/db/sql.ts";
import type { TenantId } from "../../../platform/ids.ts";
import type { texts } from "../../../ui/index.ts";
import { countMails, type Mailer, type MailKind } from "../../mail/index.ts";
import { digestOf, newOpaqueValue } from "../opaque.ts";
import { findRecipient, findWarned, insertLink, type LinkPurpose, type Recipient } from "./store.ts";

/** Seconds until a link expires. */
export const LIFETIME = { reset: 15 * 60, address: 24 * 3_600, alarm: 72 * 3_600, signUp: 24 * 3_600 };
/** Mails of a kind to one address in an hour that people can request; warnings are not limited. */
const MAILS_PER_HOUR = 5;
/** Links to confirm addresses that one user can request in an hour, so that a user cannot flood strangers. */
const CONFIRMATIONS_PER_HOUR = 10;
/** For a program that signs in without cookies. */
const DEVICE_MAILS_PER_HOUR = 5;

export const ALARM_PATH = "/account/not-me";
export const ADDRESS_PATH = "/account/address";

export interface MailedLinksDependencies {
  sql: Sql;
  mailer: Mailer;
  /** PUBLIC_URL. */
  issuer: string;
}

type Mail<Kind> = Extract<Parameters<Mailer["recordMail"]>[1], { kind: Kind }>;
export type Credential = Mail<"CredentialChanged">["values"]["credential"];

/**
 * Warns a user that a credential was changed, at the verified address; without one there is no mail.
 * @param former the address before it was changed
 */
export type WarnOwner = (
  tx: Transaction,
  tenantId: TenantId,
  userId: number,
  credential: Credential,
  former?: Recipient,
) => Promise<void>;

export function createWarnOwner({ mailer, issuer }: Pick<MailedLinksDependencies, "mailer" | "issuer">): WarnOwner {
  return async (tx, tenantId, userId, credential, former) => {
    const owner = former ?? (await findRecipient(tx, tenantId, userId));
    if (!mailer.canSend || !owner?.isVerified) return;
    const link = await newLink(tx, issuer, ALARM_PATH, { tenantId, userId, purpose: "Alarm", address: owner.address });
    const values = { ...link, name: owner.name, credential, at: new Date() };
    await mailer.recordMail(tx, { tenantId, kind: "CredentialChanged", to: owner.address, userId, values });
  };
}

/** Warns a user of a sign-in in a new browser, if the tenant has chosen so, at the verified address. */
export type WarnOfDevice = (
  tx: Transaction,
  tenantId: TenantId,
  userId: number,
  seen: { device: string; address: string },
) => Promise<void>;

export function createWarnOfDevice({
  mailer,
  issuer,
}: Pick<MailedLinksDependencies, "mailer" | "issuer">): WarnOfDevice {
  return async (tx, tenantId, userId, seen) => {
    const owner = mailer.canSend ? await findWarned(tx, tenantId, userId, DEVICE_MAILS_PER_HOUR) : undefined;
    if (!owner) return;
    const link = await newLink(tx, issuer, ALARM_PATH, { tenantId, userId, purpose: "Alarm", address: owner.address });
    const values = { ...link, ...seen, name: owner.name, at: new Date() };
    await mailer.recordMail(tx, { tenantId, kind: "NewDevice", to: owner.address, userId, values });
  };
}

/** Sends a link that confirms an address. @returns false if the address or the user has had many mails lately */
export type ConfirmAddress = (
  tx: Transaction,
  tenantId: TenantId,
  userId: number,
  address: string,
  language: texts.LanguageCode,
) => Promise<boolean>;

export function createConfirmAddress({
  mailer,
  issuer,
}: Pick<MailedLinksDependencies, "mailer" | "issuer">): ConfirmAddress {
  return async (tx, tenantId, userId, address, language) => {
    if (!(await mayHaveMail(tx, tenantId, address, ["VerifyAddress"]))) return false;
    if ((await countMails(tx, tenantId, ["VerifyAddress"], { userId })) >= CONFIRMATIONS_PER_HOUR) return false;
    const owner = await findRecipient(tx, tenantId, userId);
    const link = await newLink(tx, issuer, ADDRESS_PATH, { tenantId, userId, purpose: "Address", address });
    // The page asks its user to sign in to this organisation.
    link.link += `&organisation=${tenantId}`;
    const values = { ...link, name: owner?.name ?? "" };
    await mailer.recordMail(tx, { tenantId, kind: "VerifyAddress", to: address, userId, values, language });
    return true;
  };
}

/**
 * Whether one more mail can be requested for the address, so that no one is flooded with mails.
 * @param kinds that count together; mails of other kinds, which strangers can cause, leave these possible
 */
export async function mayHaveMail(
  sql: Queries,
  tenantId: TenantId,
  address: string,
  kinds: readonly MailKind[],
  limit = MAILS_PER_HOUR,
): Promise<boolean> {
  return (await countMails(sql, tenantId, kinds, { to: address })) < limit;
}

async function newLink(
  tx: Transaction,
  issuer: string,
  path: string,
  bound: { tenantId: TenantId; userId: number; purpose: LinkPurpose; address: string },
) {
  const token = newOpaqueValue();
  const lifetime = bound.purpose === "Alarm" ? LIFETIME.alarm : LIFETIME.address;
  const expiresOn = await insertLink(tx, { ...bound, digest: digestOf(token), lifetime });
  return { link: `${issuer}${path}?token=${token}`, expiresOn };
}
