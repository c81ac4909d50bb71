import { Type } from "@sinclair/typebox";
import { time, uuid } from "../../platform/http/fields.ts";
import type { Route } from "../../platform/http/route.ts";
import { route } from "../../records/index.ts";
import { CONNECTION_ID, CONNECTION_TAG } from "../connections/routes.ts";
import { type FilterTrials, MAX_SHOWN, MAX_TRIED } from "./trials.ts";

const TRIAL = Type.Object(
  {
    Tried: Type.Integer({ description: `The newest subscribed events that the caller may see, at most ${MAX_TRIED}.` }),
    Sent: Type.Integer({ description: "How many of these would be sent." }),
    Failed: Type.Integer({ description: "For how many of these the filter fails; they would be sent." }),
    Events: Type.Array(
      Type.Object({
        EventId: uuid(),
        EventType: Type.String(),
        EventRecord: Type.String(),
        RecordId: Type.Union([Type.String(), Type.Null()], { description: "null: several records." }),
        RecordCount: Type.Integer(),
        Timestamp: time(),
      }),
      { description: `The sent ones, newest first, at most ${MAX_SHOWN}.` },
    ),
  },
  { $id: "WebhookFilterTried" },
);

export function filterRoutes(trials: FilterTrials): Route[] {
  return [
    route({
      method: "POST",
      path: "/WebhookConnection/{Id}/TryFilter",
      id: "tryWebhookFilter",
      tag: CONNECTION_TAG,
      summary: "Try a filter on stored events",
      description: "Changes nothing, and sends nothing.",
      scopes: ["Webhooks:Read", "Webhooks:Update"],
      params: CONNECTION_ID,
      body: {
        ...trials.contract,
        description: "The filter.",
        examples: { renamed: { Filter: 'context.changed.contains("Name")' } },
      },
      answer: {
        description: "The result of the trial.",
        schema: TRIAL,
        example: {
          Tried: 500,
          Sent: 1,
          Failed: 0,
          Events: [
            {
              EventId: "0197c6f2-3a1b-7c4d-8e5f-60718293a4b5",
              EventType: "Updated",
              EventRecord: "Application",
              RecordId: "1004",
              RecordCount: 1,
              Timestamp: "2026-01-31T12:00:00.000Z",
            },
          ],
        },
      },
      handle: (caller, { params: { Id }, input }) => trials.try(caller, Id, input.Filter),
    }),
  ];
}
