import { ApiError, BadInput } from "../../errors.ts";

/** The service speaks of If-Match there. */
const OUTDATED =
  "Somebody else has changed this since you opened it. What you typed is still here: save it again to put it over " +
  "theirs, or open the page anew to begin from theirs.";

/** One problem, with the field it stands beside. */
export interface FieldProblem {
  field: string;
  text: string;
}

/** What a form shows in its fields, and what is wrong with that. */
export interface FormState {
  /** "" if there is none. */
  value(name: string): string;
  /** Of a group of boxes. */
  values(name: string): string[];
  problem(name: string): string | undefined;
  problems: FieldProblem[];
  /** Problems of no field. */
  others: string[];
  /**
   * The entity tag that goes with the form. Of a refused one it stays that of what its reader has seen, until they are
   * told that somebody else was faster.
   * @param current of the record as it stands
   */
  version(current: string): string;
}

/** A form before anything is typed. */
export function formOf(values: Record<string, string | readonly string[]> = {}): FormState {
  const all = new URLSearchParams(
    Object.entries(values).flatMap(([name, value]) =>
      (typeof value === "string" ? [value] : value).map((item) => [name, item]),
    ),
  );
  return stateOf(all, [], [], undefined);
}

/**
 * A form that was refused: as it was sent, with each problem beside its field. The service's own words say which: they
 * begin with the field's name.
 * @param fields names of the form's fields
 * @throws what is no fault of what was typed
 */
export function refusedForm(sent: URLSearchParams, failure: unknown, fields: readonly string[]): FormState {
  if (!(failure instanceof ApiError) || !isAboutInput(failure)) throw failure;
  if (failure.status === 412) return stateOf(sent, [], [OUTDATED], undefined);
  const problems: FieldProblem[] = [];
  const others: string[] = [];
  const known = failure instanceof BadInput ? failure.problems : [];
  for (const [index, text] of failure.errors.entries()) {
    const field = fields.find((name) => (known[index] ? known[index].Field === name : beginsWith(text, name)));
    if (field === undefined) others.push(text);
    else problems.push({ field, text: withoutField(text, field) });
  }
  return stateOf(sent, problems, others, sent.get("version") ?? undefined);
}

function beginsWith(text: string, name: string): boolean {
  return [" ", ":", ","].includes(text.slice(name.length, name.length + 1)) && text.startsWith(name);
}

/** "Policy, line 2: …" stands beside Policy as "Line 2: …". What somebody has typed stays as it is, and nobody types null. */
function withoutField(text: string, field: string): string {
  const rest = text
    .replace(`${field}: `, "")
    .replace(`${field}, `, "")
    .replace(/, or null\.$/, ".");
  return /^[a-z]+ /.test(rest) ? rest.charAt(0).toUpperCase() + rest.slice(1) : rest;
}

/** 400, 409, 412 and 413; that one may not, or that there is no such record, is a page of its own. */
function isAboutInput({ status }: ApiError): boolean {
  return [400, 409, 412, 413].includes(status);
}

function stateOf(
  all: URLSearchParams,
  problems: FieldProblem[],
  others: string[],
  version: string | undefined,
): FormState {
  return {
    value: (name) => all.get(name) ?? "",
    values: (name) => all.getAll(name),
    problem: (name) => {
      const texts = problems.filter(({ field }) => field === name).map(({ text }) => text);
      return texts.length > 0 ? texts.join(" ") : undefined;
    },
    problems,
    others,
    version: (current) => version ?? current,
  };
}
