// Documentation of calls to receivers (docs/behaviour.md "Delivery").

import { SETTINGS } from "../identity/index.ts";
import { AUDIT_EVENT, ENTITIES, ERASED } from "../records/index.ts";
import { ALERT, documented } from "../webhooks/index.ts";
import { type Operation, type ParameterObject, type PathItem, schemaRef } from "./objects.ts";
import { header, jsonBody } from "./operation.ts";

export function calls(): Record<string, PathItem> {
  const byKind = documented.eventKinds(SUBJECTS, []).map((kind) => {
    return [`${kind.EventRecord}.${kind.EventType}`, { post: callOf(kind) }] as const;
  });
  return { change: { post: changeCall() }, ping: { post: pingCall() }, ...Object.fromEntries(byKind) };
}

const SUBJECTS: readonly documented.EventSubject[] = [
  ...ENTITIES,
  ...Object.values(SETTINGS).flatMap(({ type }) => (type.events ? type : [])),
  ALERT,
  AUDIT_EVENT,
];

/** The same as `change`, with the payload of one kind. */
function callOf({
  EventRecord,
  EventType,
  Schema,
  Example,
}: ReturnType<typeof documented.eventKinds>[number]): Operation {
  const { $schema, $defs, title, ...payload } = Schema;
  const { $ref } = schemaRef(EventType === ERASED ? "ErasedUser" : EventRecord);
  const schema = JSON.parse(JSON.stringify(payload).replaceAll("#/$defs/Record", $ref));
  return {
    ...changeCall(),
    operationId: `receive${EventRecord}${EventType}`,
    summary: `A call for ${EventRecord} ${EventType}`,
    requestBody: jsonBody("Compact JSON in this order.", schema, { example: Example }),
  };
}

function changeCall(): Operation {
  return {
    operationId: "receiveChange",
    summary: "A call for each change",
    description:
      "Posted to the connection's URL at least once, so process each EventId once. There are three attempts at most, " +
      "at growing intervals; each sends the same bytes. Calls may arrive out of order: store each " +
      "record's webhook-sequence, and drop calls that are not above it.",
    ...call(
      header(
        "webhook-sequence",
        "The number of changes of the record, including this one. For an array, one number per record of Data, " +
          `in its order, separated by commas; omitted if longer than ${documented.SEQUENCE_LIMIT} characters.`,
      ),
    ),
    requestBody: jsonBody("Compact JSON in this order.", schemaRef("WebhookPayload"), {
      created: documented.EXAMPLE_PAYLOAD,
    }),
    responses: {
      "2XX": { description: "Received." },
      "410": { description: "Rejected permanently: the delivery ends and the connection is held." },
      default: { description: "Not received; the attempt is repeated, not before Retry-After." },
    },
  };
}

function pingCall(): Operation {
  return {
    operationId: "receivePing",
    summary: "A call that tests the connection",
    description: "Nothing has changed: verify the signature and answer 2xx. There is one attempt.",
    ...call(),
    requestBody: jsonBody("As for a change.", schemaRef("WebhookPingPayload"), {
      ping: documented.EXAMPLE_PING_PAYLOAD,
    }),
    responses: {
      "2XX": { description: "Received." },
      default: { description: "The test failed." },
    },
  };
}

function call(...more: ParameterObject[]): Pick<Operation, "tags" | "security" | "parameters"> {
  return {
    tags: [documented.CONNECTION_TAG.name],
    security: [],
    parameters: [
      { ...header("ApiKey", "The connection's ApiKey, unless its URL has one already."), in: "query", required: true },
      ...more,
      signed("X-Signature", "Lowercase hex of HMAC-SHA256 over the exact body, keyed by the secret."),
      signed("webhook-id", "The EventId (Standard Webhooks)."),
      signed("webhook-timestamp", "The attempt's time in seconds since 1970 (Standard Webhooks)."),
      signed(
        "webhook-signature",
        "`v1,` and the base64 signature, several separated by spaces during a change of secret (Standard Webhooks).",
      ),
    ],
  };
}

function signed(name: string, description: string): ParameterObject {
  return header(name, `${description} Absent without a secret.`);
}
