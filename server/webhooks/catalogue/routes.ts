import { Type } from "@sinclair/typebox";
import type { Route } from "../../platform/http/route.ts";
import { route } from "../../records/index.ts";
import { EXAMPLE_PAYLOAD } from "../log/contract.ts";
import type { EventCatalogue } from "./service.ts";

const EVENT_KIND = Type.Object(
  {
    EventRecord: Type.String(),
    EventType: Type.String(),
    Schema: Type.Unsafe<object>({ type: "object", description: "JSON Schema (2020-12) of the payload." }),
    Example: Type.Unsafe<object>({ type: "object", description: "A payload." }),
  },
  { $id: "EventKind" },
);

export function catalogueRoutes(catalogue: EventCatalogue): Route[] {
  return [
    route({
      method: "GET",
      path: "/EventKind",
      id: "listEventKinds",
      tag: { name: "EventKind", description: "The kinds of events." },
      summary: "List the kinds of events",
      description:
        "Each with a JSON Schema and an example of its payload in the default form. With a connection's Fields, Data has only these.",
      scopes: ["Webhooks:Read"],
      answer: {
        description: "All of them.",
        schema: EVENT_KIND,
        example: {
          EventRecord: "Application",
          EventType: "Created",
          Schema: { type: "object" },
          Example: EXAMPLE_PAYLOAD,
        },
        list: true,
      },
      handle: (caller) => catalogue.list(caller),
    }),
  ];
}
