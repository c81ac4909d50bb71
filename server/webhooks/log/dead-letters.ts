// Failed deliveries by connection and reason: GET WebhookEvent/DeadLetters.

import { Type } from "@sinclair/typebox";
import { type Caller, route, type ShownPage } from "../../access/index.ts";
import type { Sql } from "../../db/sql.ts";
import { HIDDEN_AS_NULL } from "../../events/index.ts";
import { orNull, time, uuid, word } from "../../http/fields.ts";
import { momentFilter, type Paging, wordFilter } from "../../http/query.ts";
import type { Route } from "../../http/route.ts";
import { type ConnectionId, timeOfId } from "../../ids.ts";
import { connectionFilter } from "../connection-filter.ts";
import type { Connections } from "../connections/service.ts";
import { type Connection, type ConnectionState, listConnections } from "../connections.store.ts";
import {
  countDeadLetters,
  DEAD_STATES,
  type DeadConnection,
  type DeadGroup,
  type DeadLetterFilter,
  type DeadState,
} from "./dead-letters.store.ts";
import { EVENT_LOG_TAG } from "./routes.ts";

export type DeadLettersRecord = {
  ConnectionId: ConnectionId;
  ConnectionName: string;
  Count: number | null;
  Reasons: DeadReason[];
} & Record<Blame, number | null>;

/** Most frequent first. */
export interface DeadReason {
  Blame: Blame;
  Reason: string;
  State: DeadState;
  Count: number;
  /** Times of events. */
  Oldest: string;
  Newest: string;
}

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
function toUncounted({ id, name }: Connection): DeadLettersRecord {
  const byBlame = Object.fromEntries(BLAMES.map((blame) => [blame, null])) as Record<Blame, null>;
  return { ConnectionId: id, ConnectionName: name ?? "", Count: null, ...byBlame, Reasons: [] };
}

function toRecord(connection: DeadConnection): DeadLettersRecord {
  const { id, name, groups } = connection;
  const counted = groups.map((group) => ({ ...blameFor(connection, group), group }));
  const sum = (some: { group: DeadGroup }[]) => some.reduce((total, { group }) => total + group.count, 0);
  const byBlame = BLAMES.map((blame) => [blame, sum(counted.filter((one) => one.blame === blame))]);
  return {
    ConnectionId: id,
    ConnectionName: name ?? "",
    Count: sum(counted),
    ...(Object.fromEntries(byBlame) as Record<Blame, number>),
    Reasons: counted.map(({ blame, reason, group }) => ({
      Blame: blame,
      Reason: reason,
      State: group.state,
      Count: group.count,
      Oldest: timeOfId(group.oldest).toISOString(),
      Newest: timeOfId(group.newest).toISOString(),
    })),
  };
}

function blameFor({ state, heldReason, drainPaused }: DeadConnection, group: DeadGroup) {
  if (group.state === "Held") return blameForHeld(state, heldReason, drainPaused);
  return { blame: blameForAttempt(group.reason), reason: group.reason ?? "lost" };
}

// The party that must act on an undelivered delivery.

export const BLAMES = ["Receiver", "Configuration", "Ours"] as const;
/** Configuration: the connection's settings, or its host's DNS and certificate. */
export type Blame = (typeof BLAMES)[number];

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
      answer: { description: "A page of connections.", schema: DEAD_LETTERS, example: EXAMPLE, list: true },
      errors: ["ServiceBusy"],
      handle: (caller, { filters: { ConnectionId, State, From, To }, paging }) => {
        const filter = { connectionId: ConnectionId, state: State, from: From, to: To };
        return count(caller, filter, paging);
      },
    }),
  ];
}

const counted = (description: string) => orNull(Type.Integer({ format: "int32", minimum: 0, description }));

const DEAD_LETTERS = Type.Object(
  {
    ConnectionId: uuid(),
    ConnectionName: Type.String(),
    Count: counted(HIDDEN_AS_NULL),
    Receiver: counted("The receiver answered and did not accept them."),
    Configuration: counted(
      "The connection, the address or its certificate must be changed: dns, tls, blocked-address, a " +
        "redirect, 401, 403, 404, 405, 407, 410, 413, 415, 421, 426; or the connection is Paused.",
    ),
    Ours: counted("Attempts lost with a worker, or deliveries in progress."),
    Reasons: Type.Array(
      Type.Object({
        Blame: word(BLAMES),
        Reason: Type.String({
          description: "The last attempt's status or failure; for Held deliveries, why the connection is held.",
        }),
        State: word(DEAD_STATES),
        Count: Type.Integer({ format: "int32", minimum: 1 }),
        Oldest: time("The time of the oldest event."),
        Newest: time("The time of the newest event."),
      }),
      { description: "Most frequent first. Empty for callers who may not read every event." },
    ),
  },
  { $id: "WebhookDeadLetters" },
);

const TIMESTAMP = "2026-01-31T12:00:00.000Z";
const EXAMPLE = {
  ConnectionId: "0197c6f1-90ab-7cde-8f01-23456789abcd",
  ConnectionName: "payroll changes",
  Count: 14,
  Receiver: 12,
  Configuration: 2,
  Ours: 0,
  Reasons: [
    { Blame: "Receiver", Reason: "503", State: "Exhausted", Count: 12, Oldest: TIMESTAMP, Newest: TIMESTAMP },
    { Blame: "Configuration", Reason: "tls", State: "Exhausted", Count: 2, Oldest: TIMESTAMP, Newest: TIMESTAMP },
  ],
};
