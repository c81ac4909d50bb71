// Parameters and headers that many operations have.

import { DEFAULT_LIMIT, MOST_LIMIT } from "../http/paging.ts";
import type { Parameter, Ref, Schema } from "./types.ts";

export const PARAMETERS = {
  Limit: {
    name: "Limit",
    in: "query",
    description: "Records of a page, of those that the caller may read.",
    schema: { type: "integer", format: "int32", minimum: 1, maximum: MOST_LIMIT, default: DEFAULT_LIMIT },
  },
  Cursor: {
    name: "Cursor",
    in: "query",
    description: "The Next of the page before, for the same caller, list and filters; empty: the first page.",
    schema: { type: "string" },
  },
  IfMatch: {
    name: "If-Match",
    in: "header",
    description:
      "ETags in their quotes, one of which the record must still have; `*`: any record that is there. Else 412.",
    schema: { type: "string" },
  },
  IfNoneMatch: {
    name: "If-None-Match",
    in: "header",
    description: "ETags in their quotes, none of which the record may have; `*`: there must be no such record.",
    schema: { type: "string" },
  },
  RequestId: {
    name: "X-Request-Id",
    in: "header",
    description:
      "The caller's own key of the request: 1 to 100 letters, digits and `._:-`. Another one is made if it is " +
      "absent or anything else.",
    schema: { type: "string" },
  },
} satisfies Record<string, Parameter>;

export const HEADERS: Record<string, { description: string; schema: Schema }> = {
  "X-Request-Id": { description: "The request's key, the RequestKey of an error.", schema: { type: "string" } },
  ETag: {
    description: "The record's version, for If-Match and If-None-Match (RFC 9110 8.8.3).",
    schema: { type: "string" },
  },
  Location: { description: "Where the browser goes on.", schema: { type: "string" } },
  Allow: { description: "The methods of the path.", schema: { type: "string" } },
  "WWW-Authenticate": { description: "What is missing (RFC 6750 3).", schema: { type: "string" } },
  "Retry-After": { description: "Seconds to wait.", schema: { type: "integer", format: "int32", minimum: 1 } },
  RateLimit: {
    description: "How many requests are left (r), and in how many seconds (t) there are more.",
    schema: { type: "string", examples: ['"client";r=999;t=1'] },
  },
  "RateLimit-Policy": {
    description: "How many requests (q) a client may send in how many seconds (w).",
    schema: { type: "string", examples: ['"client";q=1000;w=2'] },
  },
};

/** Of an operation on one record. */
export const CONDITIONS = [parameterRef("IfMatch"), parameterRef("IfNoneMatch")];

export function parameterRef(name: keyof typeof PARAMETERS): Ref {
  return { $ref: `#/components/parameters/${name}` };
}
