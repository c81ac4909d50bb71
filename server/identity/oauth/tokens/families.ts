// Refresh token families (RFC 9700 4.14.2): each use rotates the token. The former token stays valid until its
// successor is used, for clients that lost the response; using it replaces the successor. Any other token ends the
// family, because of two holders one will present a replaced token.

import { createHmac, timingSafeEqual } from "node:crypto";
import type { Queries, Sql } from "../../../platform/db/sql.ts";
import type { TenantId } from "../../../platform/ids.ts";
import type { Vault } from "../../../platform/vault.ts";
import { type Origin, recordAudit } from "../../../records/index.ts";
import { TokenError } from "../errors.ts";
import {
  advanceFamily,
  type Family,
  type FamilyFilter,
  findFamily,
  insertFamily,
  type NewFamily,
  updateFamiliesRevoked,
} from "./families.store.ts";
import type { ClientRefreshGrant, Tokens } from "./tokens.ts";

/** The maximum lifetime in seconds since sign-in, for a client without RefreshTokenLifetime. */
const FAMILY_LIFETIME = 90 * 24 * 3_600;

export interface UserGrant {
  clientId: number;
  userId: number;
  scopes: string[];
  /** Default: the entity API. */
  resources?: string[];
  /** Names of userinfo claims beyond those of the scopes. */
  claims?: string[];
  /** Seconds from now; default: FAMILY_LIFETIME. */
  lifetime?: number;
  /** The sign-in session, a UUID. */
  sessionId?: string;
  /** Seconds since 1970. */
  authTime: number;
  acr?: string;
  amr?: string[];
  /** The thumbprint of the key required for refreshing (RFC 9449 5). */
  jkt?: string | undefined;
}

/** A presented refresh token of this issuer. */
export interface PresentedRefreshToken extends RefreshValue {
  /** Set for the signed first token of a client credentials grant. */
  signed?: ClientRefreshGrant;
}

export interface RefreshUse {
  /** The token is not rotated. */
  keepsToken: boolean;
  origin: Origin;
  /** Checks the family before it is changed. */
  check(family: Family): Promise<void>;
}

export interface Families {
  /** The family of a user's grant, which the caller stores. */
  start(grant: UserGrant): { family: NewFamily; familyId: string; refreshToken: string };
  /** @returns undefined if it is not of this issuer, or its signature has expired */
  read(refreshToken: string): Promise<PresentedRefreshToken | undefined>;
  /** The family with this newest token; undefined if it has ended. */
  liveFamily(sql: Queries, tenantId: TenantId, presented: PresentedRefreshToken): Promise<Family | undefined>;
  /** @throws TokenError invalid_grant; a reused or replaced token also ends its family */
  refresh(
    sql: Sql,
    tenantId: TenantId,
    presented: PresentedRefreshToken,
    use: RefreshUse,
  ): Promise<{ family: Family; refreshToken: string }>;
  /** Ends families and all their tokens. @returns the number of live ones */
  revoke(sql: Queries, tenantId: TenantId, filter: FamilyFilter): Promise<number>;
  /** Ends the family even if it is not stored yet. @returns undefined if it had already ended */
  revokePresented(sql: Queries, tenantId: TenantId, presented: PresentedRefreshToken): Promise<Family | undefined>;
}

export interface FamilyDependencies {
  vault: Vault;
  tokens: Pick<Tokens, "readClientRefreshToken">;
  /** Called with a family that ended because a token was reused, which indicates theft. */
  onReuse(tenantId: TenantId, family: Family): void;
}

export function createFamilies({ vault, tokens, onReuse }: FamilyDependencies): Families {
  const values = createRefreshValues(vault);

  const find = async (sql: Queries, tenantId: TenantId, presented: PresentedRefreshToken) =>
    (await findFamily(sql, tenantId, presented)) ??
    (presented.signed?.tenantId === tenantId ? unwritten(presented.signed) : undefined);

  const revoke = updateFamiliesRevoked;

  /** The first use of a signed token stores its family. */
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
    start({ lifetime = FAMILY_LIFETIME, ...grant }) {
      const [id, generation] = [Bun.randomUUIDv7(), 0];
      const authTime = new Date(grant.authTime * 1000);
      return {
        family: { ...grant, id, authTime, generation, expiresOn: lifetime },
        familyId: id,
        refreshToken: values.write({ familyId: id, clientId: grant.clientId, isUsers: true, generation }),
      };
    },

    async read(refreshToken) {
      if (!refreshToken.includes(".")) return values.read(refreshToken);
      const signed = await tokens.readClientRefreshToken(refreshToken);
      return signed && { familyId: signed.familyId, clientId: signed.clientId, isUsers: false, generation: 0, signed };
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
        refreshToken: values.write({ familyId: of.id, clientId: of.clientId, isUsers: of.userId !== null, generation }),
      });
      const { generation: newest, former, isJustRotated } = family;
      // The client lost the last response, so the token in it is replaced.
      const isLost = former === presented.generation && !isJustRotated;
      // A signed token has no row before its first use.
      const next = keepsToken && !presented.signed ? newest : newest + 1;
      const isGood = newest === presented.generation || isLost;
      if (isGood && (await advance(sql, tenantId, presented, newest, next))) return answer(family, next);
      // The token was already used, possibly by a concurrent request.
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
      throw new TokenError("invalid_grant", "The refresh token was already used; all tokens of its grant are revoked.");
    },

    revoke,

    async revokePresented(sql, tenantId, presented) {
      if (presented.signed) await insertFamily(sql, tenantId, { ...signedFamily(presented.signed), generation: 0 });
      const revoked = await revoke(sql, tenantId, { familyId: presented.familyId });
      return revoked > 0 ? find(sql, tenantId, presented) : undefined;
    },
  };
}

export function ownerOf({ userId, clientId }: Pick<Family, "userId" | "clientId">) {
  return userId === null ? { type: "Application", id: clientId } : { type: "User", id: userId };
}

function ended(): TokenError {
  return new TokenError("invalid_grant", "The refresh token has expired or was revoked. Request a new grant.");
}

function signedFamily({ familyId, clientId, scopes, resources, expiresAt }: ClientRefreshGrant) {
  return { id: familyId, clientId, scopes, resources, expiresOn: new Date(expiresAt * 1000) };
}

/** The family of a signed token before its first use. */
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
    ofRoles: [],
    consent: null,
  };
}

// A refresh token is opaque to its holder. It names its family, client, kind and generation under a MAC of MASTER_KEY. So
// nothing is stored, and repeating a rotation gives the same value.

const FAMILY_BYTES = 16;
const CLIENT_BYTES = 8;
const KIND_BYTES = 1;
const GENERATION_BYTES = 4;
const MAC_BYTES = 32;
const NAMED_BYTES = FAMILY_BYTES + CLIENT_BYTES + KIND_BYTES + GENERATION_BYTES;

export interface RefreshValue {
  familyId: string;
  clientId: number;
  /** A user's grant, not the client's own. */
  isUsers: boolean;
  generation: number;
}

export interface RefreshValues {
  write(value: RefreshValue): string;
  /** @returns undefined if it is not of this issuer */
  read(text: string): RefreshValue | undefined;
}

function createRefreshValues(vault: Vault): RefreshValues {
  const keys = vault.keysFor("refresh token");
  const mac = (named: Uint8Array, key: Buffer) => createHmac("sha256", key).update(named).digest();

  return {
    write({ familyId, clientId, isUsers, generation }) {
      const named = Buffer.alloc(NAMED_BYTES);
      named.write(familyId.replaceAll("-", ""), "hex");
      named.writeBigUInt64BE(BigInt(clientId), FAMILY_BYTES);
      named.writeUInt8(isUsers ? 1 : 0, FAMILY_BYTES + CLIENT_BYTES);
      named.writeUInt32BE(generation, FAMILY_BYTES + CLIENT_BYTES + KIND_BYTES);
      return Buffer.concat([named, mac(named, keys[0])]).toString("base64url");
    },
    read(text) {
      const bytes = Buffer.from(text, "base64url");
      // base64 allows several spellings; only the canonical one is accepted.
      if (bytes.length !== NAMED_BYTES + MAC_BYTES || bytes.toString("base64url") !== text) return undefined;
      const named = bytes.subarray(0, NAMED_BYTES);
      if (!keys.some((key) => timingSafeEqual(mac(named, key), bytes.subarray(NAMED_BYTES)))) return undefined;
      return {
        familyId: uuid(named.subarray(0, FAMILY_BYTES)),
        clientId: Number(named.readBigUInt64BE(FAMILY_BYTES)),
        isUsers: named.readUInt8(FAMILY_BYTES + CLIENT_BYTES) === 1,
        generation: named.readUInt32BE(FAMILY_BYTES + CLIENT_BYTES + KIND_BYTES),
      };
    },
  };
}

function uuid(bytes: Buffer): string {
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
