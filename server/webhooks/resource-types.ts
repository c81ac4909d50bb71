import type { ResourceType } from "../access/index.ts";

/** What policies can say of connections and of the activity log. */
export const RESOURCE_TYPES: ResourceType[] = [
  {
    name: "WebhookConnection",
    families: ["Webhooks"],
    attributes: [
      { name: "Id", type: "text" },
      { name: "Name", type: "text" },
      { name: "Description", type: "text" },
      { name: "URL", type: "text" },
      { name: "Entities", type: "texts" },
      { name: "Events", type: "texts" },
      { name: "State", type: "text" },
    ],
  },
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
    ],
  },
];
