import { type ResourceType, resourceType } from "../records/index.ts";
import { CONNECTION } from "./connection.ts";
import { REDELIVERY } from "./redelivery/contract.ts";

/** @param entities types of the records in events */
export const resourceTypes = (entities: readonly ResourceType[]): ResourceType[] => [
  resourceType(CONNECTION),
  {
    name: "WebhookEvent",
    key: "EventId",
    families: ["Webhooks"],
    attributes: [
      { name: "EventId", type: "text" },
      { name: "EventType", type: "text" },
      { name: "EventRecord", type: "text" },
      { name: "RecordId", type: "text" },
      { name: "Timestamp", type: "dateTime" },
      // An event of several records is evaluated once for each of them.
      ...entities.map((entity) => ({ name: entity.name, type: "record" as const, of: entity })),
    ],
  },
  resourceType(REDELIVERY),
];
