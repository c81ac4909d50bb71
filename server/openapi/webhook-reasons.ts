// Why receivers did or did not get what they were to get.

import { json, operation, pageOf } from "./operation.ts";
import { filter, parameterRef, uuidParameter } from "./parameters.ts";
import { type Operation, schemaRef } from "./types.ts";
import { EXAMPLE_WHY } from "./webhook-examples.ts";

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
