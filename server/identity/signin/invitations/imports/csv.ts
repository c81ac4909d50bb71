// Reads a CSV file of people to invite.

import { csvRows, isBlank } from "../../../../platform/csv.ts";
import { BadInput } from "../../../../platform/errors.ts";
import { INVITATION, type InvitationInput } from "../contract.ts";

export const MAX_ROWS = 10_000;
const COLUMNS = ["Email", "Name", "Roles", "DepartmentId"] as const;
const BY_NAME = new Map<string, string>(COLUMNS.map((name) => [name.toLowerCase(), name]));

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

/**
 * @param pause called after each row
 * @returns the rows that fit, and the problems of the others @throws BadInput for the file as a whole
 */
export async function readPeople(
  csv: string,
  pause: () => Promise<void>,
): Promise<{ rows: PersonRow[]; problems: ImportProblem[] }> {
  const [seen, rows, problems] = [new Map<string, number>(), [] as PersonRow[], [] as ImportProblem[]];
  let people = 0;
  for await (const row of csvRows(csv.replace(/^\uFEFF/, "").split(/\r?\n/), namesIn)) {
    await pause();
    if (isBlank(row)) continue;
    if (++people > MAX_ROWS) throw invalid(`It has more than ${MAX_ROWS} people.`);
    const { number, cells, problem } = row;
    const { input, found } = problem ? { input: {}, found: [{ Field: "", Message: problem }] } : readRow(cells);
    const key = (input.Email ?? "").toLowerCase();
    const first = key === "" ? undefined : seen.get(key);
    if (first) found.push({ Field: "Email", Message: `Email is that of line ${first}.` });
    seen.set(key, first ?? number);
    if (found.length === 0) rows.push({ number, input });
    problems.push(...found.map((one) => ({ Row: number, ...one })));
  }
  if (people === 0) throw invalid("It has no people.");
  return { rows, problems };
}

function namesIn(cells: string[]): string[] {
  const names = cells.flatMap((cell) => BY_NAME.get(cell.trim().toLowerCase()) ?? []);
  if (names.includes("Email") && names.length === cells.length && new Set(names).size === names.length) return names;
  throw invalid(`The first line must name the columns: Email, and if needed ${COLUMNS.slice(1).join(", ")}.`);
}

function readRow(cells: Record<string, string>) {
  const given = Object.fromEntries(Object.entries(cells).map(([name, cell]) => [name, cell.trim()]));
  const roles = given.Roles?.split(";").flatMap((role) => role.trim() || []);
  const { input, problems } = INVITATION.check({ ...given, ...(roles && { Roles: roles }) });
  const missing = given.Email ? [] : [{ Field: "Email", Message: "Email is missing." }];
  return { input, found: missing.length > 0 ? missing : problems.map(({ Field, Message }) => ({ Field, Message })) };
}

const invalid = (why: string) => BadInput.in([{ Field: "Csv", Message: `Csv: ${why}` }]);
