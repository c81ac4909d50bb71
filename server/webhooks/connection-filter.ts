import { BadInput } from "../platform/errors.ts";
import { uuid } from "../platform/http/fields.ts";
import { type Filter, isUuid } from "../platform/http/query.ts";
import type { ConnectionId } from "../platform/ids.ts";

export function connectionFilter(description: string): Filter<ConnectionId | undefined> {
  return {
    description,
    schema: uuid<ConnectionId>(),
    read(query, name) {
      const given = query.get(name);
      if (!given) return undefined;
      if (!isUuid<ConnectionId>(given)) throw new BadInput(`${name} must be a connection's Id.`);
      return given;
    },
  };
}
