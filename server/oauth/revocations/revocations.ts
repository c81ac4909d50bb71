// Revoked access tokens, in memory: the API asks at every call, so it must cost nothing.

import type { Sql } from "../../db/connection.ts";
import { watch } from "../../db/watch.ts";
import { listRevoked, REVOCATION_CHANNEL } from "./store.ts";

export interface Revocations {
  /** Whether any of these, a jti or a family's id, was revoked. */
  isRevoked(...ids: string[]): Promise<boolean>;
  /** Resolves once what was revoked before is refused here. */
  reload(): Promise<void>;
}

export function createRevocations(sql: Sql): Revocations {
  /** Id → when its tokens have expired anyway. */
  const revoked = new Map<string, Date>();
  let since: Date | undefined;

  const watched = watch(sql, REVOCATION_CHANNEL, async () => {
    const { now, next, added } = await listRevoked(sql, since);
    for (const { id, expiresOn } of added) revoked.set(id, expiresOn);
    since = next;
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
