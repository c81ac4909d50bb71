// The installation's signing keys, to be looked at.

import { API_PATH } from "../http/paths.ts";
import { SIGNING_ALGS } from "../oauth/index.ts";
import { json, operation, pageOf } from "./operation.ts";
import { type Area, type Schema, schemaRef } from "./types.ts";

const TAG = "SigningKey";

export function signingKeys(): Area {
  return {
    tags: [{ name: TAG, description: "The keys that tokens are signed by; they are the installation's, no tenant's." }],
    paths: {
      [`${API_PATH}/SigningKey`]: {
        get: operation({
          id: "listSigningKeys",
          tag: TAG,
          summary: "List the keys that are published, with their dates",
          description:
            "The newest first, without those that the caller may not read. The keys themselves stand at " +
            "`/.well-known/jwks.json`. Who runs the installation replaces one that has leaked by `bun run keys rotate`.",
          scopes: ["Settings:Read"],
          answers: { 200: json("All of them.", pageOf(schemaRef(TAG)), { Items: [EXAMPLE], Next: null }) },
          errors: ["ServiceBusy"],
        }),
      },
    },
    schemas: { SigningKey: SIGNING_KEY },
  };
}

const EXAMPLE = {
  Id: "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k",
  Alg: "EdDSA",
  State: "Signing",
  SignsFrom: "2026-01-31T12:00:00.000Z",
  SignsUntil: "2026-05-01T12:00:00.000Z",
  PublishedUntil: "2026-06-01T12:00:00.000Z",
};

const time = (description: string): Schema => ({ type: "string", format: "date-time", description });

const SIGNING_KEY: Schema = {
  type: "object",
  required: Object.keys(EXAMPLE),
  properties: {
    Id: { type: "string", description: "The kid of a token's header, and in the key set." },
    Alg: { type: "string", enum: [...SIGNING_ALGS], description: "What it signs by." },
    State: {
      type: "string",
      enum: ["Announced", "Signing", "Retired"],
      description: "Published but not signing yet; the one that signs; published still for the tokens it has signed.",
    },
    SignsFrom: time("When it begins to sign."),
    SignsUntil: time("When its successor takes over; of the newest key, when one is due."),
    PublishedUntil: time("When it is removed, its last token having expired."),
  },
};
