import { type Static, Type } from "@sinclair/typebox";
import { outageOf, refusalOf } from "../db/failures.ts";
import { ApiError, ServiceUnavailable } from "../errors.ts";
import { contextOf } from "./context.ts";
import { requestUrl } from "./request.ts";

const text = (description: string) => Type.String({ default: "", description });

/** docs/behaviour.md "Error record". */
export const ERROR_RECORD = Type.Object(
  {
    Errors: Type.Array(Type.String(), { description: "Human-readable explanations." }),
    Type: text("URI identifier categorizing the error."),
    Title: text("Brief message."),
    StatusCode: Type.Integer({ format: "int32", description: "HTTP status code." }),
    Instance: text("URI identifying the occurrence (the request path)."),
    RequestKey: text("Key identifying the current request; the X-Request-Id header and the log have it too."),
  },
  { description: "Every error of the entity API is one." },
);
export type ErrorRecord = Static<typeof ERROR_RECORD>;

/** Messages while PostgreSQL is unavailable. */
export const OUTAGES = {
  away: "The database is away for the moment. Nothing is wrong with the request: send it again in a few seconds.",
  "disk-full":
    "The disk of the database is full, so it takes no changes. The operator has to make room; then send the request again.",
  "read-only": "The database takes no changes for the moment. Send the request again in a few seconds.",
};

export const DATABASE_AWAY = "PostgreSQL is away, or takes no changes; the header Retry-After says when to ask again.";

/** Maps an error to an ApiError: our own classes unchanged, PostgreSQL outages to 503, anything else to a plain 500. */
export function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const refusal = refusalOf(error);
  if (refusal) return refusal;
  const outage = outageOf(error);
  if (outage) return new ServiceUnavailable(OUTAGES[outage]);
  return new ApiError(500, "Internal Server Error", "Internal Server Error", [
    "Something failed on our side. Try again; if it stays, tell the operator this RequestKey.",
  ]);
}

export function errorRecord(error: ApiError, request: Request): ErrorRecord {
  return {
    Errors: error.errors,
    Type: `/Errors/${error.kind}`,
    Title: error.title,
    StatusCode: error.status,
    Instance: requestUrl(request).pathname,
    RequestKey: contextOf(request).key,
  };
}

export function errorResponse(failure: unknown, request: Request): Response {
  const error = asApiError(failure);
  return Response.json(errorRecord(error, request), { status: error.status, headers: error.headers });
}
