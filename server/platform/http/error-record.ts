import { type Static, Type } from "@sinclair/typebox";
import { outageOf, refusalOf, timeoutOf } from "../db/failures.ts";
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
    RequestKey: text("Key identifying the current request; also in the X-Request-Id header and the log."),
  },
  { description: "The form of every error of the entity API." },
);
export type ErrorRecord = Static<typeof ERROR_RECORD>;

/** Messages while PostgreSQL is unavailable, or after a timeout. */
export const OUTAGES = {
  away: "The database is temporarily unavailable. The request is fine: send it again in a few seconds.",
  "disk-full":
    "The disk of the database is full, so changes cannot be saved. The operator must free space; then send the request again.",
  "read-only": "The database is temporarily read-only. Send the request again in a few seconds.",
  slow: "The database took too long, so the request was ended without a change. Ask for less, or try again later.",
  locked: "Other requests have kept the same records locked for too long. Nothing was changed: send the request again.",
};

export const DATABASE_AWAY = "PostgreSQL is unavailable or read-only; the header Retry-After says when to retry.";

/** Maps an error to an ApiError: our own classes unchanged, PostgreSQL outages and timeouts to 503, anything else to a plain 500. */
export function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const refusal = refusalOf(error);
  if (refusal) return refusal;
  const outage = outageOf(error) ?? timeoutOf(error);
  if (outage) return new ServiceUnavailable(OUTAGES[outage]);
  return new ApiError(500, "Internal Server Error", "Internal Server Error", [
    "Internal error. Try again; if it persists, tell the operator this RequestKey.",
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
