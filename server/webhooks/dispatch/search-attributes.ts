import { defineSearchAttributeKey } from "@temporalio/common";

// What a delivery can be found by in Temporal; `start` adds them to its own server.
export const TENANT_ID = defineSearchAttributeKey("TenantId", "KEYWORD");
export const EVENT_RECORD = defineSearchAttributeKey("EventRecord", "KEYWORD");
export const EVENT_TYPE = defineSearchAttributeKey("EventType", "KEYWORD");
export const CONNECTION_ID = defineSearchAttributeKey("ConnectionId", "KEYWORD_LIST");
export const DELIVERY_STATE = defineSearchAttributeKey("DeliveryState", "KEYWORD");
