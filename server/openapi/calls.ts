// Documentation of calls to receivers (docs/behaviour.md "Delivery").

import { CONNECTION_TAG, EXAMPLE_PAYLOAD, EXAMPLE_PING_PAYLOAD, SEQUENCE_LIMIT } from "../webhooks/index.ts";
import { type Operation, type ParameterObject, type PathItem, schemaRef } from "./objects.ts";
import { header, jsonBody } from "./operation.ts";

export function calls(): Record<string, PathItem> {
  return { change: { post: changeCall() }, ping: { post: pingCall() } };
}

function changeCall(): Operation {
  return {
    operationId: "receiveChange",
    summary: "A call for each change",
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
    summary: "A call that tests the connection",
    description: "Nothing has changed: verify the signature and answer 2xx. There is one attempt.",
    ...call(),
    requestBody: jsonBody("As of a change.", schemaRef("WebhookPingPayload"), { ping: EXAMPLE_PING_PAYLOAD }),
    responses: {
      "2XX": { description: "Received." },
      default: { description: "The connection does not work yet." },
    },
  };
}

function call(...more: ParameterObject[]): Pick<Operation, "tags" | "security" | "parameters"> {
  return {
    tags: [CONNECTION_TAG.name],
    security: [],
    parameters: [
      { ...header("ApiKey", "The connection's ApiKey, unless its URL has one already."), in: "query", required: true },
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

function signed(name: string, description: string): ParameterObject {
  return header(name, `${description} Absent without a secret.`);
}
