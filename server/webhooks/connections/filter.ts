import { BadInput } from "../../errors.ts";
import { uuid } from "../../http/fields.ts";
import type { Filter } from "../../http/inputs.ts";
import { isUuid } from "../../http/paging.ts";

export function connectionFilter(description: string): Filter<string | undefined> {
  return {
    description,
    schema: uuid(),
    read(query, name) {
      const given = query.get(name);
      if (!given) return undefined;
      if (!isUuid(given)) throw new BadInput(`${name} must be a connection's Id.`);
      return given;
    },
  };
}
