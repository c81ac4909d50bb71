// Lines of the file as records that the API takes, or as memberships.

import { CannotStart } from "../../platform/errors.ts";
import { printable } from "../../platform/http/body.ts";
import { comparable, type FileKind } from "../apply/kinds.ts";
import type { FileLine } from "./lines.ts";

export const MEMBERSHIP = "Membership";
/** In the order in which they are sent, so that a line can name a record of an earlier one. */
export const TYPES = ["Department", "User", "Group", MEMBERSHIP] as const;
export type Type = (typeof TYPES)[number];

/** A record, by a field that finds it. */
export interface RecordName {
  kind: FileKind;
  by: string;
  value: string;
}

export interface ImportEntry {
  line: number;
  type: Type;
  /** For people, who look for the line. */
  title: string;
  /** As the API takes it; empty for a membership. */
  body: Record<string, unknown>;
  /** Each finds this record. */
  keys: string[];
  /** The records that it refers to, by the field. */
  references: Map<string, RecordName>;
}

export interface RefusedLine {
  line: number;
  type: string;
  title: string;
  reason: string;
}

export const keyOf = ({ kind, by, value }: RecordName) => `${kind.name} ${by} ${comparable(kind, by, value)}`;

/** A membership's columns, and the records that they name. */
const MEMBERS: Record<string, { of: "Group" | "User"; as: "Group" | "Member" }> = {
  Group: { of: "Group", as: "Group" },
  User: { of: "User", as: "Member" },
  MemberGroup: { of: "Group", as: "Member" },
};

interface Mapping {
  /** The type of lines without one. */
  type: Type;
  /** The field of a column; "": the column is not read. */
  columns: ReadonlyMap<string, string>;
}

export type ReadEntry = (line: FileLine) => ImportEntry | RefusedLine;

/** @param kinds all that files have */
export function createReadEntry(kinds: readonly FileKind[], { type: byDefault, columns }: Mapping): ReadEntry {
  const kindOf = (name: string) => kinds.find((kind) => kind.name === name)!;

  function named(column: string, of: string, by: string | undefined, cell: unknown): RecordName {
    const kind = kindOf(of);
    const field = kind.identifiers.find((one) => one.toLowerCase() === by?.toLowerCase());
    if (by !== undefined && !field) throw new Wrong(`${column} must end in ${kind.identifiers.join(" or ")}.`);
    if (typeof cell !== "string") throw new Wrong(`${column} must be a text.`);
    return { kind, by: field ?? (of === "User" ? "Username" : "Name"), value: cell };
  }

  function readMembership(cells: Record<string, unknown>): Pick<ImportEntry, "body" | "references"> {
    const references = new Map<string, RecordName>();
    for (const [column, cell] of Object.entries(cells)) {
      const [name = "", by] = column.split(".");
      const [, member] = Object.entries(MEMBERS).find(([one]) => one.toLowerCase() === name.toLowerCase()) ?? [];
      if (!member) throw new Wrong(`${printable(column)} is not a field of a membership.`);
      if (references.has(member.as)) throw new Wrong(`It names more than one ${member.as.toLowerCase()}.`);
      references.set(member.as, named(column, member.of, by, cell));
    }
    if (references.size < 2) throw new Wrong("It needs Group, and User or MemberGroup.");
    return { body: {}, references };
  }

  function readRecord(kind: FileKind, cells: Record<string, unknown>): Pick<ImportEntry, "body" | "references"> {
    const values = new Map<string, unknown>();
    const references = new Map<string, RecordName>();
    for (const [column, cell] of Object.entries(cells)) {
      const [first = "", ...rest] = column.split(".");
      const [name, field] = [...kind.settable].find(([one]) => one.toLowerCase() === first.toLowerCase()) ?? [];
      if (!name || !field) throw new Wrong(`${printable(column)} is not a field of ${kind.name}.`);
      if (field.target && (rest.length > 0 || typeof cell === "string")) {
        const target = named(column, field.target, rest[0], cell);
        references.set(name, target);
        values.set(name, { FieldType: target.by.replace("_", ""), Value: target.value });
      } else if (rest.length > 0 && field.type === "attributes") {
        values.set(name, { ...(values.get(name) as object), [rest.join(".")]: cell });
      } else if (rest.length > 0) throw new Wrong(`${printable(column)} is not a field of ${kind.name}.`);
      else values.set(name, typeof cell === "string" && field.type !== "text" ? typed(cell, field.type) : cell);
    }
    const body = Object.fromEntries(values);
    const problems = kind.contract.check(body).problems;
    if (problems.length > 0) throw new Wrong(problems.map(({ Message }) => Message).join(" "));
    return { body, references };
  }

  return ({ number, cells: given, problem }) => {
    const cells: Record<string, unknown> = {};
    for (const [column, cell] of Object.entries(given)) {
      const name = columns.get(column) ?? column;
      if (name !== "" && cell !== undefined) cells[name] = cell;
    }
    const { Type: wanted = byDefault, ...values } = cells;
    const type = TYPES.find((one) => one.toLowerCase() === String(wanted).toLowerCase());
    const kind = type && type !== MEMBERSHIP ? kindOf(type) : undefined;
    const identified = kind?.identifiers.map((name) => values[name]).find((value) => typeof value === "string");
    const about = { line: number, type: type ?? "", title: String(identified ?? "") };
    try {
      if (problem) throw new Wrong(problem);
      if (!type) throw new Wrong(`Type must be one of ${TYPES.join(", ")}.`);
      if (!kind) {
        const entry = readMembership(values);
        const title = [...entry.references.values()].map(({ value }) => value).join(" / ");
        return { ...about, ...entry, type, title, keys: [title] };
      }
      const entry = readRecord(kind, values);
      const keys = kind.identifiers.flatMap((by) => {
        const value = entry.body[by];
        return typeof value === "string" && value !== "" ? [keyOf({ kind, by, value })] : [];
      });
      if (keys.length === 0) throw new Wrong(`It needs ${kind.identifiers.join(" or ")}, by which it is found.`);
      return { ...about, ...entry, type, keys };
    } catch (error) {
      if (!(error instanceof Wrong)) throw error;
      return { ...about, reason: error.message };
    }
  };
}

/** Why a line is refused. */
class Wrong extends Error {}

/** A cell of a field that is no text; the API names what it cannot use. */
function typed(cell: string, type: string | undefined): unknown {
  if (type === "boolean") return /^true$/i.test(cell) ? true : /^false$/i.test(cell) ? false : cell;
  try {
    return type === undefined ? cell : JSON.parse(cell);
  } catch {
    return cell;
  }
}

/** @throws CannotStart for a mapping that is not COLUMN=FIELD */
export function columnsOf(mappings: readonly string[]): Map<string, string> {
  return new Map(
    mappings.map((text) => {
      const at = text.lastIndexOf("=");
      if (at < 1) throw new CannotStart(`--map ${printable(text)} must be COLUMN=FIELD, or COLUMN= to leave it out.`);
      return [text.slice(0, at), text.slice(at + 1).trim()];
    }),
  );
}
