// WebhookConnection/{Id}/Check: proves that a receiver is ready, by test calls that are right, wrong, old, repeated,
// large and many.

import { type Static, Type } from "@sinclair/typebox";
import type { Sql } from "../../platform/db/sql.ts";
import { Conflict } from "../../platform/errors.ts";
import { orNull, time, uuid, word } from "../../platform/http/fields.ts";
import type { Route } from "../../platform/http/route.ts";
import type { ConnectionId } from "../../platform/ids.ts";
import { type Caller, type EventType, type Permitted, recordAudit, route, type Shown } from "../../records/index.ts";
import { requirePush } from "../connection-kind.ts";
import { noConnection } from "../connections/record.ts";
import { CONNECTION_ID, CONNECTION_TAG } from "../connections/routes.ts";
import type { Connections, Samples } from "../connections/service.ts";
import { lockConnection } from "../connections.store.ts";
import { wakeStarters } from "../redelivery/store.ts";
import { type CheckStep, STEPS, VERDICTS } from "./steps.ts";
import { countRunning, findCheck, insertCheck, type ReceiverCheck } from "./store.ts";

const TYPE = "WebhookConnection";
/** Each sends 20 calls at once. */
export const MAX_RUNNING = 3;
const STEP_NAMES = Object.keys(STEPS) as CheckStep[];

const CHECK = Type.Object(
  {
    ConnectionId: uuid<ConnectionId>(),
    State: word(["None", "Running", "Completed"]),
    StartedOn: orNull(time()),
    EndedOn: orNull(time()),
    Results: Type.Array(
      Type.Object({
        Step: word(STEP_NAMES),
        Expected: Type.String({ description: "The right answer of a receiver." }),
        Got: Type.String({ description: "The statuses or failures, and the time. Empty with Skipped." }),
        Verdict: word(VERDICTS),
        Advice: Type.String({ description: "The change that the receiver needs. Empty with Passed." }),
      }),
    ),
  },
  { $id: "WebhookReceiverCheck" },
);
type CheckRecord = Static<typeof CHECK>;

export interface ReceiverChecks {
  /** Also of a Held or Paused connection, whose state it does not change. @throws NotFound, Permission, Conflict */
  start(caller: Permitted<"Webhooks:Update">, id: ConnectionId): Promise<Shown<CheckRecord>>;
  /** The last one. @throws NotFound, Permission */
  read(caller: Caller, id: ConnectionId): Promise<Shown<CheckRecord>>;
}

export function createReceiverChecks(sql: Sql, connections: Connections, samples: Samples): ReceiverChecks {
  return {
    async start(caller, id) {
      const { tenantId, permissions, gate } = caller;
      const { check, resource } = await sql.beginFor(tenantId, async (tx) => {
        const connection = await lockConnection(tx, tenantId, { id });
        if (!connection) throw noConnection();
        const record = connections.recordOf(connection);
        permissions.require("Webhooks:Update", TYPE, record);
        requirePush(connection.kind);
        const eventRecord = connection.entities.find((entity) => samples.has(entity));
        if (!eventRecord) throw new Conflict("There is no sample of its Entities.");
        const eventType = connection.events[0] as EventType;
        const made = await insertCheck(tx, tenantId, id, { eventRecord, eventType, data: samples.get(eventRecord)! });
        if (!made) throw new Conflict("A check of this connection is running. Wait for its end.");
        if ((await countRunning(tx, tenantId)) > MAX_RUNNING) {
          throw new Conflict(`A tenant can have ${MAX_RUNNING} running checks. Wait for the end of one.`);
        }
        await wakeStarters(tx, tenantId, id);
        const [subject, details] = [{ type: TYPE, id }, { Check: made.id }];
        await recordAudit(tx, tenantId, caller, { kind: "WebhookConnection.Pinged", subject, details });
        return { check: made, resource: record };
      });
      return (await gate.written(TYPE, toRecord(id, check), {}, { resource })).record;
    },
    async read(caller, id) {
      const { record } = await connections.read(caller, id);
      const check = await findCheck(sql, caller.tenantId, id);
      return (await caller.gate.show(TYPE, toRecord(id, check), { resource: record })).record;
    },
  };
}

function toRecord(ConnectionId: ConnectionId, check: ReceiverCheck | undefined): CheckRecord {
  return {
    ConnectionId,
    State: check ? (check.endedOn ? "Completed" : "Running") : "None",
    StartedOn: check?.startedOn.toISOString() ?? null,
    EndedOn: check?.endedOn?.toISOString() ?? null,
    Results: STEP_NAMES.flatMap((Step) => {
      const result = check?.results[Step];
      return result ? [{ Step, Expected: STEPS[Step].expected, ...result }] : [];
    }),
  };
}

export function checkRoutes(checks: ReceiverChecks): Route[] {
  const shared = { path: "/WebhookConnection/{Id}/Check", tag: CONNECTION_TAG, params: CONNECTION_ID };
  const [ConnectionId, StartedOn] = ["0197c6f1-90ab-7cde-8f01-23456789abcd", "2026-01-31T12:00:00.000Z"];
  const Results = [{ Step: "Right", Expected: STEPS.Right.expected, Got: "200; 12 ms", Verdict: "Passed", Advice: "" }];
  return [
    route({
      ...shared,
      method: "POST",
      id: "checkWebhookReceiver",
      summary: "Check the receiver of a webhook connection",
      description:
        "Sends test calls, also while the connection is Held or Paused: a right one, one with a wrong signature, an old " +
        "one, the same twice, two out of order, a large one, and 20 at once. A workflow sends them; read the result " +
        "by GET. Their payloads have `Test: true`. They are not in the activity log.",
      scopes: ["Webhooks:Update"],
      answer: {
        description: "The check, which is running.",
        schema: CHECK,
        example: { ConnectionId, State: "Running", StartedOn, EndedOn: null, Results: [] },
      },
      errors: ["Conflict"],
      handle: (caller, { params: { Id } }) => checks.start(caller, Id),
    }),
    route({
      ...shared,
      method: "GET",
      id: "getWebhookReceiverCheck",
      summary: "Read the last check of a receiver",
      scopes: ["Webhooks:Read"],
      answer: {
        description: "The last check, with the steps so far.",
        schema: CHECK,
        example: { ConnectionId, State: "Completed", StartedOn, EndedOn: StartedOn, Results },
      },
      handle: (caller, { params: { Id } }) => checks.read(caller, Id),
    }),
  ];
}
