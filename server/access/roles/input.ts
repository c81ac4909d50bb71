import { BadInput } from "../../errors.ts";
import { toRecordId } from "../../http/record-id.ts";
import { type Fields, takeFields, takeId, takeName, takeText } from "../input.ts";
import { SCOPES } from "../scopes.ts";
import type { Member } from "./store.ts";

const DESCRIPTION_LIMIT = 1_000;
/** For a larger group, a policy over an attribute, such as the Department. */
export const MEMBER_LIMIT = 1_000;

/** A body that fits; absent fields are left alone. */
export interface RoleInput extends Fields {
  id?: string;
  name?: string;
  description?: string;
  scopes?: string[];
  members?: Member[];
}

/** @throws BadInput naming every field that does not fit */
export function parseRole(body: unknown): RoleInput {
  return takeFields<RoleInput>("Role", body, {
    Id: takeId("Role"),
    Name: takeName,
    Description: takeText("Description", DESCRIPTION_LIMIT, "description"),
    Scopes: (input, value) => {
      const scopes = value ?? [];
      if (!Array.isArray(scopes) || !scopes.every((scope) => SCOPES.includes(scope))) {
        return [`Scopes must be a list of ${SCOPES.join(", ")}.`];
      }
      input.scopes = SCOPES.filter((scope) => scopes.includes(scope));
      return [];
    },
    Members: (input, value) => {
      const members = value ?? [];
      if (!Array.isArray(members) || members.length > MEMBER_LIMIT) {
        return [`Members must be a list of at most ${MEMBER_LIMIT}.`];
      }
      const read = members.map(toMember);
      const wrong = read.indexOf(undefined);
      if (wrong >= 0) return [`Members[${wrong}] must be {"Type": "User" | "Application", "Id": …}.`];
      input.members = read.filter((member) => member !== undefined);
      return [];
    },
  });
}

/** @throws BadInput naming what a new role needs */
export function requireName(input: RoleInput): string {
  if (input.name === undefined) throw new BadInput("Name is missing.");
  return input.name;
}

/** An Application's Id may stand there as a string, as it does in its own record. */
function toMember(value: unknown): Member | undefined {
  const { Type, Id } = (value ?? {}) as { Type?: unknown; Id?: unknown };
  const id = toRecordId(Id);
  if ((Type !== "User" && Type !== "Application") || id === undefined) return undefined;
  return { type: Type, id };
}
