// The signing keys as an administrator sees them. They are the installation's, no tenant's, so no tenant replaces them:
// that is for `bun run keys rotate`.

import type { Permitted, ShownPage } from "../../access/index.ts";
import type { Sql } from "../../db/connection.ts";
import { SIGNING_KEY_RESOURCE_TYPE } from "./resource-type.ts";
import { type KeyLife, livesOf } from "./rotation.ts";
import { currentTime, listKeyDates } from "./store.ts";

export type SigningKeyRecord = ReturnType<typeof toRecord>;

/** @returns all keys, the newest first, without those that the caller may not read @throws ServiceBusy */
export async function readSigningKeys(
  sql: Sql,
  caller: Permitted<"Settings:Read">,
): Promise<ShownPage<SigningKeyRecord>> {
  const keys = livesOf(await listKeyDates(sql), await currentTime(sql)).map(toRecord);
  return caller.gate.page(await caller.gate.only(SIGNING_KEY_RESOURCE_TYPE.name, keys));
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
