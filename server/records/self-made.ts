// Records that strangers to the tenant can make, with names of their choice. Only its Id finds such a record, so a caller
// with the name of one of the tenant's own records never changes or references it instead.

import type { Filter, Query } from "../platform/http/query.ts";
import type { SelfMade } from "./record.ts";
import { parseValue } from "./values.ts";

interface Made {
  name: string;
  selfMade?: SelfMade;
}

/** The filter of lists. */
export const SELF_MADE = "Is_SelfMade";

export function selfMadeFilter({ how }: SelfMade): Filter<boolean | undefined> {
  return {
    description: `Whether the record ${how}. Names find no such record in a body.`,
    schema: { type: "boolean" },
    hasValue: true,
    read(query: Query) {
      const text = query.get(SELF_MADE);
      return text === undefined
        ? undefined
        : (parseValue({ name: SELF_MADE, column: "", type: "boolean" }, text) as boolean);
    },
  };
}

/** Why an upsert does not find it. @param by the identifiers that match */
export const selfMadeRecord = ({ name, selfMade }: Made, by: string[], id: number) =>
  `The ${name} of this ${by.join(" and ")} ${selfMade!.how}. Change it by its Id ${id}, or choose a different name.`;

/** Why a foreign key does not find it, after the key's name. */
export const selfMadeTarget = ({ name, selfMade }: Made, by: string, id: number) =>
  `points at the ${name} of this ${by}, which ${selfMade!.how}. Send its Id ${id} to refer to it.`;
