// Documentation of routes, from their declarations.

import { API_PATH } from "../platform/http/request.ts";
import { type ErrorName, KEYED, type Route } from "../platform/http/route.ts";
import {
  type Area,
  headersOf,
  type Operation,
  type ParameterObject,
  type PathItem,
  type Ref,
  type ResponseObject,
  type Schema,
  schemaRef,
} from "./objects.ts";
import { CONDITIONS, json, jsonBody, NOT_MODIFIED, operation, pageOf, parameterRef } from "./operation.ts";

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
  const file: ResponseObject = {
    description: answer.description,
    headers: headersOf(["X-Request-Id"]),
    content: Object.fromEntries((answer.files ?? []).map((type) => [type, { schema }])),
  };
  const answered = answer.files
    ? file
    : answer.list
      ? json(answer.description, pageOf(schema), example && { Items: [example].flat(), Next: null, Hidden: 0 })
      : json(answer.description, schema, example, conditions ? ["ETag"] : [], examples);
  return operation({
    id,
    tag: tag.name,
    summary,
    description,
    scopes: [...scopes],
    parameters: parametersOf(route, named),
    requestBody:
      body && jsonBody(body.description, documentedSchema(body.schema, named), body.examples, !body.optional),
    answers: { 200: answered, ...(conditions && route.method === "GET" && { 304: NOT_MODIFIED }) },
    errors: errorsOf(route),
  });
}

interface DescribedParameter extends Pick<ParameterObject, "description" | "schema" | "examples"> {
  hasValue?: boolean;
}

function parametersOf(route: Route, named: Map<string, Schema>): (ParameterObject | Ref)[] {
  const { params = {}, query = {}, filters = {}, paged, conditions } = route;
  const documented = (
    all: Record<string, DescribedParameter>,
    where: (one: DescribedParameter) => Pick<ParameterObject, "in"> & Partial<ParameterObject>,
  ) =>
    Object.entries(all).map(([name, one]): ParameterObject => {
      const { description, schema } = one;
      return { name, description, schema: documentedSchema(schema, named), ...where(one) };
    });
  return [
    ...documented(params, ({ examples }) => ({ in: "path", required: true, examples })),
    ...documented(query, () => ({ in: "query", allowEmptyValue: true })),
    ...(paged ? [parameterRef("Limit"), parameterRef("Cursor")] : []),
    ...documented(filters, ({ hasValue }) => ({ in: "query", allowEmptyValue: hasValue ? undefined : true })),
    ...(conditions ? CONDITIONS : []),
    ...(KEYED.includes(route.method) ? [parameterRef("IdempotencyKey")] : []),
  ];
}

/** The errors implied by a route's input, and its declared ones. */
function errorsOf({ method, params, conditions, errors = [] }: Route): ErrorName[] {
  return [
    "BadInput",
    ...(params ? (["NotFound"] as const) : []),
    ...(conditions ? (["PreconditionFailed"] as const) : []),
    ...(KEYED.includes(method) ? (["Conflict", "KeyReused"] as const) : []),
    ...errors,
  ];
}

// Converts TypeBox schemas: named ones are referenced and appear once, as components.

export function documentedSchema(schema: object, named: Map<string, Schema>): Schema {
  const { $id, ...own } = schema as Schema & { $id?: string };
  if ($id === undefined) return inside(own, named);
  if (!named.has($id)) {
    // Set first, because a schema may contain itself.
    named.set($id, {});
    named.set($id, inside(own, named));
  }
  return schemaRef($id);
}

function inside(schema: Schema, named: Map<string, Schema>): Schema {
  const parts = Object.entries(schema).flatMap(([key, value]): [string, unknown][] => {
    if (key === "properties") return [[key, mapped(value as Record<string, object>, named)]];
    // TypeBox represents an object with arbitrary names by a pattern that matches all.
    if (key === "patternProperties") {
      return [["additionalProperties", documentedSchema(Object.values(value as Record<string, object>)[0]!, named)]];
    }
    if (key === "items" || (key === "additionalProperties" && typeof value === "object")) {
      return [[key, documentedSchema(value as object, named)]];
    }
    if (key === "anyOf" || key === "oneOf") {
      return choices(
        key,
        (value as object[]).map((choice) => documentedSchema(choice, named)),
      );
    }
    return [[key, value]];
  });
  return Object.fromEntries(parts);
}

/** Words become an enum, and nullable values include the type null. */
function choices(key: string, all: Schema[]): [string, unknown][] {
  const some = all.filter(({ type }) => type !== "null");
  const isNullable = some.length < all.length;
  if (some.every((choice) => "const" in choice)) {
    const words = some.map((choice) => choice.const);
    const type = typeof words[0];
    return [
      ["type", isNullable ? [type, "null"] : type],
      ["enum", isNullable ? [...words, null] : words],
    ];
  }
  const [one] = some;
  if (!isNullable || some.length > 1 || typeof one?.type !== "string") return [[key, all]];
  const { type, enum: words, ...rest } = one;
  const orNull = words ? { enum: [...(words as unknown[]), null] } : {};
  return Object.entries({ type: [type, "null"], ...rest, ...orNull });
}

function mapped(properties: Record<string, object>, named: Map<string, Schema>): Record<string, Schema> {
  return Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, documentedSchema(part, named)]));
}
