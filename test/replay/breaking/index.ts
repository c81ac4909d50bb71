// Workflows after a careless change: each calls an additional activity first.

import { proxyActivities } from "@temporalio/workflow";
import type { Activities } from "../../../activities/index.ts";
import type { RedeliveryId } from "../../../server/platform/ids.ts";
import type {
  CheckInput,
  DeliverLogoutInput,
  DeliverWebhookInput,
  EraseInput,
  InviteInput,
  ProbeInput,
  RedeliverInput,
  SendMailInput,
} from "../../../workflows/contract.ts";
import {
  checkReceiver as checkReceiverAsItIs,
  deliverLogout as deliverLogoutAsItIs,
  deliverWebhook as deliverWebhookAsItIs,
  erasePerson as erasePersonAsItIs,
  inviteMany as inviteManyAsItIs,
  probeConnection as probeConnectionAsItIs,
  redeliver as redeliverAsItIs,
  sendMail as sendMailAsItIs,
} from "../../../workflows/index.ts";

const { cancelRedelivery, closeDelivery, closeLogout, closeMail } = proxyActivities<Activities>({
  startToCloseTimeout: "1m",
});

export async function deliverWebhook(input: DeliverWebhookInput) {
  const { tenantId, eventId } = input;
  for (const { deliveryId, connectionId } of input.deliveries) {
    await closeDelivery({ tenantId, eventId, deliveryId, connectionId, cancelled: true, maximumAttempts: 0 });
  }
  return deliverWebhookAsItIs(input);
}

export async function redeliver(input: RedeliverInput) {
  await cancelRedelivery(input);
  return redeliverAsItIs(input);
}

export async function probeConnection(input: ProbeInput) {
  const none = String(input.connectionId) as RedeliveryId;
  await cancelRedelivery({ tenantId: input.tenantId, redeliveryId: none });
  return probeConnectionAsItIs(input);
}

export async function checkReceiver(input: CheckInput) {
  const none = String(input.checkId) as RedeliveryId;
  await cancelRedelivery({ tenantId: input.tenantId, redeliveryId: none });
  return checkReceiverAsItIs(input);
}

export async function deliverLogout(input: DeliverLogoutInput) {
  const { tenantId, logoutId } = input;
  await closeLogout({ tenantId, logoutId, cancelled: true, maximumAttempts: 0 });
  return deliverLogoutAsItIs(input);
}

export async function sendMail(input: SendMailInput) {
  const { tenantId, mailId } = input;
  await closeMail({ tenantId, mailId, cancelled: true, maximumAttempts: 0 });
  return sendMailAsItIs(input);
}

export async function erasePerson(input: EraseInput) {
  const none = String(input.erasureId) as RedeliveryId;
  await cancelRedelivery({ tenantId: input.tenantId, redeliveryId: none });
  return erasePersonAsItIs(input);
}

export async function inviteMany(input: InviteInput) {
  const none = input.importId as RedeliveryId;
  await cancelRedelivery({ tenantId: input.tenantId, redeliveryId: none });
  return inviteManyAsItIs(input);
}
