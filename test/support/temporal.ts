// An operator's view in the Temporal UI, by the same calls.

import { Client, Connection, WorkflowNotFoundError } from "@temporalio/client";
import { until } from "../world/api.ts";
import { setting } from "../world/tenant.ts";

/** @param address of a different stack; default: the shared one */
export async function temporal(address = setting("GATEHOUSE_TEST_TEMPORAL_ADDRESS")): Promise<Client> {
  return new Client({ connection: await Connection.connect({ address }) });
}

/** The complete history as text with decoded payloads, for searches. */
export async function historyText(client: Client, workflowId: string): Promise<string> {
  const history = await client.workflow.getHandle(workflowId).fetchHistory();
  return JSON.stringify(history, (key, value) => {
    return key === "data" && typeof value === "string" ? Buffer.from(value, "base64").toString("utf8") : value;
  });
}

/** A change is answered before its workflow is started; this waits for the start, and then for the end. */
export async function finished(client: Client, workflowId: string): Promise<void> {
  await until(`the workflow ${workflowId} to be started`, () =>
    client.workflow
      .getHandle(workflowId)
      .describe()
      .catch((error) => {
        if (error instanceof WorkflowNotFoundError) return undefined;
        throw error;
      }),
  );
  await client.workflow.getHandle(workflowId).result();
}
