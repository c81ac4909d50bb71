// deliverWebhook as a careless change would leave it: it closes each delivery before it posts.

import { proxyActivities } from "@temporalio/workflow";
import type { Activities } from "../../../activities/index.ts";
import type { DeliverWebhookInput } from "../../../workflows/contract.ts";
import { deliverWebhook as deliverWebhookAsItIs } from "../../../workflows/index.ts";

const { closeDelivery } = proxyActivities<Activities>({ startToCloseTimeout: "1m" });

export async function deliverWebhook(input: DeliverWebhookInput) {
  const { tenantId } = input;
  for (const { deliveryId } of input.deliveries) await closeDelivery({ tenantId, deliveryId });
  return deliverWebhookAsItIs(input);
}
