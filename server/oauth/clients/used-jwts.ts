// How many JWTs of a client may be alive that were used. They are counted as seldom as the room that was found allows.

import { LRUCache } from "lru-cache";
import type { Sql } from "../../db/sql.ts";
import type { TenantId } from "../../ids.ts";
import { insertUsedJwt, type UsedJwt } from "./used-jwts.store.ts";

/** Of one client that have not expired. */
export const MAX_USED_JWTS = 20_000;
/** Of the room that is found, a process takes one part: up to so many of them fill no more than there is. */
const PROCESSES = 8;
/** After which the room is looked for again. */
const ROOM_KEPT_MS = 60_000;
/** Clients whose room is known; of the others it is looked for. */
const CLIENTS = 20_000;

/** What came of using one. */
export type JwtUse = "First" | "Used" | "TooMany";
export type UseJwt = (tenantId: TenantId, jwt: UsedJwt) => Promise<JwtUse>;

export function createUseJwt(sql: Sql): UseJwt {
  const rooms = new LRUCache<number, number>({ max: CLIENTS, ttl: ROOM_KEPT_MS, noUpdateTTL: true });

  return async (tenantId, jwt) => {
    const { clientId } = jwt;
    const room = rooms.get(clientId) ?? 0;
    if (room > 0) rooms.set(clientId, room - 1);
    const { isFirst, live } = await insertUsedJwt(sql, tenantId, jwt, room > 0 ? undefined : MAX_USED_JWTS);
    if (room <= 0) {
      rooms.delete(clientId);
      rooms.set(clientId, Math.floor((MAX_USED_JWTS - 1 - live) / PROCESSES));
    }
    if (isFirst) return "First";
    return live >= MAX_USED_JWTS ? "TooMany" : "Used";
  };
}
