// The only way that routes of the API answer.

import { type Conditions, etagOf, isNotModified } from "../../http/conditions.ts";
import type { Shown, Tagged } from "./shown.ts";

export function answer(body: Shown<object>, headers?: Record<string, string>): Response {
  return Response.json(body, { headers });
}

/** An answer with one record and its entity tag. */
export function answerRecord({ record, version }: Tagged<object>): Response {
  return Response.json(record, { headers: version && { etag: etagOf(version) } });
}

/**
 * The answer to GET of one record: 304 if it is what If-None-Match names.
 * @throws PreconditionFailed
 */
export function answerRead(conditions: Conditions, tagged: Tagged<object>): Response {
  const { version } = tagged;
  if (version === undefined || !isNotModified(conditions, version)) return answerRecord(tagged);
  return new Response(null, { status: 304, headers: { etag: etagOf(version) } });
}
