import { MOST_LOOKED_AT, type Scope } from "../access/index.ts";
import { type ErrorName, errorAnswers } from "./errors.ts";
import type { Answer, Examples, Operation, Parameter, Ref, RequestBody, Schema } from "./types.ts";

interface Described {
  id: string;
  tag: string;
  summary: string;
  description?: string;
  /** What the access token must carry, all of them; undefined: it takes no token. */
  scopes?: Scope[];
  parameters?: (Parameter | Ref)[];
  requestBody?: RequestBody;
  /** By status. */
  answers: Record<string, Answer>;
  /** Beside those that every operation can answer. */
  errors?: ErrorName[];
}

/** An operation of the entity API: who may call it and the errors they all have are added to what is its own. */
export function operation(described: Described): Operation {
  const { id, tag, summary, description, scopes, parameters, requestBody, answers, errors = [] } = described;
  const ofToken: ErrorName[] = scopes ? ["Unauthorized", "Permission", "TooManyRequests"] : [];
  const ofBody: ErrorName[] = requestBody ? ["PayloadTooLarge", "UnsupportedMediaType"] : [];
  return {
    operationId: id,
    summary,
    description,
    tags: [tag],
    security: scopes ? [{ oauth2: scopes }, { bearer: [] }] : [],
    parameters,
    requestBody,
    responses: {
      ...errorAnswers([...errors, ...ofToken, ...ofBody, "MethodNotAllowed", "InternalServerError", "DatabaseAway"]),
      ...(scopes ? withQuota(answers) : answers),
    },
  };
}

/** A client that is known is told how much of its quota is left. */
function withQuota(answers: Record<string, Answer>): Record<string, Answer> {
  const quota = headersOf(["RateLimit", "RateLimit-Policy"]);
  return Object.fromEntries(
    Object.entries(answers).map(([status, answer]) => [
      status,
      { ...answer, headers: { ...answer.headers, ...quota } },
    ]),
  );
}

/** An answer of JSON. */
export function json(description: string, schema: Schema, example?: unknown, headers: string[] = []): Answer {
  return {
    description,
    headers: headersOf(["X-Request-Id", ...headers]),
    content: {
      "application/json": { schema, examples: example === undefined ? undefined : { example: { value: example } } },
    },
  };
}

/** The answer to GET of one record that the caller has already. */
export const NOT_MODIFIED: Answer = {
  description: "The record is what If-None-Match names.",
  headers: headersOf(["ETag"]),
};

export function headersOf(names: string[]): Record<string, Ref> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** @param examples by name */
export function jsonBody(description: string, schema: Schema, examples: Record<string, unknown>): RequestBody {
  const named: Examples = Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }]));
  return { description, required: true, content: { "application/json": { schema, examples: named } } };
}

/** What a list answers. */
export function pageOf(item: Schema): Schema {
  return {
    type: "object",
    required: ["Items", "Next"],
    properties: {
      Items: { type: "array", items: item },
      Next: {
        type: ["string", "null"],
        description:
          "The Cursor of the next page; null: nothing follows that the caller may read. One request looks at " +
          `${MOST_LOOKED_AT} rows at most: where more in a row are hidden, a page has fewer than its Limit.`,
      },
    },
  };
}
