// What an ops person sees in the Temporal UI, read by the same calls.

import { Client, Connection } from "@temporalio/client";
import { setting } from "../support/tenant.ts";

export async function temporal(): Promise<Client> {
  return new Client({ connection: await Connection.connect({ address: setting("GATEHOUSE_TEST_TEMPORAL_ADDRESS") }) });
}

/** The whole history as text, its payloads decoded, so that it can be searched. */
export async function historyText(client: Client, workflowId: string): Promise<string> {
  const history = await client.workflow.getHandle(workflowId).fetchHistory();
  return JSON.stringify(history, (key, value) => {
    return key === "data" && typeof value === "string" ? Buffer.from(value, "base64").toString("utf8") : value;
  });
}
