// The endpoints of OAuth and OpenID Connect, from their declarations.

import type { TObject } from "@sinclair/typebox";
import { documented } from "../identity/index.ts";
import { DATABASE_AWAY } from "../platform/http/error-record.ts";
import { DOCUMENTED_RECORD } from "./errors.ts";
import {
  type Area,
  type Examples,
  headersOf,
  type Operation,
  type ParameterObject,
  type PathItem,
  type ResponseObject,
  type Schema,
  schemaRef,
} from "./objects.ts";
import { formBody, header, json, jsonBody, operation } from "./operation.ts";
import { documentedSchema } from "./routes.ts";

export function oauth(): Area {
  const named = new Map<string, Schema>([["TokenError", TOKEN_ERROR]]);
  const inDocument: InDocument = (schema) => documentedSchema(schema, named);
  inDocument(documented.RFC_ERROR);
  return {
    tags: [documented.SPEC_TAG, documented.RFC_TAG, documented.SIGN_IN_TAG],
    paths: Object.fromEntries(documented.ENDPOINTS.map((endpoint) => [endpoint.path, pathItem(endpoint, inDocument)])),
    schemas: Object.fromEntries(named),
  };
}

type InDocument = (schema: object) => Schema;

function pathItem(endpoint: (typeof documented.ENDPOINTS)[number], inDocument: InDocument): PathItem {
  if (endpoint.kind === "form") return { post: formOperation(endpoint, inDocument) };
  if (endpoint.kind === "public") return { get: publicOperation(endpoint, inDocument) };
  if (endpoint.kind === "bearer") return bearerItem(endpoint, inDocument);
  const ofMethod = pageOperation(endpoint, inDocument);
  return { get: ofMethod("get"), post: ofMethod("post") };
}

function answerOf(
  { description, schema, example }: documented.FormEndpoint["answer"],
  inDocument: InDocument,
): ResponseObject {
  return schema ? json(description, inDocument(schema), example) : { description };
}

function publicOperation({ id, tag, summary, answer }: documented.PublicEndpoint, inDocument: InDocument): Operation {
  return operation({ id, tag: tag.name, summary, answers: { 200: answerOf(answer, inDocument) } });
}

function formOperation(endpoint: documented.FormEndpoint, inDocument: InDocument): Operation {
  const { door, id, summary, description, form, examples, answer, status = 200 } = endpoint;
  return {
    operationId: id,
    tags: [(door === "spec" ? documented.SPEC_TAG : documented.RFC_TAG).name],
    summary,
    description,
    security: [{}, { client: [] }],
    requestBody: formBody(inDocument(form), examples),
    responses: { [status]: answerOf(answer, inDocument), ...refusals(endpoint) },
  };
}

/** Formatted by the code that rejects requests; a status with several kinds has an example for each. */
function refusals({ door, path, refused }: documented.FormEndpoint): Record<string, ResponseObject> {
  const request = new Request(`http://localhost${path}`);
  const all: documented.Refusal[] = [...refused, ...documented.REFUSED_BY_ALL];
  const described = all.map((refusal) => ({ ...refusal, ...documented.tokenRefusal(refusal.error, request, door) }));
  const schema = schemaRef(door === "spec" ? "TokenError" : "Rfc6749Error");
  const byStatus = Map.groupBy(described, ({ status }) => status);
  const answers = [...byStatus].map(([status, group]): [number, ResponseObject] => {
    const description = group.map(({ when }) => when).join(" Or: ");
    const headers = headersOf(["X-Request-Id", ...group.flatMap((one) => one.headers ?? [])]);
    const examples: Examples = Object.fromEntries(
      group.map(({ body }, index) => [`${String(body.error).replaceAll(" ", "")}${index || ""}`, { value: body }]),
    );
    return [status, { description, headers, content: { "application/json": { schema, examples } } }];
  });
  return Object.fromEntries(answers);
}

const { RequestKey: _, ...OF_ERROR_RECORD } = DOCUMENTED_RECORD.properties;

/** docs/behaviour.md "Token endpoint errors". */
const TOKEN_ERROR: Schema = {
  type: "object",
  description: "The error record, with the fields of RFC 6749 5.2; the header X-Request-Id has its RequestKey.",
  required: ["error", "error_description", ...Object.keys(OF_ERROR_RECORD)],
  properties: {
    error: { type: "string", description: "The last part of Type." },
    error_description: { type: "string", description: "Human-readable explanation." },
    ...OF_ERROR_RECORD,
  },
};

function pageOperation({ id, summary, description, takes, answers }: documented.PageEndpoint, inDocument: InDocument) {
  const form = inDocument(takes);
  const own = Object.entries(answers).map(([status, described]) => [status, answered(status, described)]);
  return (method: "get" | "post"): Operation => ({
    operationId: id[method],
    tags: [documented.SIGN_IN_TAG.name],
    summary,
    description,
    security: [],
    parameters: method === "get" ? queryOf(takes) : undefined,
    requestBody: method === "post" ? formBody(form) : undefined,
    responses: {
      ...Object.fromEntries(own),
      405: html("The header Allow names the methods."),
      ...(method === "post" ? { 413: html("The form is too large."), 415: html("The body is not a form.") } : {}),
      500: html("Internal error."),
      503: html(DATABASE_AWAY, ["Retry-After"]),
    },
  });
}

function html(description: string, headers: string[] = []): ResponseObject {
  return {
    description,
    headers: headersOf(["X-Request-Id", ...headers]),
    content: { "text/html": { schema: { type: "string" } } },
  };
}

/** A page or a redirect. */
function answered(status: string, description: string): ResponseObject {
  if (!status.startsWith("3")) return html(description);
  return { description, headers: headersOf(["X-Request-Id", "Location"]) };
}

function queryOf({ properties, required = [] }: TObject): ParameterObject[] {
  return Object.entries(properties).map(([name, given]) => {
    const { description, ...schema } = documentedSchema(given, new Map()) as Schema;
    // RFC 6749 3.1.
    const shared = { in: "query" as const, description: String(description), allowEmptyValue: true };
    return { name, ...shared, required: required.includes(name), schema };
  });
}

/** RFC 6750, RFC 7591, RFC 7592 and OIDC Core 5.3. */
function bearerItem({ operations }: documented.BearerEndpoint, inDocument: InDocument): PathItem {
  const stated = (one: documented.BearerOperation): Operation => {
    const { id, tag, summary, description, security, params, body, status = 200, answer, refused } = one;
    return {
      operationId: id,
      tags: [tag.name],
      summary,
      description,
      security,
      parameters:
        params &&
        Object.entries(params).map(([name, described]) => ({ ...header(name, described), in: "path", required: true })),
      requestBody: body && jsonBody("The metadata.", inDocument(body.schema), { metadata: body.example }),
      responses: { [status]: answerOf(answer, inDocument), ...refusalsOf(refused) },
    };
  };
  return Object.fromEntries(Object.entries(operations).map(([method, one]) => [method, stated(one)]));
}

function refusalsOf(refused: documented.BearerOperation["refused"]) {
  const all: documented.BearerOperation["refused"] = {
    ...refused,
    405: { when: "The header Allow names the methods.", error: "invalid_request", headers: ["Allow"] },
    500: { when: "Internal error.", error: "server_error" },
    503: { when: DATABASE_AWAY, error: "temporarily_unavailable", headers: ["Retry-After"] },
  };
  const responses = Object.entries(all).map(([status, { when, error, headers }]) => [
    status,
    json(when, schemaRef("Rfc6749Error"), { error, error_description: when }, headers),
  ]);
  return Object.fromEntries(responses);
}
