// The search attributes of workflows in the Temporal UI.

import { defineSearchAttributeKey } from "@temporalio/common";
import { SEARCH_ATTRIBUTES } from "../../../workflows/contract.ts";

export const TENANT_ID = attribute("TenantId");
export const EVENT_RECORD = attribute("EventRecord");
export const EVENT_TYPE = attribute("EventType");
export const CONNECTION_ID = attribute("ConnectionId");
export const DELIVERY_STATE = attribute("DeliveryState");

function attribute<Name extends keyof typeof SEARCH_ATTRIBUTES>(name: Name) {
  return defineSearchAttributeKey<(typeof SEARCH_ATTRIBUTES)[Name]>(name, SEARCH_ATTRIBUTES[name]);
}
