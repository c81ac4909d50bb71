// A connection's new secret, and its proof.

import { API_PATH } from "../http/paths.ts";
import { MOST_OVERLAP_SECONDS, ROTATION_STATES, SECRET_LIMIT } from "../webhooks/index.ts";
import { json, jsonBody, operation } from "./operation.ts";
import { uuidParameter } from "./parameters.ts";
import { type PathItem, type Schema, schemaRef } from "./types.ts";
import { EXAMPLE_PINGED } from "./webhook-examples.ts";

const PATH = `${API_PATH}/WebhookConnection/{Id}/Secret`;
const Id = uuidParameter("Id", "The connection's Id.");

export function secretPaths(tag: string): Record<string, PathItem> {
  return {
    [PATH]: {
      get: operation({
        id: "getWebhookSecret",
        tag,
        summary: "Read how a change of the secret stands",
        description: "No secret is ever read back.",
        scopes: ["Webhooks:Read"],
        parameters: [Id],
        answers: { 200: json("How it stands.", schemaRef("WebhookSecret"), OVERLAP) },
        errors: ["NotFound"],
      }),
      post: operation({
        id: "stageWebhookSecret",
        tag,
        summary: "Stage a new secret",
        description:
          "From now on it signs beside the one in force in webhook-signature, so that a receiver by Standard Webhooks " +
          "may change to it at any time; X-Signature stays with the one in force until the new one is proved. It takes " +
          "the place of one that was staged before.",
        scopes: ["Webhooks:Update"],
        parameters: [Id],
        requestBody: jsonBody("Empty: a secret is generated.", schemaRef("WebhookSecretData"), {
          generated: {},
          given: { Secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", OverlapSeconds: 3_600 },
        }),
        answers: {
          200: json("The secret, if it was generated; it is never shown again.", schemaRef("NewWebhookSecret"), {
            ...STAGED,
            Secret: "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD",
          }),
        },
        errors: ["BadInput", "NotFound"],
      }),
      delete: operation({
        id: "endWebhookSecretRotation",
        tag,
        summary: "Give up a staged secret, and end a former one at once",
        description: "The secret in force stays. That one is taken away by WebhookConnection's `Secret: null`.",
        scopes: ["Webhooks:Update"],
        parameters: [Id],
        answers: { 200: json("How it stands.", schemaRef("WebhookSecret"), IN_FORCE) },
        errors: ["NotFound"],
      }),
    },
    [`${PATH}/Prove`]: {
      post: operation({
        id: "proveWebhookSecret",
        tag,
        summary: "Put a staged secret in force, if the receiver knows it",
        description:
          "Sends a ping signed by the staged secret alone. A 2xx to it puts that secret in force, also for X-Signature, " +
          "and the former one signs beside it for OverlapSeconds. Anything else leaves all as it is; GET says why.",
        scopes: ["Webhooks:Update"],
        parameters: [Id],
        answers: { 200: json("The proof is on its way.", schemaRef("WebhookSecret"), PROVING) },
        errors: ["NotFound", "Conflict"],
      }),
    },
  };
}

export function secretSchemas(): Record<string, Schema> {
  return {
    WebhookSecretData: {
      type: "object",
      properties: {
        Secret: { type: ["string", "null"], maxLength: SECRET_LIMIT, writeOnly: true },
        OverlapSeconds: {
          type: ["integer", "null"],
          format: "int32",
          minimum: 0,
          maximum: MOST_OVERLAP_SECONDS,
          description: "For how long the former secret signs as well; null: as WEBHOOK_SECRET_OVERLAP says.",
        },
      },
      additionalProperties: false,
    },
    WebhookSecret: { type: "object", required: Object.keys(FIELDS), properties: FIELDS },
    NewWebhookSecret: {
      type: "object",
      required: [...Object.keys(FIELDS), "Secret"],
      properties: {
        ...FIELDS,
        Secret: { type: ["string", "null"], description: "It is never shown again; null: it was given." },
      },
    },
  };
}

const TIME: Schema = { type: ["string", "null"], format: "date-time" };

const FIELDS: Record<string, Schema> = {
  State: {
    type: "string",
    enum: ROTATION_STATES,
    description:
      "None: calls are not signed. Staged: a secret waits to be proved. Proving: the ping is on its way. Refused: it " +
      "got no 2xx; prove it again, or give it up. Overlap: the new secret is in force, and the former one signs too.",
  },
  StagedOn: TIME,
  OverlapSeconds: { type: ["integer", "null"], format: "int32", description: "Of the staged secret." },
  Proof: {
    description: "The last ping that was to prove the staged secret; its EventId stands in the activity log.",
    anyOf: [
      {
        type: "object",
        required: ["EventId", "State", "Reason"],
        properties: {
          EventId: { type: "string", format: "uuid" },
          State: { type: "string", description: "The delivery's." },
          Reason: { type: ["string", "null"], description: "Why it failed." },
        },
      },
      { type: "null" },
    ],
  },
  FormerUntil: { ...TIME, description: "Until then the former secret signs as well." },
};

const IN_FORCE = { State: "InForce", StagedOn: null, OverlapSeconds: null, Proof: null, FormerUntil: null };
const OVERLAP = { ...IN_FORCE, State: "Overlap", FormerUntil: "2026-02-01T12:00:00.000Z" };
const STAGED = { ...IN_FORCE, State: "Staged", StagedOn: "2026-01-31T12:00:00.000Z", OverlapSeconds: 86_400 };
const PROVING = {
  ...STAGED,
  State: "Proving",
  Proof: { EventId: EXAMPLE_PINGED.EventId, State: "Pending", Reason: null },
};
