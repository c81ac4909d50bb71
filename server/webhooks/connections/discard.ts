import { Type } from "@sinclair/typebox";
import type { Sql } from "../../platform/db/sql.ts";
import { NotFound } from "../../platform/errors.ts";
import { body } from "../../platform/http/contract.ts";
import { flag, moment, orNull } from "../../platform/http/fields.ts";
import type { Route } from "../../platform/http/route.ts";
import type { ConnectionId } from "../../platform/ids.ts";
import { type Caller, HIDDEN_AS_NULL, type Permitted, recordAudit, route, type Shown } from "../../records/index.ts";
import { findConnection } from "../connections.store.ts";
import { countHeld, discardHeld } from "../deliveries/held.store.ts";
import { CONNECTION_ID, CONNECTION_TAG } from "./routes.ts";
import type { Connections } from "./service.ts";

const TYPE = "WebhookConnection";
/** The maximum number of deliveries that one call discards. */
const MAX_DISCARDED = 10_000;
/** The maximum number of deliveries of one transaction, which has one entry in the audit log. */
const BATCH = 1_000;

const FIELDS = {
  Before: moment({
    description:
      "Deliveries of events before this time: a date, or a time with an offset. A time in the future means now.",
  }),
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
  return async (caller, id, input) => {
    const { tenantId, permissions, gate } = caller;
    const connection = await findConnection(sql, tenantId, id);
    if (!connection) throw new NotFound(`There is no ${TYPE} with this Id.`);
    permissions.require("Webhooks:Update", TYPE, recordOf(connection));
    const before = input.Before < new Date() ? input.Before : new Date();
    const held = await countHeld(sql, tenantId, id, before);
    const count = input.DryRun ? held : await discard(caller, id, before);
    const More = input.DryRun ? held > MAX_DISCARDED : held > count;
    return { ...gate.count("WebhookEvent", { Count: count }), More };
  };

  async function discard(caller: Caller, id: ConnectionId, before: Date): Promise<number> {
    const { tenantId } = caller;
    let total = 0;
    for (let after = 0; total < MAX_DISCARDED; ) {
      const { count, last } = await sql.beginFor(tenantId, async (tx) => {
        const batch = await discardHeld(tx, tenantId, id, before, after, BATCH);
        if (batch.count === 0) return batch;
        await recordAudit(tx, tenantId, caller, {
          kind: "WebhookConnection.Discarded",
          subject: { type: TYPE, id },
          details: { Before: before.toISOString(), Deliveries: batch.count },
        });
        return batch;
      });
      total += count;
      after = last;
      if (count < BATCH) break;
    }
    return total;
  }
}

const DISCARDED = Type.Object(
  {
    Count: orNull(Type.Integer({ format: "int32", minimum: 0 }), {
      description: `Deliveries that this call has discarded. With DryRun: all that would be, by as many calls as it takes. ${HIDDEN_AS_NULL}`,
    }),
    More: Type.Boolean({
      description: `Some are left: call again. With DryRun: one call would not discard all. It discards at most ${MAX_DISCARDED.toLocaleString("en")}.`,
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
