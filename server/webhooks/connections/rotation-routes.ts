import { Type } from "@sinclair/typebox";
import { NO_STORE } from "../../platform/http/conditions.ts";
import { orNull } from "../../platform/http/fields.ts";
import type { Route } from "../../platform/http/route.ts";
import { route } from "../../records/index.ts";
import { CONNECTION_ID, CONNECTION_TAG } from "./routes.ts";
import { ROTATION, type Rotations, STAGING } from "./secret-rotation.ts";

export function secretRoutes(rotations: Rotations): Route[] {
  const path = "/WebhookConnection/{Id}/Secret";
  const shared = { tag: CONNECTION_TAG, params: CONNECTION_ID };
  return [
    route({
      ...shared,
      method: "GET",
      path,
      id: "getWebhookSecret",
      summary: "Read the state of a change of the secret",
      description: "Secrets are never returned.",
      scopes: ["Webhooks:Read"],
      answer: { description: "The state of the change.", schema: ROTATION, example: OVERLAP },
      handle: (caller, { params: { Id } }) => rotations.read(caller, Id),
    }),
    route({
      ...shared,
      method: "POST",
      path,
      id: "stageWebhookSecret",
      summary: "Stage a new secret",
      description:
        "It signs beside the current secret in webhook-signature, so a Standard Webhooks receiver " +
        "can switch to it at any time; X-Signature uses the current secret until the new one is confirmed. It replaces " +
        "an earlier staged secret.",
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
        description: "The secret if generated; it is not shown again.",
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
      summary: "Withdraw a staged secret, and end a former one at once",
      description: "The current secret stays. Remove it with `Secret: null` of WebhookConnection.",
      scopes: ["Webhooks:Update"],
      answer: { description: "The state of the change.", schema: ROTATION, example: IN_FORCE },
      handle: (caller, { params: { Id } }) => rotations.giveUp(caller, Id),
    }),
    route({
      ...shared,
      method: "POST",
      path: `${path}/Prove`,
      id: "proveWebhookSecret",
      summary: "Put a staged secret in force if the receiver has it",
      description:
        "Sends a ping signed only with the staged secret. A 2xx puts that secret in force, also for X-Signature, " +
        "and the former one signs beside it for OverlapSeconds. Otherwise nothing changes; GET returns the reason.",
      scopes: ["Webhooks:Update"],
      answer: { description: "The ping is being sent.", schema: ROTATION, example: PROVING },
      errors: ["Conflict"],
      handle: (caller, { params: { Id } }) => rotations.prove(caller, Id),
    }),
  ];
}

const STAGED = Type.Object(
  {
    ...ROTATION.properties,
    Secret: orNull(Type.String({ description: "It is not shown again; null: not generated." })),
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
