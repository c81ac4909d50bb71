import { Type } from "@sinclair/typebox";
import { type Permitted, route, type Shown } from "../../access/index.ts";
import { recordAudit } from "../../audit/index.ts";
import type { Sql } from "../../db/sql.ts";
import { NotFound } from "../../errors.ts";
import { body } from "../../http/contract.ts";
import { flag, moment, orNull } from "../../http/fields.ts";
import type { Route } from "../../http/route.ts";
import type { ConnectionId } from "../../ids.ts";
import { lockConnection } from "../connections.store.ts";
import { countHeld, discardHeld } from "../deliveries/held.store.ts";
import { NOT_TOLD } from "../events/event.ts";
import { countAllEnded } from "../redelivery/follow.store.ts";
import { CONNECTION_ID, CONNECTION_TAG } from "./routes.ts";
import type { Connections } from "./service.ts";

const TYPE = "WebhookConnection";
/** The maximum number of deliveries that one call discards. */
const MAX_DISCARDED = 10_000;

const FIELDS = {
  Before: moment({ description: "Deliveries of events before this time: a date, or a time with an offset." }),
  DryRun: flag({ description: "Only count them.", documented: { default: false } }),
};

export const DISCARD = body({ name: "Discard", $id: "WebhookDiscard", needs: ["Before"] }, FIELDS);
export type DiscardInput = ReturnType<typeof DISCARD.parse>;

export interface Discarded {
  /** null if the caller may not see all of them. */
  Count: number | null;
  More: boolean;
}

/** @throws NotFound, Permission */
export type Discard = (
  caller: Permitted<"Webhooks:Update">,
  id: ConnectionId,
  input: DiscardInput,
) => Promise<Shown<Discarded>>;

export function createDiscard(sql: Sql, { recordOf }: Pick<Connections, "recordOf">): Discard {
  return async (caller, id, { Before, DryRun }) => {
    const { tenantId, permissions, gate } = caller;
    const { Count, More } = await sql.beginLong(tenantId, async (tx) => {
      const connection = await lockConnection(tx, tenantId, { id });
      if (!connection) throw new NotFound(`There is no ${TYPE} with this Id.`);
      permissions.require("Webhooks:Update", TYPE, recordOf(connection));
      const held = await countHeld(tx, tenantId, id, Before);
      if (DryRun || held === 0) return { Count: held, More: false };
      // The Drain must first count its failed deliveries.
      await countAllEnded(tx, tenantId, id);
      const count = await discardHeld(tx, tenantId, id, Before, MAX_DISCARDED);
      await recordAudit(tx, tenantId, caller, {
        kind: "WebhookConnection.Discarded",
        subject: { type: TYPE, id },
        details: { Before: Before.toISOString(), Deliveries: count },
      });
      return { Count: count, More: held > count };
    });
    return { ...gate.count("WebhookEvent", { Count }), More };
  };
}

const DISCARDED = Type.Object(
  {
    Count: orNull(Type.Integer({ format: "int32", minimum: 0 }), {
      description: `Deliveries that were discarded, or with DryRun would be. ${NOT_TOLD}`,
    }),
    More: Type.Boolean({
      description: `There are more. One call discards at most ${MAX_DISCARDED.toLocaleString("en")}: call again.`,
    }),
  },
  { $id: "WebhookDiscarded" },
);

export function discardRoutes(discard: Discard): Route[] {
  const Before = "2026-01-31T12:00:00.000Z";
  return [
    route({
      method: "POST",
      path: "/WebhookConnection/{Id}/Discard",
      id: "discardWebhookDeliveries",
      tag: CONNECTION_TAG,
      summary: "Discard held deliveries",
      description:
        "A connection's Held deliveries of events before a time become Cancelled and are not sent. Retention never removes " +
        "Held deliveries. Call it with DryRun first, which only counts them.",
      scopes: ["Webhooks:Update"],
      params: CONNECTION_ID,
      body: {
        ...DISCARD,
        description: "The deliveries to discard.",
        examples: { count: { Before, DryRun: true }, discard: { Before } },
      },
      answer: { description: "The number of deliveries.", schema: DISCARDED, example: { Count: 120, More: false } },
      handle: (caller, { params: { Id }, input }) => discard(caller, Id, input),
    }),
  ];
}
