import { type Static, Type } from "@sinclair/typebox";
import { workflowId } from "../../../workflows/contract.ts";
import { uuid } from "../../platform/http/fields.ts";
import { uuidParameter } from "../../platform/http/query.ts";
import type { Route } from "../../platform/http/route.ts";
import type { ConnectionId, EventId } from "../../platform/ids.ts";
import { PING, PING_RECORD, resourceRoutes, route, type Shown, withoutRecords } from "../../records/index.ts";
import { CONNECTION, type ConnectionContract } from "../connection.ts";
import type { WorkflowUrl } from "../workflow-url.ts";
import type { Connections } from "./service.ts";

export interface ConnectionRoutes {
  connections: Connections;
  connection: ConnectionContract;
  workflowUrl: WorkflowUrl;
}

export const CONNECTION_TAG = { name: CONNECTION.name, description: CONNECTION.texts.group };
const tag = CONNECTION_TAG;
export const CONNECTION_ID = { Id: uuidParameter<ConnectionId>("The connection's Id.", "WebhookConnection") };

export function connectionRoutes({ connections, connection, workflowUrl }: ConnectionRoutes): Route[] {
  const { Name, Description, URL, Entities, Events } = connection.example;
  return [
    ...resourceRoutes(connection, connections, {
      id: CONNECTION_ID.Id,
      body: {
        description: "One connection.",
        examples: {
          new: {
            Name,
            Description,
            URL,
            Entities,
            Events,
            Secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
            Headers: { Authorization: "Bearer 4bVz1s" },
            TimeoutMs: 5_000,
          },
          pause: { Name, State: "Paused" },
        },
      },
      list: { description: "Newest first." },
      read: { description: "Neither its secret nor the values of its headers are ever read back." },
    }),
    route({
      method: "POST",
      path: "/WebhookConnection/{Id}/Ping",
      id: "pingWebhookConnection",
      tag,
      summary: "Ping a webhook connection",
      description:
        "Sends a signed event with EventType Ping to this connection only, also while it is Held or " +
        "Paused. There is one attempt, and the connection stays unchanged.",
      scopes: ["Webhooks:Update"],
      params: CONNECTION_ID,
      answer: { description: "The event, which is being sent.", schema: SENT, example: EXAMPLE_SENT },
      handle: async (caller, { params: { Id } }) => sentEvent(Id, await connections.ping(caller, Id), workflowUrl),
    }),
  ];
}

export const SENT = Type.Object(
  {
    EventId: uuid("The result is in the activity log under this id."),
    WorkflowId: Type.String(),
    WorkflowUrl: Type.String({ format: "uri", description: "The workflow in the Temporal UI." }),
  },
  { $id: "WebhookPinged" },
);

export function sentEvent(Id: ConnectionId, eventId: EventId, workflowUrl: WorkflowUrl): Shown<Static<typeof SENT>> {
  const id = workflowId({ eventId, eventRecord: PING_RECORD, eventType: PING, recordIds: [Id] }, 1);
  return withoutRecords({ EventId: eventId, WorkflowId: id, WorkflowUrl: workflowUrl(id) });
}

const EVENT_ID = "0197c6f2-3a1b-7c4d-8e5f-60718293a4b5";
const WORKFLOW_ID = `WebhookConnection/0197c6f1-0a1b-7c2d-8e3f-405162738495/Ping/${EVENT_ID}`;
export const EXAMPLE_SENT = {
  EventId: EVENT_ID,
  WorkflowId: WORKFLOW_ID,
  WorkflowUrl: `http://localhost:8233/namespaces/default/workflows/${encodeURIComponent(WORKFLOW_ID)}`,
};
