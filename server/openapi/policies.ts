// Policies and roles: who may do what.

import { DESCRIPTION_LIMIT, MEMBER_LIMIT, NAME_LIMIT, POLICY_LIMIT, SCOPES } from "../access/index.ts";
import { API_PATH } from "../http/paths.ts";
import { json, jsonBody, NOT_MODIFIED, operation, pageOf } from "./operation.ts";
import { CONDITIONS, parameterRef } from "./parameters.ts";
import { type Answer, type Area, type Operation, type PathItem, type Schema, schemaRef } from "./types.ts";

interface Kind {
  name: "Policy" | "Role";
  /** In the middle of a sentence. */
  noun: string;
  needs: string;
  example: Record<string, unknown>;
}

const NUL_FREE = "^[^\\u0000]*$";
const STAMP = "2026-01-31T12:00:00.000Z";
const ACTOR = { Id: 1, ExternalId: "", Name: "demo-client", Type: "Application" };

const KINDS: Kind[] = [
  {
    name: "Policy",
    noun: "policy",
    needs: "Name and Policy",
    example: {
      Name: "Editors",
      Description: "The role editor reads, makes and changes records.",
      Policy:
        'permit (principal in Role::"editor", action in [Action::"AccessManager:Read", ' +
        'Action::"AccessManager:Create", Action::"AccessManager:Update"], resource);',
    },
  },
  {
    name: "Role",
    noun: "role",
    needs: "Name",
    example: {
      Name: "editor",
      Description: "Keeps the records.",
      Scopes: ["AccessManager:Read", "AccessManager:Create", "AccessManager:Update"],
    },
  },
];

export function policies(): Area {
  return {
    tags: [
      { name: "Policy", description: "Cedar policies; a request needs its scope and a policy that permits it." },
      { name: "Role", description: "Groups of users and clients that policies name, and the scopes users get." },
    ],
    paths: Object.fromEntries([
      ...KINDS.flatMap((kind): [string, PathItem][] => [
        [`${API_PATH}/${kind.name}`, collection(kind)],
        [`${API_PATH}/${kind.name}/{Id}`, record(kind)],
      ]),
      [`${API_PATH}/Policy/Validate`, { post: validate() }],
    ]),
    schemas: {
      Policy: recordSchema("A Cedar policy.", POLICY),
      PolicyData: inputSchema(POLICY),
      Role: recordSchema("A group that policies name.", ROLE),
      RoleData: inputSchema(ROLE),
      PolicyText: POLICY_TEXT,
      PolicyProblems: PROBLEMS,
    },
  };
}

function collection(kind: Kind): PathItem {
  const { name, noun } = kind;
  return {
    get: operation({
      id: `list${name}`,
      tag: name,
      summary: `List ${name} records`,
      description: "Without those that the caller may not read.",
      scopes: ["Settings:Read"],
      parameters: [
        parameterRef("Limit"),
        parameterRef("Cursor"),
        { name: "Name", in: "query", description: `The ${noun} of this Name.`, schema: { type: "string" } },
      ],
      answers: {
        200: json("A page of records.", pageOf(schemaRef(name)), { Items: [exampleRecord(kind)], Next: null }),
      },
      errors: ["BadInput", "ServiceBusy"],
    }),
    patch: upsert(kind, `upsert${name}`, `Update or make one ${noun}`),
    post: upsert(kind, `post${name}`, "The same as PATCH"),
  };
}

function upsert(kind: Kind, id: string, summary: string): Operation {
  const { name, noun, needs, example } = kind;
  return operation({
    id,
    tag: name,
    summary,
    description:
      `The ${noun} that Id, or without it Name, points at is updated; else a new one is made, which needs ${needs}. ` +
      "Refused with 409 when its caller could not make the change again afterwards.",
    scopes: ["Settings:Update"],
    parameters: CONDITIONS,
    requestBody: jsonBody(`One ${noun}.`, schemaRef(`${name}Data`), { [noun]: example }),
    answers: { 200: answer(kind, `The ${noun} as it stands.`) },
    errors: ["BadInput", "NotFound", "Conflict", "PreconditionFailed"],
  });
}

function record(kind: Kind): PathItem {
  const { name, noun } = kind;
  const Id = {
    name: "Id",
    in: "path",
    required: true,
    description: `The Id of the ${noun}.`,
    schema: { type: "string", format: "uuid" },
  } as const;
  return {
    get: operation({
      id: `get${name}`,
      tag: name,
      summary: `Read one ${noun}`,
      scopes: ["Settings:Read"],
      parameters: [Id, ...CONDITIONS],
      answers: { 200: answer(kind, `The ${noun}.`), 304: NOT_MODIFIED },
      errors: ["BadInput", "NotFound", "PreconditionFailed"],
    }),
    delete: operation({
      id: `delete${name}`,
      tag: name,
      summary: `Delete one ${noun}`,
      description: "Refused with 409 when its caller could not make the change again afterwards.",
      scopes: ["Settings:Update"],
      parameters: [Id, ...CONDITIONS],
      answers: { 200: answer(kind, "Its last state.") },
      errors: ["BadInput", "NotFound", "Conflict", "PreconditionFailed"],
    }),
  };
}

function validate(): Operation {
  const Policy = 'permit (principal, action, resource is Application)\nwhen { resource.Nmae == "Payroll" };';
  const Message = "attribute `Nmae` on entity type `Application` not found (did you mean `Name`?)";
  return operation({
    id: "validatePolicy",
    tag: "Policy",
    summary: "Say what keeps a text from being saved as a policy",
    description: "Nothing is saved.",
    scopes: ["Settings:Update"],
    requestBody: jsonBody("The text.", schemaRef("PolicyText"), { text: { Policy } }),
    answers: {
      200: json("What is wrong with it, in the order of the text; empty: nothing.", schemaRef("PolicyProblems"), {
        Problems: [{ Message, Line: 2, Column: 8 }],
      }),
    },
    errors: ["BadInput"],
  });
}

function answer(kind: Kind, description: string): Answer {
  return json(description, schemaRef(kind.name), exampleRecord(kind), ["ETag"]);
}

function exampleRecord({ name, example }: Kind) {
  return {
    Id: "0197c6f3-0a1b-7c2d-8e3f-405162738495",
    ...example,
    ...(name === "Role" && { Members: [{ Type: "User", Id: 7 }] }),
    ModifiedOn: STAMP,
    ModifiedBy: ACTOR,
    CreatedBy: ACTOR,
    CreatedOn: STAMP,
  };
}

const NAME: Schema = { type: "string", minLength: 1, maxLength: NAME_LIMIT, description: "Unique in the system." };
const DESCRIPTION: Schema = { type: "string", maxLength: DESCRIPTION_LIMIT, default: "", description: "For people." };

const POLICY: Record<string, Schema> = {
  Name: NAME,
  Description: DESCRIPTION,
  Policy: {
    type: "string",
    maxLength: POLICY_LIMIT,
    description: "Its Cedar text. What names a wrong attribute or can never apply is refused with line and column.",
  },
};

const ROLE: Record<string, Schema> = {
  Name: NAME,
  Description: DESCRIPTION,
  Scopes: {
    type: "array",
    items: { type: "string", enum: SCOPES },
    description: "What its users may be given in a token.",
  },
  Members: {
    type: "array",
    maxItems: MEMBER_LIMIT,
    items: {
      type: "object",
      required: ["Type", "Id"],
      properties: {
        Type: { type: "string", enum: ["User", "Application"] },
        Id: { type: "integer", format: "int64", description: "In a body also as text." },
      },
    },
    description: "All of them: those that a body leaves out are no longer members.",
  },
};

const POLICY_TEXT: Schema = {
  type: "object",
  required: ["Policy"],
  properties: { Policy: { type: "string", maxLength: POLICY_LIMIT, pattern: NUL_FREE, description: "Cedar text." } },
  additionalProperties: false,
};

const PROBLEMS: Schema = {
  type: "object",
  required: ["Problems"],
  properties: {
    Problems: {
      type: "array",
      items: {
        type: "object",
        required: ["Message", "Line", "Column"],
        properties: {
          Message: { type: "string" },
          Line: { type: ["integer", "null"], format: "int32", description: "From 1; null: the text as a whole." },
          Column: { type: ["integer", "null"], format: "int32", description: "In characters, from 1." },
        },
      },
    },
  },
};

const STAMPS: Record<string, Schema> = {
  ModifiedOn: { type: "string", format: "date-time", description: "Update date." },
  ModifiedBy: { ...schemaRef("AbstractLong"), description: "Who updated the record." },
  CreatedBy: { ...schemaRef("AbstractLong"), description: "Who created the record." },
  CreatedOn: { type: "string", format: "date-time", description: "Creation date." },
};

function recordSchema(description: string, fields: Record<string, Schema>): Schema {
  const properties = { Id: { type: "string", format: "uuid" }, ...fields, ...STAMPS };
  return { type: "object", description, required: Object.keys(properties), properties };
}

function inputSchema(fields: Record<string, Schema>): Schema {
  const { Description, Name, ...rest } = fields;
  const stamps = Object.entries(STAMPS).map(([name, schema]) => [name, { ...schema, readOnly: true }]);
  return {
    type: "object",
    description: "Absent fields are left alone.",
    properties: {
      Id: {
        type: ["string", "null"],
        description: "Empty: it is found by its Name, or is new.",
        pattern: "^([0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})?$",
      },
      Name: { ...Name, pattern: "^[^\\u0000]*\\S[^\\u0000]*$" },
      Description: { ...Description, type: ["string", "null"], pattern: NUL_FREE },
      ...Object.fromEntries(Object.entries(rest).map(([name, schema]) => [name, orNull(schema)])),
      ...Object.fromEntries(stamps),
    },
    additionalProperties: false,
  };
}

/** A list may be emptied by null. */
function orNull(schema: Schema): Schema {
  return schema.type === "array" ? { ...schema, type: ["array", "null"] } : schema;
}
