// Families of refresh tokens (RFC 9700 4.14.2): each use gives the next token. The one before stays good until that next
// one is used, for a client that lost the answer, and gives another one in its place. Any other one ends the family: of
// two who hold the same token, one will come with a token that was replaced.

import { createHmac, timingSafeEqual } from "node:crypto";
import { type Origin, recordAudit } from "../../audit/index.ts";
import type { Queries, Sql } from "../../db/sql.ts";
import type { TenantId } from "../../ids.ts";
import type { Vault } from "../../vault.ts";
import { TokenError } from "../errors.ts";
import {
  advanceFamily,
  type Family,
  type FamilyFilter,
  findFamily,
  insertFamily,
  updateFamiliesRevoked,
} from "./families.store.ts";
import type { ClientRefreshGrant, Tokens } from "./tokens.ts";

/** Seconds from the sign-in on, however often it is refreshed, of a client without a RefreshTokenLifetime. */
const FAMILY_LIFETIME = 90 * 24 * 3_600;

/** What a user granted a client. */
export interface UserGrant {
  clientId: number;
  userId: number;
  scopes: string[];
  /** Without them: the entity API. */
  resources?: string[];
  /** Names of claims that userinfo gives beside those of the scopes. */
  claims?: string[];
  /** Seconds from now on, in place of FAMILY_LIFETIME. */
  lifetime?: number;
  /** The sign-in session, a UUID. */
  sessionId?: string;
  /** Seconds since 1970. */
  authTime: number;
  acr?: string;
  amr?: string[];
  /** The thumbprint of the key that refreshing it takes (RFC 9449 5). */
  jkt?: string | undefined;
}

/** A refresh token as a client presented it, known to be of our making. */
export interface PresentedRefreshToken extends RefreshValue {
  /** Set for the signed first token of a client credentials grant. */
  signed?: ClientRefreshGrant;
}

/** How a refresh token is used. */
export interface RefreshUse {
  /** It stays the one that is good. */
  keepsToken: boolean;
  /** Who presents it. */
  origin: Origin;
  /** Judges the family before anything changes. */
  check(family: Family): Promise<void>;
}

export interface Families {
  /** Begins the family of a user's grant; may be part of the caller's transaction. */
  start(sql: Queries, tenantId: TenantId, grant: UserGrant): Promise<{ familyId: string; refreshToken: string }>;
  /** @returns undefined if it is not of our making, or its signature has expired */
  read(refreshToken: string): Promise<PresentedRefreshToken | undefined>;
  /** The family whose newest token it is; undefined if that has ended. */
  liveFamily(sql: Queries, tenantId: TenantId, presented: PresentedRefreshToken): Promise<Family | undefined>;
  /** @throws TokenError invalid_grant; a token whose next one was used, or that was replaced, has then ended its family */
  refresh(
    sql: Sql,
    tenantId: TenantId,
    presented: PresentedRefreshToken,
    use: RefreshUse,
  ): Promise<{ family: Family; refreshToken: string }>;
  /** Ends families, with all their tokens. @returns how many were live */
  revoke(sql: Queries, tenantId: TenantId, filter: FamilyFilter): Promise<number>;
  /**
   * Ends the family of a presented token, also if no row of it was ever written.
   * @returns the family, or undefined if it had ended before
   */
  revokePresented(sql: Queries, tenantId: TenantId, presented: PresentedRefreshToken): Promise<Family | undefined>;
}

export interface FamilyDependencies {
  vault: Vault;
  tokens: Pick<Tokens, "readClientRefreshToken">;
  /** Told of a family that ended because a token of it was used again: someone may have stolen it. */
  onReuse(tenantId: TenantId, family: Family): void;
}

export function createFamilies({ vault, tokens, onReuse }: FamilyDependencies): Families {
  const values = createRefreshValues(vault);

  const find = async (sql: Queries, tenantId: TenantId, presented: PresentedRefreshToken) =>
    (await findFamily(sql, tenantId, presented.familyId)) ??
    (presented.signed?.tenantId === tenantId ? unwritten(presented.signed) : undefined);

  const revoke = updateFamiliesRevoked;

  /** The first use of a signed token writes its family's row. */
  async function advance(
    sql: Queries,
    tenantId: TenantId,
    presented: PresentedRefreshToken,
    newest: number,
    next: number,
  ) {
    const { familyId, generation, signed } = presented;
    const former = next > newest ? generation : null;
    if (await advanceFamily(sql, tenantId, familyId, newest, { generation: next, former })) return true;
    if (!signed) return false;
    return insertFamily(sql, tenantId, { ...signedFamily(signed), generation: next, former: generation });
  }

  return {
    async start(sql, tenantId, { lifetime = FAMILY_LIFETIME, ...grant }) {
      const familyId = Bun.randomUUIDv7();
      await insertFamily(sql, tenantId, {
        ...grant,
        id: familyId,
        authTime: new Date(grant.authTime * 1000),
        generation: 0,
        expiresOn: lifetime,
      });
      return { familyId, refreshToken: values.write({ familyId, clientId: grant.clientId, generation: 0 }) };
    },

    async read(refreshToken) {
      if (!refreshToken.includes(".")) return values.read(refreshToken);
      const signed = await tokens.readClientRefreshToken(refreshToken);
      return signed && { familyId: signed.familyId, clientId: signed.clientId, generation: 0, signed };
    },

    async liveFamily(sql, tenantId, presented) {
      const family = await find(sql, tenantId, presented);
      return family?.isLive && family.generation === presented.generation ? family : undefined;
    },

    async refresh(sql, tenantId, presented, { keepsToken, check, origin }) {
      const family = await find(sql, tenantId, presented);
      if (!family?.isLive) throw ended();
      await check(family);
      const answer = (of: Family, generation: number) => ({
        family: of,
        refreshToken: values.write({ familyId: of.id, clientId: of.clientId, generation }),
      });
      const { generation: newest, former, isJustRotated } = family;
      // Its answer was lost: what that had in it is good no more.
      const isLost = former === presented.generation && !isJustRotated;
      // A signed one has no row before it is used.
      const next = keepsToken && !presented.signed ? newest : newest + 1;
      const isGood = newest === presented.generation || isLost;
      if (isGood && (await advance(sql, tenantId, presented, newest, next))) return answer(family, next);
      // It was used before, or by a parallel request just now.
      const after = await find(sql, tenantId, presented);
      if (!after?.isLive) throw ended();
      if (after.former === presented.generation) return answer(after, after.generation);
      const isFirst = await sql.beginFor(tenantId, async (tx) => {
        const wasLive = (await revoke(tx, tenantId, { familyId: presented.familyId })) > 0;
        const details = { FamilyId: presented.familyId };
        if (wasLive)
          await recordAudit(tx, tenantId, origin, { kind: "RefreshToken.Reused", subject: ownerOf(after), details });
        return wasLive;
      });
      if (isFirst) onReuse(tenantId, after);
      throw new TokenError(
        "invalid_grant",
        "The refresh token was used before; all that came of its grant is revoked.",
      );
    },

    revoke,

    async revokePresented(sql, tenantId, presented) {
      if (presented.signed) await insertFamily(sql, tenantId, { ...signedFamily(presented.signed), generation: 0 });
      const revoked = await revoke(sql, tenantId, { familyId: presented.familyId });
      return revoked > 0 ? find(sql, tenantId, presented) : undefined;
    },
  };
}

/** Whose the tokens are: the user's, or the client's own. */
export function ownerOf({ userId, clientId }: Pick<Family, "userId" | "clientId">) {
  return userId === null ? { type: "Application", id: clientId } : { type: "User", id: userId };
}

function ended(): TokenError {
  return new TokenError("invalid_grant", "The refresh token has expired or was revoked. Ask for a new grant.");
}

function signedFamily({ familyId, clientId, scopes, resources, expiresAt }: ClientRefreshGrant) {
  return { id: familyId, clientId, scopes, resources, expiresOn: new Date(expiresAt * 1000) };
}

/** The family of a signed token that was never used. */
function unwritten(signed: ClientRefreshGrant): Family {
  return {
    id: signed.familyId,
    clientId: signed.clientId,
    userId: null,
    scopes: signed.scopes,
    resources: signed.resources,
    claims: [],
    sessionId: null,
    authTime: null,
    acr: null,
    amr: null,
    jkt: null,
    generation: 0,
    former: null,
    isJustRotated: false,
    rotatedOn: new Date(signed.issuedAt * 1000),
    endsOn: new Date(signed.expiresAt * 1000),
    isLive: true,
  };
}

// A refresh token as its holder sees it: opaque, it names its family, client and generation under a MAC by MASTER_KEY.
// So nothing of it is stored, and the same rotation asked for twice gives the same value.

const FAMILY_BYTES = 16;
const CLIENT_BYTES = 8;
const GENERATION_BYTES = 4;
const MAC_BYTES = 32;
const NAMED_BYTES = FAMILY_BYTES + CLIENT_BYTES + GENERATION_BYTES;

export interface RefreshValue {
  familyId: string;
  clientId: number;
  /** Its number in the family. */
  generation: number;
}

export interface RefreshValues {
  write(value: RefreshValue): string;
  /** @returns undefined if it is not one of ours */
  read(text: string): RefreshValue | undefined;
}

function createRefreshValues(vault: Vault): RefreshValues {
  const keys = vault.keysFor("refresh token");
  const mac = (named: Uint8Array, key: Buffer) => createHmac("sha256", key).update(named).digest();

  return {
    write({ familyId, clientId, generation }) {
      const named = Buffer.alloc(NAMED_BYTES);
      named.write(familyId.replaceAll("-", ""), "hex");
      named.writeBigUInt64BE(BigInt(clientId), FAMILY_BYTES);
      named.writeUInt32BE(generation, FAMILY_BYTES + CLIENT_BYTES);
      return Buffer.concat([named, mac(named, keys[0])]).toString("base64url");
    },
    read(text) {
      const bytes = Buffer.from(text, "base64url");
      // base64 leaves several spellings open; only ours is taken.
      if (bytes.length !== NAMED_BYTES + MAC_BYTES || bytes.toString("base64url") !== text) return undefined;
      const named = bytes.subarray(0, NAMED_BYTES);
      if (!keys.some((key) => timingSafeEqual(mac(named, key), bytes.subarray(NAMED_BYTES)))) return undefined;
      return {
        familyId: uuid(named.subarray(0, FAMILY_BYTES)),
        clientId: Number(named.readBigUInt64BE(FAMILY_BYTES)),
        generation: named.readUInt32BE(FAMILY_BYTES + CLIENT_BYTES),
      };
    },
  };
}

function uuid(bytes: Buffer): string {
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
