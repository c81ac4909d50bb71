// WebhookConnection/{Id}/Test: sends a call with sample data, as a change would.

import type { Sql } from "../../platform/db/sql.ts";
import { BadInput } from "../../platform/errors.ts";
import { body } from "../../platform/http/contract.ts";
import { oneOf } from "../../platform/http/fields.ts";
import type { Route } from "../../platform/http/route.ts";
import type { ConnectionId, EventId } from "../../platform/ids.ts";
import { EVENT_TYPES, type EventType, type Permitted, recordAudit, recordTest, route } from "../../records/index.ts";
import { requirePush } from "../connection-kind.ts";
import { lockConnection } from "../connections.store.ts";
import type { WorkflowUrl } from "../workflow-url.ts";
import { noConnection } from "./record.ts";
import { CONNECTION_ID, CONNECTION_TAG, EXAMPLE_SENT, SENT, sentEvent } from "./routes.ts";
import type { Connections, Samples } from "./service.ts";

export interface TestInput {
  EventRecord: string;
  EventType: EventType;
}

export interface TestEvents {
  contract: ReturnType<typeof testContract>;
  /**
   * Also sends it to a Held or Paused connection, and does not resume it.
   * @throws NotFound, Permission, BadInput if the connection does not subscribe to such changes
   */
  send(caller: Permitted<"Webhooks:Update">, id: ConnectionId, input: TestInput): Promise<EventId>;
}

export const testContract = (entities: readonly string[]) =>
  body(
    { name: "Test", $id: "WebhookTest", needs: ["EventRecord", "EventType"] },
    {
      EventRecord: oneOf(entities, { description: "The entity's name." }),
      EventType: oneOf(EVENT_TYPES, { description: "The kind of change." }),
    },
  );

export function createTestEvents(sql: Sql, connections: Connections, samples: Samples): TestEvents {
  return {
    contract: testContract([...samples.keys()]),
    send(caller, id, { EventRecord: eventRecord, EventType: eventType }) {
      const { tenantId, permissions, traceParent } = caller;
      return sql.beginFor(tenantId, async (tx) => {
        const connection = await lockConnection(tx, tenantId, { id });
        if (!connection) throw noConnection();
        permissions.require("Webhooks:Update", "WebhookConnection", connections.recordOf(connection));
        requirePush(connection.kind);
        if (!connection.entities.includes(eventRecord) || !connection.events.includes(eventType)) {
          throw new BadInput(`The connection is not subscribed to ${eventRecord} ${eventType}.`);
        }
        const data = samples.get(eventRecord)!;
        const previous = "Name" in data ? { Name: `${data.Name} before` } : {};
        const sample = { eventType, eventRecord, data, previous };
        const eventId = await recordTest(tx, tenantId, id, sample, traceParent);
        await recordAudit(tx, tenantId, caller, {
          kind: "WebhookConnection.Pinged",
          subject: { type: "WebhookConnection", id },
          details: { EventId: eventId, EventRecord: eventRecord, EventType: eventType },
        });
        return eventId;
      });
    },
  };
}

export function testRoutes(tests: TestEvents, workflowUrl: WorkflowUrl): Route[] {
  return [
    route({
      method: "POST",
      path: "/WebhookConnection/{Id}/Test",
      id: "testWebhookConnection",
      tag: CONNECTION_TAG,
      summary: "Send a webhook connection a test with sample data",
      description:
        "Sends a signed event like that of a change to this connection only, also while it is Held or " +
        "Paused. Its Data is a sample with an unused Id, and its last field is `Test: true`. In the activity log " +
        "it is a Ping. There is one attempt, and the connection stays unchanged.",
      scopes: ["Webhooks:Update"],
      params: CONNECTION_ID,
      body: {
        ...tests.contract,
        description: "One of the subscribed kinds.",
        examples: { created: { EventRecord: "Application", EventType: "Created" } },
      },
      answer: { description: "The event, which is being sent.", schema: SENT, example: EXAMPLE_SENT },
      handle: async (caller, { params: { Id }, input }) =>
        sentEvent(Id, await tests.send(caller, Id, input), workflowUrl),
    }),
  ];
}
