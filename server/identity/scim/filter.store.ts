// Filters as conditions of SQL. Values are parameters, and only these attributes become columns.

import type { PendingQuery, Row } from "postgres";
import type { Queries } from "../../platform/db/sql.ts";
import { readDate } from "../../platform/http/dates.ts";
import { toRecordId } from "../../platform/http/query.ts";
import { ScimError } from "./errors.ts";
import type { Comparator, ScimFilter, Value } from "./filter.ts";

interface Attribute {
  column: string;
  /** `key`: compared by a generated column of the same name with `_key`. */
  type: "text" | "exact" | "key" | "boolean" | "date" | "id" | "member";
}

const text = (column: string): Attribute => ({ column, type: "text" });
const COMMON: Record<string, Attribute> = {
  id: { column: "id", type: "id" },
  externalid: { column: "external_id", type: "exact" },
  displayname: text("name"),
  "meta.created": { column: "created_on", type: "date" },
  "meta.lastmodified": { column: "modified_on", type: "date" },
};

const ATTRIBUTES: Record<"User" | "Group", Record<string, Attribute>> = {
  User: {
    ...COMMON,
    username: { column: "username", type: "key" },
    active: { column: "is_active", type: "boolean" },
    "name.formatted": text("name"),
    "name.givenname": text("given_name"),
    "name.familyname": text("family_name"),
    emails: text("email"),
    "emails.value": text("email"),
    phonenumbers: text("mobile_phone"),
    "phonenumbers.value": text("mobile_phone"),
  },
  Group: { ...COMMON, members: { column: "", type: "member" }, "members.value": { column: "", type: "member" } },
};

/** Each User has one address and one number, of these types. */
const CONSTANTS: Record<string, Value> = {
  "emails.type": "work",
  "emails.primary": true,
  "phonenumbers.type": "mobile",
  "phonenumbers.primary": true,
};

type Condition = PendingQuery<Row[]>;

/** @throws ScimError naming an attribute that cannot be compared */
export function conditionOf(type: "User" | "Group", filter: ScimFilter): (sql: Queries) => Condition {
  return (sql) => {
    const condition = (of: ScimFilter): Condition => {
      if (of.kind === "not") return sql`(not coalesce(${condition(of.of)}, false))`;
      if (of.kind === "and" || of.kind === "or") {
        const [left, right] = [condition(of.left), condition(of.right)];
        return of.kind === "and" ? sql`(${left} and ${right})` : sql`(${left} or ${right})`;
      }
      if (Object.hasOwn(CONSTANTS, of.attribute)) return sql`${isConstant(of, CONSTANTS[of.attribute]!)}::boolean`;
      const known = ATTRIBUTES[type];
      const attribute = Object.hasOwn(known, of.attribute) ? known[of.attribute] : undefined;
      if (!attribute) throw new ScimError("invalidFilter", `The filter has an attribute that cannot be compared.`);
      return of.kind === "present" ? isPresent(sql, attribute) : compared(sql, attribute, of.by, of.value);
    };
    return condition(filter);
  };
}

function isConstant(of: ScimFilter, value: Value): boolean {
  if (of.kind !== "compare") return true;
  const isSame = String(of.value).toLowerCase() === String(value);
  if (of.by === "eq") return isSame;
  if (of.by === "ne") return !isSame;
  throw wrongOperator(of.by);
}

function isPresent(sql: Queries, { column, type }: Attribute): Condition {
  if (type === "member") return sql`exists (select from group_members m where m.group_id = groups.id)`;
  return sql`${sql(column)} is not null`;
}

const wrongOperator = (by: Comparator) =>
  new ScimError("invalidFilter", `The filter compares an attribute by ${by}, which its type does not have.`);

const ORDERS: Partial<Record<Comparator, string>> = {
  eq: "=",
  ne: "is distinct from",
  gt: ">",
  ge: ">=",
  lt: "<",
  le: "<=",
};

function compared(sql: Queries, { column, type }: Attribute, by: Comparator, value: Value): Condition {
  const name = column ? sql(column) : sql``;
  const order = sql.unsafe(ORDERS[by] ?? "");
  if (value === null) {
    if (by !== "eq" && by !== "ne") throw wrongOperator(by);
    const isUnset = sql`not coalesce(${isPresent(sql, { column, type })}, false)`;
    return by === "eq" ? isUnset : sql`(not ${isUnset})`;
  }
  const isEquality = by === "eq" || by === "ne";
  switch (type) {
    case "boolean": {
      const flag = { true: true, false: false }[String(value).toLowerCase()];
      if (flag === undefined || !isEquality) throw wrongOperator(by);
      return sql`${name} ${order} ${flag}`;
    }
    case "date": {
      const date = typeof value === "string" ? readDate(value) : undefined;
      if (!date) throw new ScimError("invalidFilter", "The filter compares a date with a text that is no date.");
      if (!ORDERS[by]) throw wrongOperator(by);
      return sql`${name} ${order} ${date}::timestamptz`;
    }
    case "id":
    case "member": {
      if (!isEquality) throw wrongOperator(by);
      const { user, group } = idOf(String(value));
      if (type === "id") return sql`id ${order} ${user ?? group ?? -1}::bigint`;
      const is = sql`exists (select from group_members m where m.group_id = groups.id
        and (m.user_id = ${user ?? -1}::bigint or m.member_group_id = ${group ?? -1}::bigint))`;
      return by === "eq" ? is : sql`(not ${is})`;
    }
    case "key":
      if (by === "eq") {
        const key = sql(`${column}_key`);
        const wanted = sql`(select username_key(${String(value)}::text))`;
        return sql`(md5(${key}) = md5(${wanted}) and ${key} = ${wanted})`;
      }
      return comparedText(sql, sql`lower(${name})`, by, String(value).toLowerCase());
    case "exact":
      return comparedText(sql, name as unknown as Condition, by, String(value));
    case "text":
      return comparedText(sql, sql`lower(${name})`, by, String(value).toLowerCase());
  }
}

function comparedText(sql: Queries, name: Condition, by: Comparator, value: string): Condition {
  if (value.includes("\0")) throw new ScimError("invalidFilter", "The filter has the character NUL.");
  const wanted = sql`${value}::text`;
  switch (by) {
    case "co":
      return sql`strpos(${name}, ${wanted}) > 0`;
    case "sw":
      return sql`starts_with(${name}, ${wanted})`;
    case "ew":
      return sql`right(${name}, length(${wanted})) = ${wanted}`;
    default:
      return sql`${name} ${sql.unsafe(ORDERS[by]!)} ${wanted}`;
  }
}

/** A User has its Id, a Group its Id after a `g`, because ids are unique among all resources (RFC 7643 3.1). */
export function idOf(text: string): { user?: number; group?: number } {
  const id = toRecordId(text.replace(/^g/, ""));
  if (id === undefined) return {};
  return text.startsWith("g") ? { group: id } : { user: id };
}
