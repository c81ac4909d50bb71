// Revoked access tokens, in memory: the API asks at every call, so it must cost nothing.

import type { Sql } from "../../db/connection.ts";
import { watch } from "../../db/watch.ts";
import { listRevoked, REVOCATION_CHANNEL } from "./store.ts";

/** A transaction may commit its revocation later than its clock says, and clocks differ; we look back this far. */
const OVERLAP_MS = 60_000;

export interface Revocations {
  /** Whether any of these, a jti or a family's id, was revoked. */
  isRevoked(...ids: string[]): Promise<boolean>;
  /** Resolves once what was revoked before is refused here. */
  reload(): Promise<void>;
}

export function createRevocations(sql: Sql): Revocations {
  /** Id → when its tokens have expired anyway, in milliseconds. */
  const revoked = new Map<string, number>();
  let since = new Date(0);

  const watched = watch(sql, REVOCATION_CHANNEL, async () => {
    const now = Date.now();
    for (const { id, expiresOn } of await listRevoked(sql, since)) revoked.set(id, expiresOn.getTime());
    since = new Date(now - OVERLAP_MS);
    for (const [id, expiresOn] of revoked) if (expiresOn < now) revoked.delete(id);
  });

  return {
    async isRevoked(...ids) {
      await watched.current();
      return ids.some((id) => revoked.has(id));
    },
    reload: watched.reload,
  };
}
