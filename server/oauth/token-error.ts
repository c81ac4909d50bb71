import { ApiError } from "../errors.ts";
import { errorRecord } from "../http/error-record.ts";

const SHAPES = {
  Unauthorized: { status: 400, title: "Unauthorized" },
  Permission: { status: 403, title: "Forbidden" },
  "Bad Input": { status: 400, title: "Bad Request" },
} as const;

/** SPEC.md "Token endpoint errors": the word stands in `error`, and as /Errors/… in Type. */
export class TokenError extends ApiError {
  constructor(kind: keyof typeof SHAPES, description: string) {
    super(SHAPES[kind].status, kind, SHAPES[kind].title, [description]);
  }
}

export function tokenErrorResponse(error: ApiError, request: Request): Response {
  const body = { error: error.kind, error_description: error.message, ...errorRecord(error, request) };
  return Response.json(body, { status: error.status, headers: { ...error.headers, "cache-control": "no-store" } });
}
