import { BadInput } from "../../errors.ts";
import { uuid } from "../../http/fields.ts";
import type { Filter } from "../../http/inputs.ts";
import { isUuid } from "../../http/paging.ts";
import type { Query } from "../../http/query.ts";

/**
 * The value of the filter ConnectionId, undefined if it is absent or empty.
 * @throws BadInput
 */
export function readConnectionId(query: Query): string | undefined {
  const given = query.get("ConnectionId");
  if (!given) return undefined;
  if (!isUuid(given)) throw new BadInput("ConnectionId must be a connection's Id.");
  return given;
}

/** The same, of an endpoint that is a route. @throws BadInput */
export function connectionFilter(description: string): Filter<string | undefined> {
  return { description, schema: uuid(), read: readConnectionId };
}
