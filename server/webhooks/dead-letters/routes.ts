// GET WebhookEvent/DeadLetters.

import { Type } from "@sinclair/typebox";
import type { Sql } from "../../db/connection.ts";
import { orNull, time, uuid, word } from "../../http/fields.ts";
import { momentFilter, wordFilter } from "../../http/inputs.ts";
import { type Route, route } from "../../http/route.ts";
import type { MasterKey } from "../../master-key.ts";
import { connectionFilter } from "../connections/filter.ts";
import { EVENT_LOG_TAG } from "../log/routes.ts";
import { BLAMES } from "./blame.ts";
import { readDeadLetters } from "./service.ts";
import { DEAD_STATES } from "./store.ts";

export function deadLetterRoutes(sql: Sql, masterKey: MasterKey): Route[] {
  return [
    route({
      method: "GET",
      path: "/WebhookEvent/DeadLetters",
      id: "countDeadLetters",
      tag: EVENT_LOG_TAG,
      summary: "Count what receivers did not get, and whose fault that is",
      description:
        "Of each connection, the newest first, its deliveries that are Exhausted or Held, by what the last attempt came " +
        "to. Pings do not count. `WebhookEvent?ConnectionId=…&State=Exhausted` lists them. Who may not read every event " +
        "gets each connection there is, whatever it has: its counts are null, and it has no Reasons.",
      scopes: ["Webhooks:Read"],
      paged: true,
      filters: {
        ConnectionId: connectionFilter("Of this connection alone."),
        State: wordFilter(DEAD_STATES, "In this state alone."),
        From: momentFilter("Of changes at this time or later."),
        To: momentFilter("Of changes before this time."),
      },
      answer: { description: "A page of connections.", schema: DEAD_LETTERS, example: EXAMPLE, list: true },
      errors: ["ServiceBusy"],
      handle: (caller, { filters: { ConnectionId, State, From, To }, paging }) => {
        const filter = { connectionId: ConnectionId, state: State, from: From, to: To };
        return readDeadLetters(sql, masterKey, caller, filter, paging);
      },
    }),
  ];
}

const NOT_TOLD = "null: not told to who may not read every event.";
const count = (description: string) => orNull(Type.Integer({ format: "int32", minimum: 0, description }));

const DEAD_LETTERS = Type.Object(
  {
    ConnectionId: uuid(),
    ConnectionName: Type.String(),
    Count: count(NOT_TOLD),
    Receiver: count("It was there, and did not take them."),
    Configuration: count(
      "Somebody has to change the connection, the address or its certificate: dns, tls, blocked-address, a " +
        "redirect, 401, 403, 404, 405, 407, 410, 415, 421, 426; or the connection is Paused.",
    ),
    Ours: count("Attempts lost with a worker, or what is only just being sent."),
    Reasons: Type.Array(
      Type.Object({
        Blame: word(BLAMES),
        Reason: Type.String({
          description: "The last attempt's status or failure; of what is Held, why its connection is.",
        }),
        State: word(DEAD_STATES),
        Count: Type.Integer({ format: "int32", minimum: 1 }),
        Oldest: time("Of a change."),
        Newest: time("Of a change."),
      }),
      { description: "The most frequent first. Empty for who may not read every event." },
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
