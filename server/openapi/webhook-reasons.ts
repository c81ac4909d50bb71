// Why receivers did or did not get what they were to get.

import { BLAMES, DEAD_STATES } from "../webhooks/index.ts";
import { json, operation, pageOf } from "./operation.ts";
import { filter, parameterRef, uuidParameter } from "./parameters.ts";
import { type Operation, type Schema, schemaRef } from "./types.ts";
import { EXAMPLE_DEAD_LETTERS, EXAMPLE_WHY } from "./webhook-examples.ts";
import { object } from "./webhook-schemas.ts";

export function explainEvent(tag: string): Operation {
  return operation({
    id: "explainWebhookEvent",
    tag,
    summary: "Why each connection did or did not get one change",
    description:
      "Of every connection, the newest first and those that are deleted too, as it was when the change was made.",
    scopes: ["Webhooks:Read"],
    parameters: [
      uuidParameter("EventId", "The EventId of the payload."),
      parameterRef("Limit"),
      parameterRef("Cursor"),
      filter("ConnectionId", "Of this connection alone.", { type: "string", format: "uuid" }),
    ],
    answers: {
      200: json("A page of connections.", pageOf(schemaRef("WebhookWhy")), { Items: EXAMPLE_WHY, Next: null }),
    },
    errors: ["BadInput", "NotFound", "ServiceBusy"],
  });
}

export function countDeadLetters(tag: string): Operation {
  const time: Schema = { type: "string", format: "date-time" };
  return operation({
    id: "countDeadLetters",
    tag,
    summary: "Count what receivers did not get, and whose fault that is",
    description:
      "Of each connection, the newest first, its deliveries that are Exhausted or Held, by what the last attempt came " +
      "to. Pings do not count. `WebhookEvent?ConnectionId=…&State=Exhausted` lists them. Who may not read every event " +
      "gets each connection there is, whatever it has: its counts are null, and it has no Reasons.",
    scopes: ["Webhooks:Read"],
    parameters: [
      parameterRef("Limit"),
      parameterRef("Cursor"),
      filter("ConnectionId", "Of this connection alone.", { type: "string", format: "uuid" }),
      filter("State", "In this state alone.", { type: "string", enum: DEAD_STATES }),
      filter("From", "Of changes at this time or later.", time),
      filter("To", "Of changes before this time.", time),
    ],
    answers: {
      200: json("A page of connections.", pageOf(schemaRef("WebhookDeadLetters")), {
        Items: [EXAMPLE_DEAD_LETTERS],
        Next: null,
      }),
    },
    errors: ["BadInput", "ServiceBusy"],
  });
}

export function reasonSchemas(): Record<string, Schema> {
  const count: Schema = {
    type: ["integer", "null"],
    format: "int32",
    minimum: 0,
    description: "null: not told to who may not read every event.",
  };
  const time: Schema = { type: "string", format: "date-time", description: "Of a change." };
  return {
    WebhookDeadLetters: object({
      ConnectionId: { type: "string", format: "uuid" },
      ConnectionName: { type: "string" },
      Count: count,
      Receiver: { ...count, description: "It was there, and did not take them." },
      Configuration: {
        ...count,
        description:
          "Somebody has to change the connection, the address or its certificate: dns, tls, blocked-address, a " +
          "redirect, 401, 403, 404, 405, 407, 410, 415, 421, 426; or the connection is Paused.",
      },
      Ours: { ...count, description: "Attempts lost with a worker, or what is only just being sent." },
      Reasons: {
        type: "array",
        description: "The most frequent first. Empty for who may not read every event.",
        items: object({
          Blame: { type: "string", enum: BLAMES },
          Reason: {
            type: "string",
            description: "The last attempt's status or failure; of what is Held, why its connection is.",
          },
          State: { type: "string", enum: DEAD_STATES },
          Count: { type: "integer", format: "int32", minimum: 1 },
          Oldest: time,
          Newest: time,
        }),
      },
    }),
  };
}
