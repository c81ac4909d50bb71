import { PAGING } from "../platform/http/query.ts";
import { type ErrorName, IDEMPOTENCY_KEY } from "../platform/http/route.ts";
import { MAX_ROWS_READ, type Scope } from "../records/index.ts";
import { errorAnswers } from "./errors.ts";
import {
  type Examples,
  headersOf,
  type Operation,
  type ParameterObject,
  type Ref,
  type RequestBody,
  type ResponseObject,
  type Schema,
} from "./objects.ts";

interface Described {
  id: string;
  tag: string;
  summary: string;
  description?: string;
  /** All scopes that the access token must have; undefined: no token. */
  scopes?: Scope[];
  parameters?: (ParameterObject | Ref)[];
  requestBody?: RequestBody;
  answers: Record<string, ResponseObject>;
  errors?: ErrorName[];
}

/** An operation of the entity API, with its security and the common errors. */
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

/** Adds the rate limit headers, which identified clients get. */
function withQuota(answers: Record<string, ResponseObject>): Record<string, ResponseObject> {
  const quota = headersOf(["RateLimit", "RateLimit-Policy"]);
  return Object.fromEntries(
    Object.entries(answers).map(([status, one]) => [status, { ...one, headers: { ...one.headers, ...quota } }]),
  );
}

export function json(
  description: string,
  schema: Schema,
  example?: unknown,
  headers: string[] = [],
  examples: Record<string, unknown> | undefined = example === undefined ? undefined : { example },
): ResponseObject {
  return {
    description,
    headers: headersOf(["X-Request-Id", ...headers]),
    content: { "application/json": { schema, examples: examples && named(examples) } },
  };
}

export const NOT_MODIFIED: ResponseObject = {
  description: "The record matches If-None-Match.",
  headers: headersOf(["ETag"]),
};

export function jsonBody(
  description: string,
  schema: Schema,
  examples: Record<string, unknown>,
  required = true,
): RequestBody {
  return { description, required, content: { "application/json": { schema, examples: named(examples) } } };
}

export function formBody(schema: Schema, examples?: Record<string, unknown>): RequestBody {
  const content = { schema, ...(examples && { examples: named(examples) }) };
  return { required: true, content: { "application/x-www-form-urlencoded": content } };
}

function named(examples: Record<string, unknown>): Examples {
  return Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }]));
}

export function pageOf(item: Schema): Schema {
  return {
    type: "object",
    required: ["Items", "Next", "Hidden"],
    properties: {
      Items: { type: "array", items: item },
      Next: {
        type: ["string", "null"],
        description:
          "The Cursor of the next page; null: no more records that the caller may read. One request reads " +
          `${MAX_ROWS_READ} rows at most, so a page can be shorter than Limit if many are hidden.`,
      },
      Hidden: {
        type: ["integer", "null"],
        format: "int32",
        description:
          "The records that policies leave out of this page. null: some may be left out, but their number is not told, " +
          "because it could reveal their values: the request has filters, or the list is part of a record.",
      },
    },
  };
}

// Common parameters and headers.

const TEXT = { type: "string" };

export function header(name: string, description: string): ParameterObject {
  return { name, in: "header", description, schema: TEXT };
}

export const PARAMETERS = {
  Limit: { name: "Limit", in: "query", ...PAGING.Limit },
  Cursor: { name: "Cursor", in: "query", ...PAGING.Cursor },
  IfMatch: header(
    "If-Match",
    "Quoted ETags; the record must have one of them. `*`: any existing record. Otherwise 412.",
  ),
  IfNoneMatch: header(
    "If-None-Match",
    "Quoted ETags; the record must have none of them. `*`: the record must not exist.",
  ),
  IdempotencyKey: header(
    IDEMPOTENCY_KEY,
    "A new text for each request, such as a UUID. A repeated request with it, within 24 hours, gets the first answer and " +
      "changes nothing. Then the answer has `Idempotent-Replayed: true`.",
  ),
  RequestId: header(
    "X-Request-Id",
    "The caller's key of the request: 1 to 100 letters, digits and `._:-`. It is generated if " +
      "absent or malformed.",
  ),
} satisfies Record<string, ParameterObject>;

export const HEADERS: Record<string, { description: string; schema: Schema }> = {
  "X-Request-Id": { description: "The request's key, the RequestKey of an error.", schema: TEXT },
  ETag: { description: "The record's version, for If-Match and If-None-Match (RFC 9110 8.8.3).", schema: TEXT },
  Location: { description: "The address that the browser is redirected to.", schema: TEXT },
  Allow: { description: "The methods of the path.", schema: TEXT },
  "WWW-Authenticate": { description: "The missing scope or token (RFC 6750 3).", schema: TEXT },
  "DPoP-Nonce": { description: "For the next DPoP proof (RFC 9449 8).", schema: TEXT },
  "Retry-After": { description: "Seconds to wait.", schema: { type: "integer", format: "int32", minimum: 1 } },
  RateLimit: {
    description: "The remaining requests (r), and the seconds until more are available (t).",
    schema: { ...TEXT, examples: ['"client";r=999;t=1'] },
  },
  "RateLimit-Policy": {
    description: "The requests (q) that a client can send per window of seconds (w).",
    schema: { ...TEXT, examples: ['"client";q=1000;w=2'] },
  },
};

export const CONDITIONS = [parameterRef("IfMatch"), parameterRef("IfNoneMatch")];

export function parameterRef(name: keyof typeof PARAMETERS): Ref {
  return { $ref: `#/components/parameters/${name}` };
}
