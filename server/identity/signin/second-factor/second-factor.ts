// A second factor beside the password: an authenticator app, with recovery codes for its loss.

import { urlOf } from "../../../platform/address.ts";
import type { Sql, Transaction } from "../../../platform/db/sql.ts";
import type { TenantId } from "../../../platform/ids.ts";
import type { Vault } from "../../../platform/vault.ts";
import { type Origin, originOf, recordAudit } from "../../../records/index.ts";
import type { KnownBrowsers } from "../known-browsers.ts";
import type { WarnOwner } from "../links/mailed.ts";
import type { Session, Visitor } from "../session.ts";
import { admit, type CheckOutcome, countSuccess, noteFailure, noteThrottled } from "../throttle.ts";
import {
  digestOfCode,
  newRecoveryCodes,
  newRecoveryKey,
  newTotpSecret,
  plainCode,
  stepOf,
  TOTP_DIGITS,
  totpUri,
} from "./codes.ts";
import {
  deleteFactor,
  type EnrolledFactor,
  findFactor,
  findSealedFactor,
  insertSecret,
  replaceRecoveryCodes,
  replaceRecoveryKey,
  takeRecoveryCode,
  takeStep,
} from "./store.ts";

export const TOTP_PURPOSE = "TOTP secret";
export const RECOVERY_KEY_PURPOSE = "recovery codes' key";

/** A secret that its user has not confirmed yet; it is stored only in the form. */
export interface Proposal {
  /** Base32, for users who cannot scan. */
  key: string;
  uri: string;
  /** The value of the form's hidden field; valid only for this user and session. */
  sealed: string;
}

type Owner = Pick<Session, "tenantId" | "userId">;

export interface SecondFactor {
  find(tenantId: TenantId, userId: number): Promise<EnrolledFactor | undefined>;
  propose(session: Session): Proposal;
  /** @returns undefined if the value was not made for this session */
  reopen(session: Session, sealed: string): Proposal | undefined;
  /** @param code the app's first @returns recovery codes, which cannot be read again; undefined if it is wrong */
  enrol(request: Request, session: Session, proposal: Proposal, code: string): Promise<string[] | undefined>;
  /** The key of an app in use, without recovery codes. @returns false if the user already has a second factor */
  adopt(tx: Transaction, owner: Owner, key: string): Promise<boolean>;
  /** Accepts a code of the app or a recovery code, each only once. */
  check(request: Request, owner: Owner, code: string, visitor: Visitor): Promise<CheckOutcome>;
  /** @returns new codes, which cannot be read again; the previous ones become invalid */
  newRecoveryCodes(request: Request, owner: Owner): Promise<string[]>;
  remove(request: Request, owner: Owner): Promise<void>;
}

interface SecondFactorDependencies {
  sql: Sql;
  vault: Vault;
  browsers: KnownBrowsers;
  /** PUBLIC_URL. */
  issuer: string;
  warnOwner: WarnOwner;
}

export function createSecondFactor(deps: SecondFactorDependencies): SecondFactor {
  const { sql, vault, browsers, issuer, warnOwner } = deps;
  const { hostname } = urlOf(issuer);
  const totpKeys = vault.sealFor(TOTP_PURPOSE);
  const recoveryKeys = vault.sealFor(RECOVERY_KEY_PURPOSE);

  const proposal = (session: Session, key: string, sealed: string): Proposal => ({
    key,
    sealed,
    // The tenant's name tells apart a user's accounts in several tenants.
    uri: totpUri(key, hostname, `${session.username || session.name} (${session.tenantName})`),
  });

  async function giveRecoveryCodes(tx: Transaction, { tenantId, userId }: Owner, key: string): Promise<string[]> {
    const codes = newRecoveryCodes();
    const digests = codes.map((code) => digestOfCode(key, tenantId, userId, code)!);
    await replaceRecoveryCodes(tx, tenantId, userId, digests);
    return codes;
  }

  async function take({ tenantId, userId }: Owner, code: string): Promise<boolean> {
    const factor = await findSealedFactor(sql, tenantId, userId);
    if (!factor) return false;
    const digits = plainCode(code);
    if (isTotp(digits)) {
      const step = stepOf(totpKeys.open(factor.secret), digits);
      return step !== undefined && takeStep(sql, tenantId, userId, step);
    }
    const key = recoveryKeys.open(factor.recoveryKey);
    const digest = digestOfCode(key, tenantId, userId, code);
    return digest !== undefined && takeRecoveryCode(sql, tenantId, userId, digest);
  }

  return {
    find: (tenantId, userId) => findFactor(sql, tenantId, userId),

    propose(session) {
      const key = newTotpSecret();
      return proposal(session, key, vault.sealFor(purposeIn(session)).seal(key).toString("base64url"));
    },

    reopen(session, sealed) {
      try {
        return proposal(session, vault.sealFor(purposeIn(session)).open(Buffer.from(sealed, "base64url")), sealed);
      } catch {
        return undefined;
      }
    },

    async enrol(request, session, { key }, code) {
      const digits = plainCode(code);
      const step = isTotp(digits) ? stepOf(key, digits) : undefined;
      if (step === undefined) return undefined;
      const { tenantId, userId } = session;
      const recoveryKey = newRecoveryKey();
      const factor = { secret: totpKeys.seal(key), recoveryKey: recoveryKeys.seal(recoveryKey) };
      return sql.beginFor(tenantId, async (tx) => {
        if (!(await insertSecret(tx, tenantId, userId, factor, step))) return undefined;
        const codes = await giveRecoveryCodes(tx, session, recoveryKey);
        const subject = { type: "User", id: userId };
        await recordAudit(tx, tenantId, byOwner(request, session), { kind: "SecondFactor.Enrolled", subject });
        await warnOwner(tx, tenantId, userId, "second factor");
        return codes;
      });
    },

    adopt(tx, { tenantId, userId }, key) {
      const factor = { secret: totpKeys.seal(key), recoveryKey: recoveryKeys.seal(newRecoveryKey()) };
      return insertSecret(tx, tenantId, userId, factor, 0);
    },

    async check(request, owner, code, visitor) {
      const known = await browsers.recognize(request, owner, visitor.address);
      const place = { account: `${owner.userId}`, factor: "second", address: visitor.address, ...known } as const;
      const attempt = { tenantId: owner.tenantId, ...place };
      const retryAfter = await admit(sql, attempt);
      const subject = { type: "User", id: owner.userId };
      if (retryAfter !== undefined) {
        await noteThrottled(sql, attempt, originOf(request, {}), subject);
        return { outcome: "throttled", retryAfter };
      }
      if (!(await take(owner, code))) {
        await noteFailure(sql, attempt, originOf(request, {}), { kind: "SecondFactor.Failed", subject });
        return { outcome: "wrong" };
      }
      await countSuccess(sql, attempt);
      return { outcome: "right" };
    },

    async newRecoveryCodes(request, owner) {
      const { tenantId, userId } = owner;
      const subject = { type: "User", id: userId };
      const key = newRecoveryKey();
      return sql.beginFor(tenantId, async (tx) => {
        await replaceRecoveryKey(tx, tenantId, userId, recoveryKeys.seal(key));
        const codes = await giveRecoveryCodes(tx, owner, key);
        await recordAudit(tx, tenantId, byOwner(request, owner), { kind: "RecoveryCodes.Replaced", subject });
        await warnOwner(tx, tenantId, userId, "second factor");
        return codes;
      });
    },

    async remove(request, owner) {
      const { tenantId, userId } = owner;
      const subject = { type: "User", id: userId };
      await sql.beginFor(tenantId, async (tx) => {
        if (!(await deleteFactor(tx, tenantId, userId))) return;
        await recordAudit(tx, tenantId, byOwner(request, owner), { kind: "SecondFactor.Removed", subject });
        await warnOwner(tx, tenantId, userId, "second factor");
      });
    },
  };
}

function byOwner(request: Request, { userId }: Owner): Origin {
  return originOf(request, { actor: { type: "User", id: userId } });
}

function isTotp(digits: string): boolean {
  return digits.length === TOTP_DIGITS && /^\d+$/.test(digits);
}

function purposeIn({ tenantId, userId, id }: Session): string {
  return `TOTP proposal ${tenantId} ${userId} ${id}`;
}
