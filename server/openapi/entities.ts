// docs/behaviour.md "Read a record" to "List the entities", for every entity of the registry.

import {
  createRegistry,
  type Entity,
  type EntityDefinition,
  type Matchable,
  MOST_RECORDS,
  matchables,
  SEARCH_LIMIT,
  searchables,
} from "../entities/index.ts";
import { API_PATH } from "../http/paths.ts";
import { exampleDescription, exampleInput, exampleRecord } from "./entity-examples.ts";
import { FOREIGN_KEY_SCHEMAS, inputSchema, recordSchema, valueSchema } from "./entity-schemas.ts";
import { json, jsonBody, NOT_MODIFIED, operation, pageOf } from "./operation.ts";
import { CONDITIONS, parameterRef } from "./parameters.ts";
import { type Area, type Operation, type Parameter, type PathItem, type Schema, schemaRef } from "./types.ts";

const ENTITIES_TAG = "Entities";

export function entities(definitions: readonly EntityDefinition[]): Area {
  const registry = createRegistry(definitions);
  return {
    tags: [
      ...registry.map(({ name, description }) => ({ name, description })),
      { name: ENTITIES_TAG, description: "What there are records of." },
    ],
    paths: Object.fromEntries([
      ...registry.flatMap((entity): [string, PathItem][] => [
        [`${API_PATH}/${entity.name}`, collection(entity)],
        [`${API_PATH}/${entity.name}/{Id}`, record(entity)],
      ]),
      [`${API_PATH}/Entities`, { get: listEntities(registry[0]) }],
    ]),
    schemas: {
      ...Object.fromEntries(
        registry.flatMap((entity): [string, Schema][] => [
          [entity.name, recordSchema(entity)],
          [`${entity.name}Data`, inputSchema(entity)],
        ]),
      ),
      ...FOREIGN_KEY_SCHEMAS,
      EntityDescription: ENTITY_DESCRIPTION,
    },
  };
}

function collection(entity: Entity): PathItem {
  const { name } = entity;
  return {
    get: operation({
      id: `list${name}`,
      tag: name,
      summary: `List ${name} records`,
      description:
        "In the order of their Ids. Every filter but Search must be equal; its name may be written in any case.",
      scopes: ["AccessManager:Read"],
      parameters: [parameterRef("Limit"), parameterRef("Cursor"), ...matchables(entity).map(filter), search(entity)],
      answers: {
        200: json("A page of records.", pageOf(schemaRef(name)), { Items: [exampleRecord(entity)], Next: null }),
      },
      errors: ["BadInput", "ServiceBusy"],
    }),
    patch: upsert(entity, `upsert${name}`, `Update or insert one ${name}, or an array`),
    post: upsert(entity, `post${name}`, `The same as PATCH`),
  };
}

/** docs/behaviour.md "Write a record": PATCH and POST are the same. */
function upsert(entity: Entity, id: string, summary: string): Operation {
  const { name, identifiers } = entity;
  const input = exampleInput(entity);
  return operation({
    id,
    tag: name,
    summary,
    description: [
      `With an Id, that record is updated; if there is none, the answer is 404. Without one, the record that ` +
        `${identifiers.join(" or ")} points at is updated, and if there is none, one is inserted. When all of them ` +
        `are empty, a record is inserted.`,
      `An array is upserted as a whole or not at all; an error names the record by its index. If-Match and ` +
        `If-None-Match are for one record only.`,
    ].join("\n\n"),
    scopes: ["AccessManager:Create", "AccessManager:Update"],
    parameters: CONDITIONS,
    requestBody: jsonBody(
      `One record, or an array of at most ${MOST_RECORDS.toLocaleString("en")}.`,
      oneOrMany(`${name}Data`, MOST_RECORDS),
      { one: input, many: [input] },
    ),
    answers: {
      200: {
        ...json("The record as it stands; of an array, each record in its order.", oneOrMany(name), undefined, [
          "ETag",
        ]),
        content: {
          "application/json": {
            schema: oneOrMany(name),
            examples: { one: { value: exampleRecord(entity) }, many: { value: [exampleRecord(entity)] } },
          },
        },
      },
    },
    errors: ["BadInput", "NotFound", "Conflict", "PreconditionFailed"],
  });
}

function record(entity: Entity): PathItem {
  const { name } = entity;
  const byField = [idParameter(entity), nameParameter(entity), ...CONDITIONS];
  return {
    get: operation({
      id: `get${name}`,
      tag: name,
      summary: `Read one ${name}`,
      scopes: ["AccessManager:Read"],
      parameters: byField,
      answers: {
        200: json("The record.", schemaRef(name), exampleRecord(entity), ["ETag"]),
        304: NOT_MODIFIED,
      },
      errors: ["BadInput", "MultipleRows", "NotFound", "PreconditionFailed"],
    }),
    delete: operation({
      id: `delete${name}`,
      tag: name,
      summary: `Delete one ${name}`,
      description: "Refused with 409 while another record points at it, and to the client or user that it is.",
      scopes: ["AccessManager:Delete"],
      parameters: byField,
      answers: { 200: json("The record's last state.", schemaRef(name), exampleRecord(entity), ["ETag"]) },
      errors: ["BadInput", "MultipleRows", "NotFound", "Conflict", "PreconditionFailed"],
    }),
  };
}

function listEntities(example: Entity | undefined): Operation {
  return operation({
    id: "listEntities",
    tag: ENTITIES_TAG,
    summary: "List the entities that can trigger webhooks",
    description: "With the fields of each, their types, and the kinds of its events.",
    scopes: ["AccessManager:Read"],
    answers: {
      200: json(
        "All of them.",
        pageOf(schemaRef("EntityDescription")),
        example && { Items: [exampleDescription(example)], Next: null },
      ),
    },
  });
}

/** docs/behaviour.md "Read a record". */
function idParameter(entity: Entity): Parameter {
  const text = entity.fields.find(({ type, readOnly }) => type === "text" && !readOnly)?.name;
  const encoded = `base64|${Buffer.from("ana@example.com").toString("base64")}`;
  return {
    name: "Id",
    in: "path",
    required: true,
    description:
      "The value of the Id, or of the field that Name names. Letters, digits and `-_.~` stand for themselves. Any " +
      "other text is sent as `base64|` and the base64 of its UTF-8 bytes, in the standard or the URL-safe alphabet, " +
      "with or without padding.",
    schema: { type: "string", pattern: "^([A-Za-z0-9._~-]+|base64\\|[A-Za-z0-9+/_-]+={0,2})$" },
    examples: {
      id: { summary: "The Id", value: "7" },
      base64: { summary: `Any text, for example with Name=${text}`, value: encoded },
    },
  };
}

function nameParameter(entity: Entity): Parameter {
  return {
    name: "Name",
    in: "query",
    description: "The field that Id is matched against, in any case; empty: the Id itself.",
    allowEmptyValue: true,
    schema: { type: "string", enum: matchables(entity).map(({ name }) => name) },
  };
}

function filter({ name, type }: Matchable): Parameter {
  const description =
    type === "reference"
      ? `The Id of what ${name} points at; 0: nothing.`
      : `Records whose ${name} is this${type === "text" ? "; empty: those that have none" : ""}.`;
  return { name, in: "query", description, schema: valueSchema(type) };
}

function search(entity: Entity): Parameter {
  const fields = searchables(entity).map(({ name }) => name);
  return {
    name: "Search",
    in: "query",
    description: `A part, in any case, of ${fields.join(" or ")}; empty: all records.`,
    allowEmptyValue: true,
    schema: { type: "string", maxLength: SEARCH_LIMIT },
  };
}

function oneOrMany(name: string, maxItems?: number): Schema {
  return { oneOf: [schemaRef(name), { type: "array", items: schemaRef(name), maxItems }] };
}

const ENTITY_DESCRIPTION: Schema = {
  type: "object",
  required: ["Name", "Fields", "Events"],
  properties: {
    Name: { type: "string" },
    Fields: {
      type: "array",
      items: {
        type: "object",
        required: ["Name", "Type", "Filter"],
        properties: {
          Name: { type: "string" },
          Type: { type: "string", description: "A type of this document, its format in brackets." },
          Filter: { type: "boolean", description: "Whether records are found by it, in a list and by Name." },
        },
      },
    },
    Events: { type: "array", items: { type: "string", enum: ["Created", "Updated", "Deleted"] } },
  },
};
