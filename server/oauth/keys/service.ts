// The signing keys as an administrator sees them. They are the installation's, no tenant's, so no tenant replaces them:
// that is for `bun run keys rotate`.

import { type Caller, requireScopes } from "../../access/index.ts";
import type { Sql } from "../../db/connection.ts";
import type { Page } from "../../http/paging.ts";
import { SIGNING_KEY_RESOURCE_TYPE } from "./resource-type.ts";
import { type KeyLife, livesOf } from "./rotation.ts";
import { listKeyDates } from "./store.ts";

export type SigningKeyRecord = ReturnType<typeof toRecord>;

/** @returns all keys, the newest first, without those that the caller may not read @throws Permission, ServiceBusy */
export async function readSigningKeys(sql: Sql, caller: Caller): Promise<Page<SigningKeyRecord>> {
  requireScopes(caller, "Settings:Read");
  return caller.permissions.readable("Settings:Read", SIGNING_KEY_RESOURCE_TYPE.name, async () => {
    const keys = livesOf(await listKeyDates(sql));
    return { Items: keys.map(toRecord), Next: null };
  });
}

function toRecord({ kid, alg, state, ...dates }: { kid: string; alg: string } & KeyLife) {
  return {
    Id: kid,
    Alg: alg,
    State: state,
    SignsFrom: dates.signsFrom.toISOString(),
    SignsUntil: dates.signsUntil.toISOString(),
    PublishedUntil: dates.publishedUntil.toISOString(),
  };
}
