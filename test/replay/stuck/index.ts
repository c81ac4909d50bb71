// A workflow of a different version, which the deployed one cannot continue.

import { sleep } from "@temporalio/workflow";

export async function deliverWebhook(): Promise<void> {
  await sleep("1 day");
}
