// A workflow as another version might have begun it, which the one that is deployed cannot go on with.

import { sleep } from "@temporalio/workflow";

export async function deliverWebhook(): Promise<void> {
  await sleep("1 day");
}
