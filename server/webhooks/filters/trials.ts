// Tries a filter on stored events. A filter is saved only after such a trial.

import { createBudget } from "../../platform/budget.ts";
import type { Sql } from "../../platform/db/sql.ts";
import { BadInput } from "../../platform/errors.ts";
import { body } from "../../platform/http/contract.ts";
import type { ConnectionId, EventId } from "../../platform/ids.ts";
import {
  type Access,
  type Caller,
  type LoggedEventType,
  outbox,
  type Permitted,
  type Shown,
  withoutRecords,
} from "../../records/index.ts";
import { CONNECTION, filterField } from "../connection.ts";
import { type ConnectionRecords, noConnection } from "../connections/record.ts";
import type { ConnectionFilters } from "../connections/service.ts";
import { type Connection, findConnection } from "../connections.store.ts";
import { eventResources, seePayload, toEventAttributes } from "../log/record.ts";
import { listSubscribed, type SubscribedEvent } from "./store.ts";

/** The newest events that a trial evaluates, and of these the sent ones that it shows. */
export const MAX_TRIED = 500;
export const MAX_SHOWN = 50;
const BUDGET = { name: "trials of filters", perTenant: 1, total: 2, waiting: 10, longestWaitMs: 30_000 };

const CONTRACT = body(
  { name: "FilterTrial", $id: "WebhookFilterTrial", needs: ["Filter"] },
  { Filter: filterField({ description: "The expression. null: no filter." }) },
);

export interface FilterTrials extends ConnectionFilters {
  contract: typeof CONTRACT;
  /** @throws NotFound, Permission, BadInput for an invalid filter */
  try(caller: Permitted<"Webhooks:Update">, id: ConnectionId, filter: string | null): Promise<Shown<FilterTrial>>;
}

type Values = Record<string, unknown>;
type TriedConnection = Pick<Connection, "id" | "filter" | "filterReads" | "entities" | "events">;

export interface FilterTrial {
  Tried: number;
  Sent: number;
  Failed: number;
  Events: TriedEvent[];
}

interface TriedEvent {
  EventId: EventId;
  EventType: LoggedEventType;
  EventRecord: string;
  RecordId: string | null;
  RecordCount: number;
  Timestamp: string;
}

export function createFilterTrials(
  sql: Sql,
  { recordOf }: ConnectionRecords,
  checkFilter: Access["checkFilter"],
): FilterTrials {
  const judge = outbox.createJudge();
  const budget = createBudget(BUDGET);

  async function examine(
    { tenantId }: Caller,
    filter: string,
    entities: readonly string[],
  ): Promise<outbox.FilterReads> {
    const { problems, reads } = await checkFilter(tenantId, filter, entities);
    if (problems.length === 0) return reads;
    throw BadInput.in(problems.map((problem) => ({ Field: "Filter", Message: `Filter: ${inWords(problem)}` })));
  }

  /** On the newest events that the caller may see. */
  const tryOn = (caller: Caller, connection: TriedConnection): Promise<Shown<FilterTrial>> =>
    budget.run(caller.tenantId, () => evaluateOn(caller, connection));

  async function evaluateOn(caller: Caller, connection: TriedConnection): Promise<Shown<FilterTrial>> {
    const { tenantId, gate } = caller;
    const { id, filter, filterReads: reads } = connection;
    const stored = await listSubscribed(sql, tenantId, connection, MAX_TRIED);
    const seen = await gate.only("WebhookEvent", stored, { resource: eventResources });
    const trial: FilterTrial = { Tried: 0, Sent: 0, Failed: 0, Events: [] };
    const filters = filter && reads ? [{ id, filter, reads }] : [];
    const pause = outbox.createPause();
    for (const event of seen) {
      // As the caller may see the records, so a filter reveals no more.
      const { payload } = await seePayload(caller, event);
      if (!payload?.Data) continue;
      trial.Tried++;
      const { eventType, eventRecord } = event;
      const records = [payload.Data].flat() as Values[];
      const previous = await formerValues(caller, event, records);
      let [failed, matching] = [false, filters.length === 0];
      for (const [index, record] of filters.length > 0 ? records.entries() : []) {
        await pause();
        const changed = { eventType, eventRecord, record, previous: previous[index] };
        const verdicts = judge(filters, changed);
        failed ||= verdicts.failed.has(id);
        matching ||= verdicts.matching.has(id);
      }
      if (failed) trial.Failed++;
      else if (!matching) continue;
      trial.Sent++;
      if (trial.Events.length < MAX_SHOWN) trial.Events.push(toEventAttributes(event));
    }
    return withoutRecords(trial);
  }

  /** Of the records before the change, if the caller may see them. */
  async function formerValues({ gate }: Caller, { eventRecord, previous }: SubscribedEvent, records: Values[]) {
    if (previous === null) return [];
    const changed: Values[] = [JSON.parse(previous)].flat();
    const before = changed.map((values, index) => ({ ...records[index], ...values }));
    const seen = await gate.payload(eventRecord, before, true);
    const sameNames = (values: Values, of: Values) =>
      Object.fromEntries(Object.entries(of).filter(([name]) => name in values));
    return seen ? changed.map((values, index) => sameNames(values, seen[index]!)) : [];
  }

  return {
    contract: CONTRACT,
    examine,
    async requireNoFailure(caller, connection) {
      const { Failed, Tried } = await tryOn(caller, connection);
      if (Failed === 0) return;
      const Message = `Filter: it fails for ${Failed} of the last ${Tried} events. Try it to see for which.`;
      throw BadInput.in([{ Field: "Filter", Message }]);
    },
    async try(caller, id, filter) {
      const connection = await findConnection(sql, caller.tenantId, id);
      if (!connection) throw noConnection();
      caller.permissions.require("Webhooks:Update", CONNECTION.name, recordOf(connection));
      const filterReads = filter ? await examine(caller, filter, connection.entities) : null;
      return tryOn(caller, { ...connection, filter, filterReads });
    },
  };
}

function inWords({ message, line, column }: { message: string; line?: number; column?: number }): string {
  return line === undefined ? message : `line ${line}, column ${column}: ${message}`;
}
