// The API's errors. Each example is created by the class that handlers throw.

import {
  type ApiError,
  BadInput,
  Conflict,
  KeyReused,
  MethodNotAllowed,
  MultipleRows,
  NotFound,
  PayloadTooLarge,
  Permission,
  PreconditionFailed,
  ServiceBusy,
  ServiceUnavailable,
  TooManyRequests,
  Unauthorized,
  UnsupportedMediaType,
} from "../platform/errors.ts";
import { JSON_BODY_LIMIT } from "../platform/http/body.ts";
import {
  asApiError,
  DATABASE_AWAY,
  ERROR_RECORD,
  type ErrorRecord,
  errorRecord,
  OUTAGES,
} from "../platform/http/error-record.ts";
import { API_PATH } from "../platform/http/request.ts";
import type { ErrorName } from "../platform/http/route.ts";
import { type Examples, headersOf, type Ref, type ResponseObject, schemaRef } from "./objects.ts";

interface DescribedError {
  when: string;
  error: ApiError;
  headers?: string[];
}

const ERRORS = {
  BadInput: {
    when: "The input cannot be converted, or does not match the documented structure.",
    error: new BadInput("Is_Active must be true, false or null."),
  },
  MultipleRows: {
    when: "The value matches several records.",
    error: new MultipleRows("Several User records have the Username ana."),
  },
  Unauthorized: {
    when: "The access token is missing, expired or invalid.",
    error: new Unauthorized("The access token is expired or invalid. Request a new one at the token endpoint."),
    headers: ["WWW-Authenticate"],
  },
  Permission: {
    when: "The access token lacks a scope, or no policy permits the operation.",
    error: new Permission("The access token lacks the scope AccessManager:Read."),
    headers: ["WWW-Authenticate"],
  },
  NotFound: { when: "There is no such record.", error: new NotFound("There is no User whose Id is 999.") },
  MethodNotAllowed: {
    when: "The method is not supported; the header Allow lists those of the path.",
    error: new MethodNotAllowed(["GET", "HEAD", "DELETE"]),
    headers: ["Allow"],
  },
  Conflict: {
    when: "The change conflicts with another record or a concurrent change.",
    error: new Conflict("Name is already used by another Application."),
  },
  PreconditionFailed: {
    when: "The record does not meet If-Match or If-None-Match.",
    error: new PreconditionFailed(
      "The record has changed since the version in If-Match. Read it again, then repeat the change.",
    ),
  },
  PayloadTooLarge: { when: "The body is too large.", error: new PayloadTooLarge(JSON_BODY_LIMIT) },
  KeyReused: { when: "The Idempotency-Key belongs to a different request.", error: new KeyReused() },
  UnsupportedMediaType: {
    when: "The body's media type is not supported.",
    error: new UnsupportedMediaType("application/json"),
  },
  TooManyRequests: {
    when: "The client has sent too many requests, or its tenant has too many of this kind in progress; the header Retry-After says when to retry.",
    error: TooManyRequests.ofClient(500, 1),
    headers: ["Retry-After", "RateLimit", "RateLimit-Policy"],
  },
  ServiceBusy: {
    when: "The request has waited too long; the header Retry-After says when to retry.",
    error: new ServiceBusy(),
    headers: ["Retry-After"],
  },
  DatabaseAway: { when: DATABASE_AWAY, error: new ServiceUnavailable(OUTAGES.away), headers: ["Retry-After"] },
  InternalServerError: { when: "Internal error.", error: asApiError(undefined) },
} satisfies Record<ErrorName, DescribedError>;
const NAMES = Object.keys(ERRORS) as ErrorName[];

const EXAMPLE_HEADERS = { "x-request-id": "0197c6f2-3a1b-7c4d-8e5f-60718293a4b5" };

/** By status; a status with several kinds has an example for each. */
export function errorAnswers(names: readonly ErrorName[]): Record<string, ResponseObject | Ref> {
  const byStatus = Object.groupBy(new Set(names), (name) => String(ERRORS[name].error.status));
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, group = []]) => [
      status,
      group.length === 1 ? { $ref: `#/components/responses/${group[0]}` } : errorAnswer(group),
    ]),
  );
}

export const ERROR_RESPONSES: Record<string, ResponseObject> = Object.fromEntries(
  NAMES.map((name) => [name, errorAnswer([name])]),
);

export const ERROR_EXAMPLES: Examples = Object.fromEntries(
  NAMES.map((name) => [name, { summary: `/Errors/${ERRORS[name].error.kind}`, value: example(ERRORS[name]) }]),
);

const { properties } = ERROR_RECORD;
const kinds = NAMES.map((name) => `/Errors/${ERRORS[name].error.kind}`);
/** With the possible values of Type. */
export const DOCUMENTED_RECORD = {
  ...ERROR_RECORD,
  properties: { ...properties, Type: { ...properties.Type, examples: kinds } },
};

function errorAnswer(names: ErrorName[]): ResponseObject {
  const described: DescribedError[] = names.map((name) => ERRORS[name]);
  return {
    description: described.map(({ when }) => when).join(" Or: "),
    headers: headersOf(["X-Request-Id", ...described.flatMap((one) => one.headers ?? [])]),
    content: {
      "application/json": {
        schema: schemaRef("ErrorRecord"),
        examples: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/examples/${name}` }])),
      },
    },
  };
}

function example({ error }: DescribedError): ErrorRecord {
  return errorRecord(error, new Request(`http://localhost${API_PATH}/User/999`, { headers: EXAMPLE_HEADERS }));
}
