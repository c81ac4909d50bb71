// Limits a client's unexpired used JWTs. They are counted only as often as the remaining room requires.

import { LRUCache } from "lru-cache";
import type { Sql } from "../../../platform/db/sql.ts";
import type { TenantId } from "../../../platform/ids.ts";
import { insertUsedJwt, type UsedJwt } from "./used-jwts.store.ts";

export const MAX_USED_JWTS = 20_000;
/** A process uses this fraction of the remaining room, so this many processes stay within the limit. */
const PROCESSES = 8;
/** Milliseconds until the remaining number is counted again. */
const ROOM_KEPT_MS = 60_000;
/** The maximum number of clients with a cached number. */
const CLIENTS = 20_000;

export type JwtUse = "First" | "Used" | "TooMany";
/** @returns also the client's version now */
export type UseJwt = (tenantId: TenantId, jwt: UsedJwt) => Promise<{ use: JwtUse; version: string | null }>;

export function createUseJwt(sql: Sql): UseJwt {
  const rooms = new LRUCache<number, number>({ max: CLIENTS, ttl: ROOM_KEPT_MS, noUpdateTTL: true });

  return async (tenantId, jwt) => {
    const { clientId } = jwt;
    const room = rooms.get(clientId) ?? 0;
    if (room > 0) rooms.set(clientId, room - 1);
    const { isFirst, live, version } = await insertUsedJwt(sql, tenantId, jwt, room > 0 ? undefined : MAX_USED_JWTS);
    if (room <= 0) {
      rooms.delete(clientId);
      rooms.set(clientId, Math.floor((MAX_USED_JWTS - 1 - live) / PROCESSES));
    }
    if (isFirst) return { use: "First", version };
    return { use: live >= MAX_USED_JWTS ? "TooMany" : "Used", version };
  };
}
