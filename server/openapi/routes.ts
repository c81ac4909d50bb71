// The part of the document that comes from the routes' own declarations.

import { API_PATH } from "../http/paths.ts";
import type { Route } from "../http/route.ts";
import type { ErrorName } from "./errors.ts";
import { documentedSchema } from "./json-schema.ts";
import { headersOf, json, jsonBody, NOT_MODIFIED, operation, pageOf } from "./operation.ts";
import { CONDITIONS, parameterRef } from "./parameters.ts";
import type { Answer, Area, Operation, Parameter, PathItem, Ref, Schema } from "./types.ts";

export function describedRoutes(routes: readonly Route[]): Area {
  const named = new Map<string, Schema>();
  const paths = [...Map.groupBy(routes, ({ path }) => path)].map(([path, methods]): [string, PathItem] => [
    API_PATH + path,
    Object.fromEntries(methods.map((route) => [route.method.toLowerCase(), described(route, named)])),
  ]);
  return {
    tags: [...new Map(routes.map(({ tag }) => [tag.name, tag])).values()],
    paths: Object.fromEntries(paths),
    schemas: Object.fromEntries(named),
  };
}

function described(route: Route, named: Map<string, Schema>): Operation {
  const { id, tag, summary, description, scopes, conditions, body, answer } = route;
  const schema = documentedSchema(answer.schema, named);
  const { example, examples } = answer;
  const file: Answer = {
    description: answer.description,
    headers: headersOf(["X-Request-Id"]),
    content: Object.fromEntries((answer.files ?? []).map((type) => [type, { schema }])),
  };
  const answered = answer.files
    ? file
    : answer.list
      ? json(answer.description, pageOf(schema), example && { Items: [example].flat(), Next: null })
      : withExamples(json(answer.description, schema, example, conditions ? ["ETag"] : []), examples);
  return operation({
    id,
    tag: tag.name,
    summary,
    description,
    scopes: [...scopes],
    parameters: parametersOf(route, named),
    requestBody: body && jsonBody(body.description, documentedSchema(body.schema, named), body.examples),
    answers: { 200: answered, ...(conditions && route.method === "GET" && { 304: NOT_MODIFIED }) },
    errors: errorsOf(route),
  });
}

function withExamples(answer: Answer, examples: Record<string, unknown> | undefined): Answer {
  if (!examples) return answer;
  const { schema } = answer.content!["application/json"]!;
  const named = Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }]));
  return { ...answer, content: { "application/json": { schema, examples: named } } };
}

function parametersOf(route: Route, named: Map<string, Schema>): (Parameter | Ref)[] {
  const { params = {}, query = {}, filters = {}, paged, conditions } = route;
  const inPath = Object.keys(params).map((name): Parameter => {
    const { description, schema, examples } = params[name];
    return { name, in: "path", required: true, description, schema: documentedSchema(schema, named), examples };
  });
  const beside = Object.keys(query).map((name): Parameter => {
    const { description, schema } = query[name];
    return { name, in: "query", description, allowEmptyValue: true, schema: documentedSchema(schema, named) };
  });
  const inQuery = Object.keys(filters).map((name): Parameter => {
    const { description, schema, hasValue } = filters[name];
    const allowEmptyValue = hasValue ? undefined : true;
    return { name, in: "query", description, allowEmptyValue, schema: documentedSchema(schema, named) };
  });
  return [
    ...inPath,
    ...beside,
    ...(paged ? [parameterRef("Limit"), parameterRef("Cursor")] : []),
    ...inQuery,
    ...(conditions ? CONDITIONS : []),
  ];
}

/** What a route can answer by what it takes, and what it says of itself. */
function errorsOf({ params, query, filters, paged, conditions, body, errors = [] }: Route): ErrorName[] {
  return [
    ...(body || query || filters || paged || conditions ? (["BadInput"] as const) : []),
    ...(params ? (["NotFound"] as const) : []),
    ...(conditions ? (["PreconditionFailed"] as const) : []),
    ...errors,
  ];
}
