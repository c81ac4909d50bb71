import type { ResourceType } from "../access/index.ts";

/** What policies can say of a row of the audit log. */
export const AUDIT_RESOURCE_TYPE: ResourceType = {
  name: "AuditEvent",
  families: ["Settings"],
  attributes: [
    { name: "Id", type: "text" },
    { name: "Kind", type: "text" },
    { name: "Outcome", type: "text" },
    { name: "OccurredOn", type: "dateTime" },
  ],
};
