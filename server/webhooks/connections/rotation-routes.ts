// WebhookConnection/{Id}/Secret.

import { Type } from "@sinclair/typebox";
import { route } from "../../access/index.ts";
import { NO_STORE } from "../../http/conditions.ts";
import { orNull } from "../../http/fields.ts";
import type { Route } from "../../http/route.ts";
import { ROTATION, type Rotations, STAGING } from "./rotation.ts";
import { CONNECTION_ID, CONNECTION_TAG } from "./routes.ts";

export function secretRoutes(rotations: Rotations): Route[] {
  const path = "/WebhookConnection/{Id}/Secret";
  const shared = { tag: CONNECTION_TAG, params: CONNECTION_ID };
  return [
    route({
      ...shared,
      method: "GET",
      path,
      id: "getWebhookSecret",
      summary: "Read how a change of the secret stands",
      description: "No secret is ever read back.",
      scopes: ["Webhooks:Read"],
      answer: { description: "How it stands.", schema: ROTATION, example: OVERLAP },
      handle: (caller, { params: { Id } }) => rotations.read(caller, Id),
    }),
    route({
      ...shared,
      method: "POST",
      path,
      id: "stageWebhookSecret",
      summary: "Stage a new secret",
      description:
        "From now on it signs beside the one in force in webhook-signature, so that a receiver by Standard Webhooks " +
        "may change to it at any time; X-Signature stays with the one in force until the new one is proved. It takes " +
        "the place of one that was staged before.",
      scopes: ["Webhooks:Update"],
      body: {
        ...STAGING,
        description: "Empty: a secret is generated.",
        examples: {
          generated: {},
          given: { Secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", OverlapSeconds: 3_600 },
        },
      },
      answer: {
        description: "The secret, if it was generated; it is never shown again.",
        schema: STAGED,
        example: { ...EXAMPLE_STAGED, Secret: "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD" },
        headers: NO_STORE,
      },
      handle: (caller, { params: { Id }, input }) => rotations.stage(caller, Id, input),
    }),
    route({
      ...shared,
      method: "DELETE",
      path,
      id: "endWebhookSecretRotation",
      summary: "Give up a staged secret, and end a former one at once",
      description: "The secret in force stays. That one is taken away by WebhookConnection's `Secret: null`.",
      scopes: ["Webhooks:Update"],
      answer: { description: "How it stands.", schema: ROTATION, example: IN_FORCE },
      handle: (caller, { params: { Id } }) => rotations.giveUp(caller, Id),
    }),
    route({
      ...shared,
      method: "POST",
      path: `${path}/Prove`,
      id: "proveWebhookSecret",
      summary: "Put a staged secret in force, if the receiver knows it",
      description:
        "Sends a ping signed by the staged secret alone. A 2xx to it puts that secret in force, also for X-Signature, " +
        "and the former one signs beside it for OverlapSeconds. Anything else leaves all as it is; GET says why.",
      scopes: ["Webhooks:Update"],
      answer: { description: "The proof is on its way.", schema: ROTATION, example: PROVING },
      errors: ["Conflict"],
      handle: (caller, { params: { Id } }) => rotations.prove(caller, Id),
    }),
  ];
}

const STAGED = Type.Object(
  {
    ...ROTATION.properties,
    Secret: orNull(Type.String({ description: "It is never shown again; null: it was given." })),
  },
  { $id: "NewWebhookSecret" },
);

const IN_FORCE = { State: "InForce", StagedOn: null, OverlapSeconds: null, Proof: null, FormerUntil: null };
const OVERLAP = { ...IN_FORCE, State: "Overlap", FormerUntil: "2026-02-01T12:00:00.000Z" };
const EXAMPLE_STAGED = { ...IN_FORCE, State: "Staged", StagedOn: "2026-01-31T12:00:00.000Z", OverlapSeconds: 86_400 };
const PROVING = {
  ...EXAMPLE_STAGED,
  State: "Proving",
  Proof: { EventId: "0197c6f2-3a1b-7c4d-8e5f-60718293a4b5", State: "Pending", Reason: null },
};
