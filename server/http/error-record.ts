import { outageOf, refusalOf } from "../db/failures.ts";
import { ApiError, ServiceUnavailable } from "../errors.ts";
import { contextOf } from "./context.ts";
import { requestUrl } from "./request.ts";

/** docs/behaviour.md "Error record". */
export interface ErrorRecord {
  Errors: string[];
  Type: string;
  Title: string;
  StatusCode: number;
  Instance: string;
  RequestKey: string;
}

/** What a caller reads while PostgreSQL is so. */
export const OUTAGES = {
  away: "The database is away for the moment. Nothing is wrong with the request: send it again in a few seconds.",
  "read-only": "The database takes no changes for the moment. Send the request again in a few seconds.",
};

/**
 * The failure a caller is told of: our own classes as they are, a database that is away or takes no writes as 503,
 * anything else as a plain 500.
 */
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
