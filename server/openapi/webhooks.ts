// Webhook connections, the activity log, and the call a receiver gets (docs/behaviour.md "Delivery").

import { DELIVERY_STATES } from "../../workflows/contract.ts";
import type { EntityDefinition } from "../entities/index.ts";
import { API_PATH } from "../http/paths.ts";
import { LOGGED_EVENT_TYPES, PING_RECORD, SEQUENCE_LIMIT } from "../webhooks/index.ts";
import { json, jsonBody, operation, pageOf } from "./operation.ts";
import { filter, parameterRef, uuidParameter } from "./parameters.ts";
import { type Area, type Operation, type Parameter, schemaRef } from "./types.ts";
import {
  EXAMPLE_CONNECTION,
  EXAMPLE_EVENT,
  EXAMPLE_EVENT_DETAIL,
  EXAMPLE_PAYLOAD,
  EXAMPLE_PING_PAYLOAD,
} from "./webhook-examples.ts";
import { webhookSchemas } from "./webhook-schemas.ts";

const CONNECTIONS_TAG = "WebhookConnection";
const LOG_TAG = "WebhookEvent";

export function webhooks(definitions: readonly EntityDefinition[]): Area {
  const names = definitions.map(({ name }) => name);
  return {
    tags: [{ name: LOG_TAG, description: "The activity log: every change, its deliveries and their attempts." }],
    paths: {
      [`${API_PATH}/WebhookEvent`]: { get: listEvents(names) },
      [`${API_PATH}/WebhookEvent/{EventId}`]: { get: getEvent() },
      [`${API_PATH}/WebhookEvent/{EventId}/Redeliver`]: { post: redeliverEvent() },
    },
    webhooks: { change: { post: changeCall() }, ping: { post: pingCall() } },
    schemas: webhookSchemas(names),
  };
}

function listEvents(names: string[]): Operation {
  return operation({
    id: "listWebhookEvent",
    tag: LOG_TAG,
    summary: "List changes and how their deliveries stand",
    description: "The newest first, without payload and attempts.",
    scopes: ["Webhooks:Read"],
    parameters: [
      parameterRef("Limit"),
      parameterRef("Cursor"),
      filter("EventRecord", "The entity's name.", { type: "string", enum: [...names, PING_RECORD] }),
      filter("EventType", "The kind of change.", { type: "string", enum: LOGGED_EVENT_TYPES }),
      filter("State", "Changes with a delivery in this state.", { type: "string", enum: DELIVERY_STATES }),
      filter("ConnectionId", "Changes with a delivery to this connection.", { type: "string", format: "uuid" }),
      filter("From", "Changes at this time or later.", { type: "string", format: "date-time" }),
      filter("To", "Changes before this time.", { type: "string", format: "date-time" }),
    ],
    answers: {
      200: json("A page of changes.", pageOf(schemaRef("WebhookEvent")), { Items: [EXAMPLE_EVENT], Next: null }),
    },
    errors: ["BadInput", "ServiceBusy"],
  });
}

function getEvent(): Operation {
  return operation({
    id: "getWebhookEvent",
    tag: LOG_TAG,
    summary: "Read one change with its payload, deliveries and attempts",
    scopes: ["Webhooks:Read"],
    parameters: [uuidParameter("EventId", "The EventId of the payload.")],
    answers: { 200: json("The change.", schemaRef("WebhookEventDetail"), EXAMPLE_EVENT_DETAIL) },
    errors: ["NotFound"],
  });
}

function redeliverEvent(): Operation {
  return operation({
    id: "redeliverWebhookEvent",
    tag: LOG_TAG,
    summary: "Send one change again",
    description:
      "The same EventId and bytes, with all attempts again; those before stay in the log. What goes to a connection " +
      "that is Paused is recorded as Held. While a delivery of the change is under way it is 409, and so it is if all of " +
      "its connections are Held: resume one first, by State Active.",
    scopes: ["Webhooks:Update"],
    parameters: [uuidParameter("EventId", "The EventId of the payload.")],
    requestBody: jsonBody("To whom.", schemaRef("WebhookRedeliver"), {
      all: {},
      one: { ConnectionId: EXAMPLE_CONNECTION.Id },
    }),
    answers: { 200: json("The change.", schemaRef("WebhookEvent"), EXAMPLE_EVENT) },
    errors: ["BadInput", "NotFound", "Conflict"],
  });
}

function changeCall(): Operation {
  return {
    operationId: "receiveChange",
    summary: "What a receiver gets for each change",
    description:
      "Posted to the connection's URL at least once, so process each EventId once. There are three attempts at most, " +
      "with growing waits; every one sends the same bytes. Calls may come in another order than the changes: keep each " +
      "record's webhook-sequence, and drop what is not above it.",
    ...call(
      header(
        "webhook-sequence",
        "How many changes the record has seen with this one. Of an array they are as many as there are records in Data, " +
          `in its order, with commas between; left out if they have more than ${SEQUENCE_LIMIT} characters.`,
      ),
    ),
    requestBody: jsonBody("Compact JSON in this order.", schemaRef("WebhookPayload"), { created: EXAMPLE_PAYLOAD }),
    responses: {
      "2XX": { description: "Received." },
      "410": { description: "Never again: the delivery ends and the connection is held." },
      default: { description: "Not received; the attempt is repeated, no earlier than a Retry-After says." },
    },
  };
}

function pingCall(): Operation {
  return {
    operationId: "receivePing",
    summary: "What a receiver gets when somebody tries the connection",
    description: "Nothing has changed: verify the signature and answer 2xx. There is one attempt.",
    ...call(),
    requestBody: jsonBody("As of a change.", schemaRef("WebhookPingPayload"), { ping: EXAMPLE_PING_PAYLOAD }),
    responses: {
      "2XX": { description: "Received." },
      default: { description: "The connection does not work yet." },
    },
  };
}

/** What every call has, and more of its own. */
function call(...more: Parameter[]): Pick<Operation, "tags" | "security" | "parameters"> {
  return {
    tags: [CONNECTIONS_TAG],
    security: [],
    parameters: [
      {
        name: "ApiKey",
        in: "query",
        description: "The connection's ApiKey, unless its URL has one already.",
        required: true,
        schema: { type: "string" },
      },
      ...more,
      signed("X-Signature", "Lowercase hex of HMAC-SHA256 over the exact body, keyed by the secret."),
      signed("webhook-id", "The EventId (Standard Webhooks)."),
      signed("webhook-timestamp", "The attempt's time in seconds since 1970 (Standard Webhooks)."),
      signed(
        "webhook-signature",
        "`v1,` and the base64 signature, several of them with spaces between while secrets change (Standard Webhooks).",
      ),
    ],
  };
}

function signed(name: string, description: string): Parameter {
  return header(name, `${description} Absent without a secret.`);
}

function header(name: string, description: string): Parameter {
  return { name, in: "header", description, schema: { type: "string" } };
}
