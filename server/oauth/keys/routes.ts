// The signing keys for administrators, read-only. They belong to the installation, so only `bun run keys rotate`
// replaces them.

import { Type } from "@sinclair/typebox";
import { type Permitted, type ResourceType, route, type ShownPage } from "../../access/index.ts";
import type { Sql } from "../../db/sql.ts";
import { time, word } from "../../http/fields.ts";
import type { Route } from "../../http/route.ts";
import { SIGNING_ALGS } from "../contract.ts";
import { type KeyLife, livesOf } from "./rotation.ts";
import { currentTime, listKeyDates } from "./store.ts";

/** Signing keys in policies; the Id is the `kid`. */
export const SIGNING_KEY_RESOURCE_TYPE: ResourceType = {
  name: "SigningKey",
  families: ["Settings"],
  attributes: [
    { name: "Id", type: "text" },
    { name: "Alg", type: "text" },
    { name: "State", type: "text" },
  ],
};

export function signingKeyRoutes(keys: PublishedKeys): Route[] {
  return [
    route({
      method: "GET",
      path: "/SigningKey",
      id: "listSigningKeys",
      tag: {
        name: "SigningKey",
        description: "The keys that sign tokens, shared by all tenants.",
      },
      summary: "List the published keys with their dates",
      description:
        "Newest first; contains only keys that the caller may read. The public keys are at " +
        "`/.well-known/jwks.json`. If a key leaks, the operator removes it and invalidates its tokens with " +
        "`bun run keys rotate --leaked`.",
      scopes: ["Settings:Read"],
      answer: { description: "All of them.", schema: SIGNING_KEY, example: EXAMPLE, list: true },
      errors: ["ServiceBusy"],
      handle: (caller) => keys.list(caller),
    }),
  ];
}

const SIGNING_KEY = Type.Object(
  {
    Id: Type.String({ description: "The kid in token headers and in the key set." }),
    Alg: word(SIGNING_ALGS, { description: "The signature algorithm." }),
    State: word(["Announced", "Signing", "Retired"], {
      description: "Announced: not signing yet. Signing. Retired: still published to verify its tokens.",
    }),
    SignsFrom: time("When it starts signing."),
    SignsUntil: time("When its successor takes over; for the newest key, when one is due."),
    PublishedUntil: time("When it is removed, after its last token has expired."),
  },
  { $id: "SigningKey" },
);

const EXAMPLE = {
  Id: "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k",
  Alg: "EdDSA",
  State: "Signing",
  SignsFrom: "2026-01-31T12:00:00.000Z",
  SignsUntil: "2026-05-01T12:00:00.000Z",
  PublishedUntil: "2026-06-01T12:00:00.000Z",
};

export type SigningKeyRecord = ReturnType<typeof toRecord>;

export interface PublishedKeys {
  /** All keys, newest first, without those that the caller may not read. @throws ServiceBusy */
  list(caller: Permitted<"Settings:Read">): Promise<ShownPage<SigningKeyRecord>>;
}

export function createPublishedKeys(sql: Sql): PublishedKeys {
  return {
    async list({ gate }) {
      const keys = livesOf(await listKeyDates(sql), await currentTime(sql)).map(toRecord);
      return gate.page(await gate.only(SIGNING_KEY_RESOURCE_TYPE.name, keys));
    },
  };
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
