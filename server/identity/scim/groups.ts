// A Group as SCIM has it (RFC 7643 4.2), and the fields that a change sets.

import { isObject, printable } from "../../platform/http/body.ts";
import type { EntityRecord, Member } from "../../records/index.ts";
import { ScimError } from "./errors.ts";
import { idOf } from "./filter.store.ts";
import type { ScimFilter } from "./filter.ts";
import { memberOf, type PatchChange } from "./patch.ts";

export const GROUP_SCHEMA = "urn:ietf:params:scim:schemas:core:2.0:Group";

const TEXTS = new Map([
  ["displayname", "Name"],
  ["externalid", "ExternalId"],
]);
const SERVERS_OWN = ["schemas", "id", "meta"];

/** @param isWhole absent attributes are cleared @throws ScimError */
export function groupBody(changes: readonly PatchChange[], isWhole: boolean): EntityRecord {
  const body: EntityRecord = isWhole ? { Name: null, ExternalId: null } : {};
  /** The whole list, or members that are added and removed. */
  let whole: Map<string, Member> | undefined = isWhole ? new Map() : undefined;
  const [added, removed] = [new Map<string, Member>(), new Map<string, Member>()];
  for (const { op, attribute, of, value } of changes) {
    const field = TEXTS.get(attribute);
    if (field) body[field] = op === "remove" ? null : textOf(attribute, value);
    else if (attribute === "members" || attribute === "members.value") {
      const named = of ? [memberIn(of)] : membersOf(value);
      const isAll = !of && (op === "replace" || (op === "remove" && named.length === 0));
      if (isAll) whole = new Map(op === "replace" ? named.map((one) => [keyOf(one), one]) : []);
      else for (const one of named) change(op === "remove", one);
    } else if (!isWhole && !SERVERS_OWN.includes(attribute.split(".")[0]!)) {
      throw new ScimError("invalidPath", `A Group has no ${printable(attribute)} here.`);
    }
  }
  const changed = added.size + removed.size > 0;
  const part = changed ? { Add: [...added.values()], Remove: [...removed.values()] } : undefined;
  const Members = whole ? [...whole.values()] : part;
  return { ...body, ...(Members && { Members }) };

  function change(isRemoved: boolean, one: Member): void {
    const key = keyOf(one);
    const [to, from] = isRemoved ? [removed, added] : [added, removed];
    if (whole && isRemoved) whole.delete(key);
    else if (whole) whole.set(key, one);
    else {
      from.delete(key);
      to.set(key, one);
    }
  }
}

const keyOf = ({ Type, Id }: Member) => `${Type} ${Id}`;

function textOf(attribute: string, value: unknown): string | null {
  if (value === null || value === "") return null;
  if (typeof value === "string") return value;
  throw new ScimError("invalidValue", `${printable(attribute)} must be a text.`);
}

/** `value eq "1001"`. */
function memberIn(of: ScimFilter): Member {
  if (of.kind === "compare" && of.by === "eq" && of.attribute === "value") return memberOfId(of.value);
  throw new ScimError("invalidFilter", 'Members are named by value eq "…".');
}

function membersOf(value: unknown): Member[] {
  const all = value === undefined || value === null ? [] : [value].flat();
  return all.map((one) => memberOfId(isObject(one) ? memberOf(one, "value") : one));
}

function memberOfId(id: unknown): Member {
  const { user, group } = idOf(String(id));
  if (user !== undefined) return { Type: "User", Id: user };
  if (group !== undefined) return { Type: "Group", Id: group };
  throw new ScimError("invalidValue", "A member's value must be the id of a User or Group.");
}

const groupId = (id: unknown) => `g${id}`;

export function toScimGroup(record: EntityRecord): Record<string, unknown> {
  const members = ((record.Members ?? []) as Member[]).map(({ Type, Id }) => ({
    value: Type === "Group" ? groupId(Id) : String(Id),
    type: Type,
  }));
  return {
    schemas: [GROUP_SCHEMA],
    id: groupId(record.Id),
    externalId: (record.ExternalId as string) || undefined,
    displayName: (record.Name as string) || undefined,
    members,
    meta: { resourceType: "Group", created: record.CreatedOn, lastModified: record.ModifiedOn },
  };
}
