// Reads a CSV file (RFC 4180) of people to invite.

import { BadInput } from "../../../../platform/errors.ts";
import { INVITATION, type InvitationInput } from "../contract.ts";

export const MAX_ROWS = 10_000;
const COLUMNS = ["Email", "Name", "Roles", "DepartmentId"] as const;
const BY_NAME = new Map(COLUMNS.map((name) => [name.toLowerCase(), name]));

export interface ImportProblem {
  /** The line of the file; the header is line 1. */
  Row: number;
  Field: string;
  Message: string;
}

interface PersonRow {
  number: number;
  input: InvitationInput;
}

/** @returns the rows that fit, and the problems of the others @throws BadInput for the file as a whole */
export function readPeople(csv: string): { rows: PersonRow[]; problems: ImportProblem[] } {
  const [header = [], ...lines] = parseCsv(csv.replace(/^\uFEFF/, ""));
  const names = header.map((name) => BY_NAME.get(name.trim().toLowerCase()));
  const unknown = header.filter((_, index) => !names[index]);
  if (!names.includes("Email") || unknown.length > 0 || new Set(names).size < names.length) {
    throw invalid(`The first line must name the columns: Email, and if needed ${COLUMNS.slice(1).join(", ")}.`);
  }
  const filled = lines.flatMap((cells, index) =>
    cells.some((cell) => cell.trim()) ? [{ cells, number: index + 2 }] : [],
  );
  if (filled.length === 0) throw invalid("It has no people.");
  if (filled.length > MAX_ROWS) throw invalid(`It has ${filled.length} people; the limit is ${MAX_ROWS}.`);
  const [seen, rows, problems] = [new Map<string, number>(), [] as PersonRow[], [] as ImportProblem[]];
  for (const { cells, number } of filled) {
    const { input, found } = readRow(names as string[], cells);
    const key = (input.Email ?? "").toLowerCase();
    const first = key === "" ? undefined : seen.get(key);
    if (first) found.push({ Field: "Email", Message: `Email is that of line ${first}.` });
    seen.set(key, first ?? number);
    if (found.length === 0) rows.push({ number, input });
    problems.push(...found.map((problem) => ({ Row: number, ...problem })));
  }
  return { rows, problems };
}

function readRow(names: string[], cells: string[]) {
  if (cells.length > names.length) {
    return { input: {} as InvitationInput, found: [{ Field: "", Message: "It has more cells than the first line." }] };
  }
  const given = Object.fromEntries(cells.map((cell, index) => [names[index]!, cell.trim()]));
  const roles = given.Roles?.split(";").flatMap((role) => role.trim() || []);
  const { input, problems } = INVITATION.check({ ...given, ...(roles && { Roles: roles }) });
  const missing = given.Email ? [] : [{ Field: "Email", Message: "Email is missing." }];
  return { input, found: missing.length > 0 ? missing : problems.map(({ Field, Message }) => ({ Field, Message })) };
}

const invalid = (why: string) => BadInput.in([{ Field: "Csv", Message: `Csv: ${why}` }]);

/** Cells are separated by commas, or by semicolons if the first line has no comma. */
function parseCsv(text: string): string[][] {
  const end = text.search(/[\r\n]|$/);
  const separator = text.slice(0, end).includes(",") ? "," : ";";
  const plain = new RegExp(`[^"${separator}\\r\\n]*`, "y");
  const after = new RegExp(`${separator}|\\r?\\n|$`, "y");
  const lines: string[][] = [[]];
  for (let at = 0; at < text.length; at = after.lastIndex) {
    const isQuoted = text[at] === '"';
    const stop = isQuoted ? endOfQuoted(text, at) : endOf(plain, text, at)!;
    const next = stop > at || !isQuoted ? endOf(after, text, stop) : undefined;
    if (next === undefined) throw invalid(`Line ${lines.length} has a quotation mark in the wrong place.`);
    lines.at(-1)!.push(isQuoted ? text.slice(at + 1, stop - 1).replaceAll('""', '"') : text.slice(at, stop));
    if (next === stop) break;
    if (text.slice(stop, next) !== separator) lines.push([]);
  }
  return lines;
}

function endOf(sticky: RegExp, text: string, at: number): number | undefined {
  sticky.lastIndex = at;
  return sticky.test(text) ? sticky.lastIndex : undefined;
}

/** After the closing mark; `at` if there is none. A doubled mark is part of the text. */
function endOfQuoted(text: string, at: number): number {
  let mark = text.indexOf('"', at + 1);
  while (mark >= 0 && text[mark + 1] === '"') mark = text.indexOf('"', mark + 2);
  return mark < 0 ? at : mark + 1;
}
