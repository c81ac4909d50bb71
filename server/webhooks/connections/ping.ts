import type { Permitted } from "../../access/index.ts";
import { recordAudit } from "../../audit/index.ts";
import type { Sql } from "../../db/connection.ts";
import type { MasterKey } from "../../master-key.ts";
import { recordPing } from "../events/record-event.ts";
import { noConnection, toConnectionRecord } from "./record.ts";
import { lockConnection } from "./store.ts";

/**
 * Sends the connection a ping, also if it is Held or Paused: the receiver is tried, nothing is resumed.
 * @returns the EventId, by which the activity log tells what came of it
 * @throws NotFound, Permission
 */
export async function pingConnection(
  sql: Sql,
  masterKey: MasterKey,
  caller: Permitted<"Webhooks:Update">,
  id: string,
): Promise<string> {
  const { tenantId, permissions, traceParent } = caller;
  return sql.beginFor(tenantId, async (tx) => {
    const connection = await lockConnection(tx, tenantId, { id });
    if (!connection) throw noConnection();
    const record = toConnectionRecord(masterKey, connection);
    permissions.require("Webhooks:Update", "WebhookConnection", record);
    const { Id, Name, Entities, Events } = record;
    const eventId = await recordPing(tx, tenantId, { Id, Name, Entities, Events }, traceParent);
    const subject = { type: "WebhookConnection", id };
    await recordAudit(tx, tenantId, caller, {
      kind: "WebhookConnection.Pinged",
      subject,
      details: { EventId: eventId },
    });
    return eventId;
  });
}
