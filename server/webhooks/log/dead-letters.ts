// Failed deliveries by connection and reason: GET WebhookEvent/DeadLetters.

import { Type } from "@sinclair/typebox";
import type { Sql } from "../../platform/db/sql.ts";
import { contract, each } from "../../platform/http/contract.ts";
import { derived, orNull, type RecordOf, readOnly, time, uuid, word } from "../../platform/http/fields.ts";
import { momentFilter, type Paging, wordFilter } from "../../platform/http/query.ts";
import type { Route } from "../../platform/http/route.ts";
import { type ConnectionId, type EventId, timeOfId } from "../../platform/ids.ts";
import { type Caller, HIDDEN_AS_NULL, route, type ShownPage } from "../../records/index.ts";
import { connectionFilter } from "../connection-filter.ts";
import type { Connections } from "../connections/service.ts";
import { type Connection, type ConnectionState, listConnections } from "../connections.store.ts";
import {
  countDeadLetters,
  DEAD_STATES,
  type DeadConnection,
  type DeadGroup,
  type DeadLetterFilter,
} from "./dead-letters.store.ts";
import { EVENT_LOG_TAG } from "./routes.ts";

const TIMESTAMP = "2026-01-31T12:00:00.000Z";
/** Configuration: the connection's settings, or its host's DNS and certificate. */
export const BLAMES = ["Receiver", "Configuration", "Ours"] as const;
export type Blame = (typeof BLAMES)[number];

const timeOf = (id: EventId) => timeOfId(id).toISOString();
const REASON = contract("", "", {
  Blame: derived(word(BLAMES), { example: "Receiver" }),
  Reason: derived(Type.String(), {
    description: "The last attempt's status or failure; for Held deliveries, why the connection is held.",
    example: "503",
  }),
  State: readOnly(word(DEAD_STATES), { example: "Exhausted" }),
  Count: readOnly(Type.Integer({ format: "int32", minimum: 1 }), { example: 12 }),
  Oldest: readOnly(time(), { description: "The time of the oldest event.", example: TIMESTAMP }, timeOf),
  Newest: readOnly(time(), { description: "The time of the newest event.", example: TIMESTAMP }, timeOf),
});

const counted = (description: string, example: number) =>
  derived(orNull(Type.Integer({ format: "int32", minimum: 0, description })), { example });

const DEAD_LETTERS = contract("WebhookDeadLetters", "", {
  ConnectionId: derived(uuid<ConnectionId>(), { column: "id", example: "0197c6f1-90ab-7cde-8f01-23456789abcd" }),
  ConnectionName: derived(
    Type.String(),
    { column: "name", example: "payroll changes" },
    (name: string | null) => name ?? "",
  ),
  Count: counted(HIDDEN_AS_NULL, 14),
  Receiver: counted("The receiver answered and did not accept them.", 12),
  Configuration: counted(
    "The connection, the address or its certificate must be changed: dns, tls, blocked-address, a " +
      "redirect, 401, 403, 404, 405, 407, 410, 413, 415, 421, 426; or the connection is Paused.",
    2,
  ),
  Ours: counted("Attempts lost with a worker, or deliveries in progress.", 0),
  Reasons: each(REASON, {
    description: "Most frequent first. Empty for callers who may not read every event.",
    example: [REASON.example, { ...REASON.example, Blame: "Configuration", Reason: "tls", Count: 2 }],
  }),
});
export type DeadLettersRecord = RecordOf<typeof DEAD_LETTERS.field>;

/**
 * Counts the Exhausted or Held deliveries of each readable connection by reason and responsible party, without pings.
 * Callers who may not read every event get connections without counts.
 * @throws ServiceBusy
 */
export type CountDeadLetters = (
  caller: Caller,
  filter: DeadLetterFilter,
  paging: Paging,
) => Promise<ShownPage<DeadLettersRecord>>;

export function createCountDeadLetters(sql: Sql, { recordOf }: Connections): CountDeadLetters {
  return ({ tenantId, gate }, filter, paging) => {
    const list = {
      type: "WebhookConnection",
      name: "WebhookEvent/DeadLetters",
      paging,
      id: (row: Connection) => row.id,
      resource: recordOf,
    };
    if (!gate.seesAll("WebhookEvent")) {
      const { connectionId } = filter;
      return gate.list({
        ...list,
        read: (limit, after) => listConnections(sql, tenantId, { id: connectionId }, limit, after),
        item: toUncounted,
      });
    }
    return gate.list({
      ...list,
      read: (limit, after) => countDeadLetters(sql, tenantId, filter, limit, after),
      item: toRecord,
    });
  };
}

/** All counts are null, because a filtered count would reveal events. */
const toUncounted = (connection: Connection): DeadLettersRecord =>
  DEAD_LETTERS.toRecord(connection, { Count: null, Receiver: null, Configuration: null, Ours: null, Reasons: [] });

function toRecord(connection: DeadConnection): DeadLettersRecord {
  const counted = connection.groups.map((group) => ({ ...blameFor(connection, group), group }));
  const sum = (some: { group: DeadGroup }[]) => some.reduce((total, { group }) => total + group.count, 0);
  const byBlame = BLAMES.map((blame) => [blame, sum(counted.filter((one) => one.blame === blame))]);
  return DEAD_LETTERS.toRecord(connection, {
    Count: sum(counted),
    ...Object.fromEntries(byBlame),
    Reasons: counted.map(({ blame, reason, group }) => REASON.toRecord(group, { Blame: blame, Reason: reason })),
  });
}

function blameFor({ kind, state, heldReason, drainPaused }: DeadConnection, group: DeadGroup) {
  if (kind === "Pull" && state === "Active") return { blame: "Receiver", reason: "not pulled yet" } as const;
  if (group.state === "Held") return blameForHeld(state, heldReason, drainPaused);
  return { blame: blameForAttempt(group.reason), reason: group.reason ?? "lost" };
}

// The party that must act on an undelivered delivery.

/** Failures that a retry cannot fix: the URL, a certificate or EGRESS_ALLOW must be changed. */
const CONFIGURATION_FAILURES = ["dns", "tls", "blocked-address"];
/** Redirects are not followed; 401 and 403 need another ApiKey or header; 413 needs a higher limit at the receiver. */
const CONFIGURATION_STATUS = /^(3\d\d|401|403|404|405|407|410|413|415|421|426)$/;
const OUR_FAILURES = ["lost", "cancelled"];

/** @param reason a status, or a failure's name */
function blameForAttempt(reason: string | null): Blame {
  if (reason === null || OUR_FAILURES.includes(reason)) return "Ours";
  if (CONFIGURATION_FAILURES.includes(reason) || CONFIGURATION_STATUS.test(reason)) return "Configuration";
  return "Receiver";
}

/** @param heldReason starts with 410, or ends with the last attempt's result */
export function blameForHeld(
  state: ConnectionState,
  heldReason: string | null,
  drainPaused: boolean,
): { blame: Blame; reason: string } {
  if (state === "Active" && drainPaused) return { blame: "Configuration", reason: "drain paused" };
  if (state === "Paused") return { blame: "Configuration", reason: "paused" };
  // The connection is active and its missed deliveries are being sent.
  if (state === "Active") return { blame: "Ours", reason: "draining" };
  const reason = heldReason ?? "410 Gone";
  return { blame: blameForAttempt(/^410|\S+$/.exec(reason)![0]), reason };
}

export function deadLetterRoutes(count: CountDeadLetters): Route[] {
  return [
    route({
      method: "GET",
      path: "/WebhookEvent/DeadLetters",
      id: "countDeadLetters",
      tag: EVENT_LOG_TAG,
      summary: "Count undelivered events by reason",
      description:
        "For each connection, newest first, its Exhausted and Held deliveries by the result of the last " +
        "attempt. Pings are excluded. `WebhookEvent?ConnectionId=…&State=Exhausted` lists them. Callers who may not read every event " +
        "get all connections with counts of null and without Reasons.",
      scopes: ["Webhooks:Read"],
      paged: true,
      filters: {
        ConnectionId: connectionFilter("Only this connection."),
        State: wordFilter(DEAD_STATES, "Only this state."),
        From: momentFilter("Changes at this time or later."),
        To: momentFilter("Changes before this time."),
      },
      answer: {
        description: "A page of connections.",
        schema: DEAD_LETTERS.record,
        example: DEAD_LETTERS.example,
        list: true,
      },
      errors: ["ServiceBusy"],
      handle: (caller, { filters: { ConnectionId, State, From, To }, paging }) => {
        const filter = { connectionId: ConnectionId, state: State, from: From, to: To };
        return count(caller, filter, paging);
      },
    }),
  ];
}
