// The activity log as a caller may read it.

import type { Caller } from "../../access/index.ts";
import type { Sql } from "../../db/connection.ts";
import { NotFound } from "../../errors.ts";
import { isUuid, type Page, type Paging, toPage } from "../../http/paging.ts";
import { toEventAttributes } from "./attributes.ts";
import { type EventRecord, toEventRecord, type WorkflowUrl } from "./record.ts";
import { type EventFilter, findEvent, type LoggedEvent, listEvents, type WithPayload } from "./store.ts";

/**
 * A page of the events that the caller may read, newest first.
 * @throws ServiceBusy
 */
export async function readEvents(
  sql: Sql,
  { tenantId, permissions }: Caller,
  filter: EventFilter,
  { limit, after }: Paging,
  workflowUrl: WorkflowUrl,
): Promise<Page<EventRecord>> {
  return permissions.readable("Webhooks:Read", "WebhookEvent", async () => {
    const rows = await listEvents(sql, tenantId, filter, limit, after);
    return toPage(
      rows,
      limit,
      (event) => event.id,
      (event) => toEventRecord(event, workflowUrl),
    );
  });
}

/** @throws NotFound, Permission */
export async function readEvent(
  sql: Sql,
  { tenantId, permissions }: Caller,
  id: string,
): Promise<LoggedEvent & WithPayload> {
  const event = isUuid(id) ? await findEvent(sql, tenantId, id) : undefined;
  if (!event) throw new NotFound("There is no WebhookEvent with this EventId.");
  permissions.require("Webhooks:Read", "WebhookEvent", toEventAttributes(event));
  return event;
}
