import { Type } from "@sinclair/typebox";
import { EXPORT_FILES, EXPORT_NOTE, exportResponse, formatFilter } from "../../platform/http/export.ts";
import type { Route } from "../../platform/http/route.ts";
import { route } from "../../records/index.ts";
import {
  MAX_STATED,
  MAX_STATED_EACH,
  MAX_STATEMENT_DAYS,
  SIGNED_STATEMENT,
  STATEMENT,
  statementFilters,
} from "./contract.ts";
import type { DeliveryStatements } from "./service.ts";

const TAG = {
  name: "WebhookStatement",
  description:
    "How the deliveries of a period ended: proof for a receiver that it got everything, or what it did not get.",
};
const MAX_IN_WORDS =
  `A period has at most ${MAX_STATEMENT_DAYS} days and ${MAX_STATED.toLocaleString("en")} deliveries, ` +
  `${MAX_STATED_EACH.toLocaleString("en")} for callers whose policies decide about single events; more is 400, and so ` +
  "is a From before which events were removed.";

export function statementRoutes(statements: DeliveryStatements): Route[] {
  const shared = { method: "GET", tag: TAG, scopes: ["Webhooks:Read"] } as const;
  return [
    route({
      ...shared,
      path: "/WebhookStatement",
      id: "readWebhookStatement",
      summary: "Count the deliveries of a period by their outcomes",
      description: `All figures are of one snapshot. ${MAX_IN_WORDS}`,
      filters: statementFilters,
      answer: { description: "The statement.", schema: STATEMENT.record, example: STATEMENT.example },
      errors: ["ServiceBusy", "NotFound"],
      handle: (caller, { filters }) => statements.read(caller, filters),
    }),
    route({
      ...shared,
      path: "/WebhookStatement/Certificate",
      id: "certifyWebhookStatement",
      summary: "Read the statement as a signed JWT",
      description: "Counted and signed at each call by a key of the JWKS, typ delivery-statement+jwt.",
      filters: statementFilters,
      answer: { description: "The statement.", schema: SIGNED_STATEMENT, example: { Certificate: "eyJ…" } },
      errors: ["ServiceBusy", "NotFound"],
      handle: (caller, { filters }) => statements.certify(caller, filters),
    }),
    route({
      ...shared,
      path: "/WebhookStatement/Export",
      id: "exportWebhookStatement",
      summary: "Export each delivery of the period with its outcome",
      description:
        "By connection, and in the order of events. A delivery that changes while the file is written has one of its " +
        `outcomes. ${EXPORT_NOTE}`,
      filters: { ...statementFilters, Format: formatFilter },
      answer: {
        description: "The file.",
        schema: Type.String({ description: "In NDJSON one WebhookStatementDelivery per line." }),
        files: EXPORT_FILES,
      },
      errors: ["ServiceBusy", "NotFound"],
      handle: async (caller, { filters: { Format, ...filter } }) =>
        exportResponse(await statements.export(caller, filter, Format)),
    }),
  ];
}
