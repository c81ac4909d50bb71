// Errors as RFC 7644 3.12 has them.

import { ApiError } from "../../platform/errors.ts";
import { asApiError } from "../../platform/http/error-record.ts";

export const MEDIA_TYPE = "application/scim+json";
const SCHEMA = "urn:ietf:params:scim:api:messages:2.0:Error";

type ScimType =
  | "invalidFilter"
  | "invalidPath"
  | "invalidSyntax"
  | "invalidValue"
  | "mutability"
  | "noTarget"
  | "tooMany";

export class ScimError extends ApiError {
  constructor(
    readonly scimType: ScimType,
    detail: string,
  ) {
    super(400, "Bad Input", "Bad Request", [detail]);
  }
}

export function scimRefusal(failure: unknown): Response {
  const error = asApiError(failure);
  const scimType =
    error instanceof ScimError ? error.scimType : ({ 400: "invalidValue", 409: "uniqueness" } as const)[error.status];
  const body = {
    schemas: [SCHEMA],
    status: String(error.status),
    ...(scimType && { scimType }),
    detail: error.message,
  };
  return scimAnswer(body, { status: error.status, headers: error.headers });
}

export function scimAnswer(body: object, init: { status?: number; headers?: Record<string, string> } = {}): Response {
  return Response.json(body, { ...init, headers: { ...init.headers, "content-type": MEDIA_TYPE } });
}
