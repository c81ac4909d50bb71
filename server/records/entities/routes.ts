import { Type } from "@sinclair/typebox";
import { BadInput } from "../../platform/errors.ts";
import { hasConditions } from "../../platform/http/conditions.ts";
import { type Fields, word } from "../../platform/http/fields.ts";
import { type Parameter, textParameter } from "../../platform/http/query.ts";
import type { Route } from "../../platform/http/route.ts";
import { withoutRecords } from "../access/gate/shown.ts";
import { resourceRoutes, route } from "../access/route.ts";
import { ERASED, EVENT_TYPES } from "../events/event.ts";
import { CHANGES } from "../fields.ts";
import type { Declaration, ENTITY } from "../record.ts";
import type { Entity } from "../registry.ts";
import { matchables } from "../values.ts";
import { MAX_RECORDS } from "./bulk.ts";
import { describeEntities } from "./registry.ts";
import { exampleDescription, exampleInput } from "./schemas.ts";
import type { Entities, EntityService } from "./service.ts";

/** @param others further record types of webhooks */
export function entityRoutes({ all }: Entities, others: ReturnType<typeof describeEntities>): Route[] {
  const definitions = all.map(({ entity }) => entity);
  return [
    ...all.flatMap(recordRoutes),
    route({
      method: "GET",
      path: "/Entities",
      tag: { name: "Entities", description: "The kinds of records." },
      id: "listEntities",
      summary: "List the entities that can trigger webhooks",
      description: "With the fields of each, their types, and the kinds of its events.",
      scopes: ["AccessManager:Read"],
      answer: {
        description: "All of them.",
        schema: ENTITY_DESCRIPTION,
        example: definitions[0] && exampleDescription(definitions[0]),
        list: true,
      },
      handle: async () =>
        withoutRecords({ Items: [...describeEntities(definitions), ...others], Next: null, Hidden: 0 }),
    }),
  ];
}

function recordRoutes(service: EntityService): Route[] {
  const { entity } = service;
  const { name, record, example } = entity;
  const input = exampleInput(entity);
  return resourceRoutes(entity as Declaration<Fields, typeof ENTITY>, service, {
    nouns: [name, `${name} records`],
    id: textParameter(ID_TEXT, ID_SCHEMA, idExamples(entity)),
    anyText: true,
    by: fieldName(entity),
    body: {
      description: `One record, or an array of at most ${MAX_RECORDS.toLocaleString("en")}.`,
      schema: oneOrMany(entity.schema, MAX_RECORDS),
      // The service checks it against the definition, because an array's problems name their record.
      parse: (body: unknown) => body,
      examples: { one: input, many: [input] },
    },
    list: {
      description:
        "In the order of their Ids. All filters except Search match exactly; their names are case-insensitive.",
    },
    save: {
      description: upsertText(entity),
      answer: {
        description: "The record after the change; for an array, each record in its order.",
        schema: Type.Unsafe<object>({ anyOf: [...oneOrMany(record).oneOf, { type: "array", items: TOLD_CHANGE }] }),
        examples: { one: example, many: [example], changes: [{ Id: entity.idAsText ? "7" : 7, Change: "Created" }] },
      },
      query: { Report: REPORT },
      async handle(caller, { sent, conditions, query }) {
        const report = query.Report as ReturnType<(typeof REPORT)["read"]>;
        if (!Array.isArray(sent)) {
          if (report) throw new BadInput("Report requires an array.");
          return service.save(caller, entity.parse(sent), conditions, sent);
        }
        if (hasConditions(conditions)) {
          throw new BadInput("If-Match and If-None-Match require a single record, not an array.");
        }
        if (!report) return service.saveAll(caller, sent);
        return withoutRecords(await service.saveAllTold(caller, sent, report === "Plan"));
      },
    },
    read: { errors: ["MultipleRows"] },
    remove: {
      description: "409 while another record references it, and for the caller's own client or user.",
      errors: ["MultipleRows", "Conflict"],
    },
  });
}

function upsertText({ identifiers }: Entity): string {
  return [
    `With an Id, that record is updated, or the answer is 404. Without an Id, the record matched by ` +
      `${identifiers.join(" or ")} is updated, or inserted if none matches. When all of these ` +
      `are empty, a record is inserted.`,
    `An array is upserted as a whole or not at all; an error names the record by its index. If-Match and ` +
      `If-None-Match are for one record only.`,
  ].join("\n\n");
}

const REPORTS = ["Changes", "Plan"] as const;
const REPORT: Parameter<(typeof REPORTS)[number] | undefined> = {
  description:
    "For an array, answers what happened to each record, in its order, instead of the records. Plan changes nothing.",
  schema: word(REPORTS),
  read(text) {
    const report = REPORTS.find((one) => one === text);
    if (text && !report) throw new BadInput(`Report must be ${REPORTS.join(" or ")}.`);
    return report;
  },
};
const TOLD_CHANGE = Type.Object(
  {
    Id: Type.Unsafe<string | number>({
      type: ["integer", "string"],
      description: "Empty or 0 for one that a plan would create.",
    }),
    Change: word(CHANGES),
  },
  { $id: "RecordChange" },
);

const ID_TEXT =
  "The Id, or the value of the field given by Name. Letters, digits and `-_.~` are literal. Any " +
  "other text is sent as `base64|` and the base64 of its UTF-8 bytes, in the standard or the URL-safe alphabet, " +
  "with or without padding.";
const ID_SCHEMA = Type.String({ pattern: "^([A-Za-z0-9._~-]+|base64\\|[A-Za-z0-9+/_-]+={0,2})$" });

function idExamples(entity: Entity) {
  const text = entity.fields.find(({ type, readOnly }) => type === "text" && !readOnly)?.name;
  const value = `base64|${Buffer.from("ana@example.com").toString("base64")}`;
  return {
    id: { summary: "The Id", value: "7" },
    base64: { summary: `Any text, for example with Name=${text}`, value },
  };
}

function fieldName(entity: Entity) {
  const words = matchables(entity).map(({ name }) => name);
  return textParameter("The field that Id is matched against, case-insensitive; empty: Id.", word(words));
}

function oneOrMany(schema: object, maxItems?: number) {
  return Type.Unsafe<object>({ oneOf: [schema, { type: "array", items: schema, ...(maxItems && { maxItems }) }] });
}

const ENTITY_DESCRIPTION = Type.Object(
  {
    Name: Type.String(),
    Fields: Type.Array(
      Type.Object({
        Name: Type.String(),
        Type: Type.String({ description: "A type of this document, with its format in brackets." }),
        Filter: Type.Boolean({ description: "Whether it can be used as a filter and in Name." }),
      }),
    ),
    Events: Type.Array(word([...EVENT_TYPES, ERASED])),
  },
  { $id: "EntityDescription" },
);
