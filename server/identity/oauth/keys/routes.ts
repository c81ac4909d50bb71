// The signing keys for administrators, read-only. They belong to the installation, so only `bun run keys rotate`
// replaces them.

import { Type } from "@sinclair/typebox";
import type { Sql } from "../../../platform/db/sql.ts";
import { type RecordOf, readOnly, serverTime, word } from "../../../platform/http/fields.ts";
import type { Route } from "../../../platform/http/route.ts";
import { type Permitted, record, route, SETTING, type ShownPage } from "../../../records/index.ts";
import { SIGNING_ALGS } from "../contract.ts";
import { KEY_STATES, livesOf } from "./key-rotation.ts";
import { currentTime, listKeyDates } from "./store.ts";

/** The Id is the `kid`. */
export const SIGNING_KEY = record("SigningKey", {
  table: "signing_keys",
  description: "",
  scopes: SETTING,
  fields: {
    Id: readOnly(Type.String(), {
      description: "The kid in token headers and in the key set.",
      column: "kid",
      judged: true,
      example: "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k",
    }),
    Alg: readOnly(word(SIGNING_ALGS), { description: "The signature algorithm.", judged: true, example: "EdDSA" }),
    State: readOnly(word(KEY_STATES), {
      description: "Announced: not signing yet. Signing. Retired: still published to verify its tokens.",
      judged: true,
      example: "Signing",
    }),
    SignsFrom: serverTime({ description: "When it starts signing.", example: "2026-01-31T12:00:00.000Z" }),
    SignsUntil: serverTime({
      description: "When its successor takes over; for the newest key, when one is due.",
      example: "2026-05-01T12:00:00.000Z",
    }),
    PublishedUntil: serverTime({
      description: "When it is removed, after its last token has expired.",
      example: "2026-06-01T12:00:00.000Z",
    }),
  },
  texts: { group: "The keys that sign tokens, shared by all tenants.", remove: "" },
});
export type SigningKeyRecord = RecordOf<typeof SIGNING_KEY.field>;

export function signingKeyRoutes(keys: PublishedKeys): Route[] {
  return [
    route({
      method: "GET",
      path: "/SigningKey",
      id: "listSigningKeys",
      tag: { name: SIGNING_KEY.name, description: SIGNING_KEY.texts.group },
      summary: "List the published keys with their dates",
      description:
        "Newest first; contains only keys that the caller may read. The public keys are at " +
        "`/.well-known/jwks.json`. If a key leaks, the operator removes it and invalidates its tokens with " +
        "`bun run keys rotate --leaked`.",
      scopes: ["Settings:Read"],
      answer: { description: "All of them.", schema: SIGNING_KEY.record, example: SIGNING_KEY.example, list: true },
      errors: ["ServiceBusy"],
      handle: (caller) => keys.list(caller),
    }),
  ];
}

export interface PublishedKeys {
  /** All keys, newest first, without those that the caller may not read. @throws ServiceBusy */
  list(caller: Permitted<"Settings:Read">): Promise<ShownPage<SigningKeyRecord>>;
}

export function createPublishedKeys(sql: Sql): PublishedKeys {
  return {
    async list({ gate }) {
      const lives = livesOf(await listKeyDates(sql), await currentTime(sql));
      const keys = lives.map((key) => SIGNING_KEY.toRecord(key));
      return gate.page(await gate.only(SIGNING_KEY.name, keys), keys.length);
    },
  };
}
