// A list of references to records, such as the Members of a Role. A body replaces it, or adds and removes members.

import { Type } from "@sinclair/typebox";
import { BadInput, Conflict } from "../platform/errors.ts";
import { isObject } from "../platform/http/body.ts";
import { keyOf as columnOf, type Field, type FieldOptions, type ReferenceList, word } from "../platform/http/fields.ts";
import { toRecordId } from "../platform/http/query.ts";
import type { Declaration } from "./record.ts";

/** The maximum number of members in a body's list. */
export const SENT_MEMBERS_LIMIT = 1_000;
/** An answer has all of them. */
export const MEMBERS_LIMIT = 10_000;

/** As bodies and answers have it. */
export interface Member<Type extends string = string> {
  Type: Type;
  Id: number;
}

/** The whole list, or a part. */
type SentMembers = Member[] | { add: Member[]; remove: Member[] };

/** @param of the kinds of records, in the list's order; within a kind, members are ordered by Id */
export function references<const Type extends string>(
  of: Type | readonly Type[],
  { through, ...options }: FieldOptions & Pick<ReferenceList, "through">,
): Field<SentMembers, Member<Type>[]> {
  const types: readonly string[] = [of].flat();
  const named = types.map((type) => `"${type}"`);
  const member = Type.Object({
    Type: word(types),
    Id: Type.Integer({ format: "int64", description: "A body may also contain it as text." }),
  });
  const sent = Type.Array(member, { maxItems: SENT_MEMBERS_LIMIT });
  const changes = { Add: Type.Optional(sent), Remove: Type.Optional(sent) };
  const must = `must be a list of at most ${SENT_MEMBERS_LIMIT}.`;

  /** An Application's Id may be a string, as in its own record. */
  function toMember(value: unknown): Member | undefined {
    const { Type, Id } = (value ?? {}) as Partial<Record<keyof Member, unknown>>;
    const [type, id] = [types.find((one) => one === Type), toRecordId(Id)];
    return type === undefined || id === undefined ? undefined : { Type: type, Id: id };
  }

  function problemIn(list: unknown, name: string): string | undefined {
    if (!Array.isArray(list) || list.length > SENT_MEMBERS_LIMIT) return `${name} ${must}`;
    const wrong = list.findIndex((one) => toMember(one) === undefined);
    return wrong < 0 ? undefined : `${name}[${wrong}] must be {"Type": ${named.join(" | ")}, "Id": …}.`;
  }

  /** Each once. */
  function inOrder(members: readonly Member[]): Member[] {
    const place = ({ Type }: Member) => types.indexOf(Type);
    const each = [...new Map(members.map((one) => [keyOf(one), one])).values()];
    return each.sort((one, other) => place(one) - place(other) || one.Id - other.Id);
  }
  const taken = (list: unknown[] = []) => inOrder(list.flatMap((one) => toMember(one) ?? []));

  return {
    audit: "value",
    example: [{ Type: types[0], Id: 7 }],
    ...options,
    description: [
      ...(options.description ? [options.description] : []),
      `Each is {"Type": ${named.join(" or ")}, "Id": its number}. A list is complete: members omitted in a body are removed. {"Add": […], "Remove": […]} changes single members.`,
    ].join(" "),
    list: { of: types, through },
    stored: "elsewhere",
    sent: Type.Union([sent, Type.Object(changes, { additionalProperties: false, minProperties: 1 }), Type.Null()]),
    checked: Type.Unknown(),
    shown: Type.Array(member, { maxItems: MEMBERS_LIMIT }),
    must,
    fits: (value: unknown) => value === null || Array.isArray(value) || isObject(value),
    refuse(value: unknown[] | Record<string, unknown> | null, name) {
      if (value === null || Array.isArray(value)) return problemIn(value ?? [], name);
      const { Add = [], Remove = [], ...others } = value;
      if (Object.keys(value).length === 0 || Object.keys(others).length > 0) {
        return `${name} must be a list, or an object with only Add and Remove.`;
      }
      const wrong = problemIn(Add, `${name}.Add`) ?? problemIn(Remove, `${name}.Remove`);
      if (wrong) return wrong;
      const removed = new Set(taken(Remove as unknown[]).map(keyOf));
      const both = taken(Add as unknown[]).find((one) => removed.has(keyOf(one)));
      return both && `${name} has ${keyOf(both)} in both Add and Remove.`;
    },
    take(value: unknown[] | { Add?: unknown[]; Remove?: unknown[] } | null) {
      if (value === null || Array.isArray(value)) return taken(value ?? []);
      return { add: taken(value.Add), remove: taken(value.Remove) };
    },
    merge(stored, sent: SentMembers) {
      if (Array.isArray(sent)) return sent;
      const removed = new Set(sent.remove.map(keyOf));
      return inOrder([...((stored ?? []) as Member[]).filter((one) => !removed.has(keyOf(one))), ...sent.add]);
    },
  };
}

/**
 * Only for authorized changes that were written: the table takes no others.
 * @throws BadInput naming members that are no records of the tenant, Conflict for too many
 */
export function requireMembers(
  { name, field }: Pick<Declaration, "name" | "field">,
  input: Readonly<Record<string, unknown>>,
  after: object,
): void {
  for (const [key, one] of Object.entries(field)) {
    const sent = one.list && (input[key] as SentMembers | undefined);
    if (!sent) continue;
    const members = (after as Record<string, Member[]>)[columnOf(key, one)]!;
    const known = new Set(members.map(keyOf));
    const unknown = (Array.isArray(sent) ? sent : sent.add).filter((one) => !known.has(keyOf(one)));
    if (unknown.length > 0) {
      throw new BadInput(...unknown.map((one) => `There is no ${keyOf(one)}, so it cannot be a member.`));
    }
    if (members.length > MEMBERS_LIMIT) {
      throw new Conflict(`${key} would have ${members.length} members; the maximum of a ${name} is ${MEMBERS_LIMIT}.`);
    }
  }
}

export const keyOf = ({ Type, Id }: Member) => `${Type} ${Id}`;
