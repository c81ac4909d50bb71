// Cedar's findings in a policy, in words and with the place in the text.

import type * as Cedar from "@cedar-policy/cedar-wasm/nodejs";

export interface Problem {
  message: string;
  /** From 1. */
  line?: number;
  /** In characters, from 1. */
  column?: number;
}

/** Cedar only warns of a statement that can never apply; a forbid that never applies is a hole. */
const NEVER_APPLIES = /policy is impossible|unable to find an applicable action/;

export function problemsIn(text: string, answer: Cedar.ValidationAnswer): Problem[] {
  if (answer.type === "failure") return distinct(answer.errors.flatMap((error) => toProblems(text, error)));
  const warnings = answer.validationWarnings.filter(({ error }) => NEVER_APPLIES.test(error.message));
  // Of a statement that is wrong it is no news that it never applies.
  const found = answer.validationErrors.length > 0 ? answer.validationErrors : warnings;
  return distinct(found.flatMap(({ error }) => toProblems(text, error)));
}

function toProblems(text: string, error: Cedar.DetailedError): Problem[] {
  if (error.message.includes("includes a template")) {
    return [{ message: "Name the principal and the resource; ?principal and ?resource are for templates." }];
  }
  const location = error.sourceLocations?.[0];
  const message = error.message.replace(/^(for policy `[^`]*`, |failed to parse policies from string: )/, "");
  const hint = error.help ?? location?.label;
  const own = { message: hint ? `${message} (${hint})` : message, ...(location && positionOf(text, location.start)) };
  return [own, ...(error.related ?? []).flatMap((other) => toProblems(text, other))];
}

/** @param offset in bytes of UTF-8, as Cedar counts */
function positionOf(text: string, offset: number): { line: number; column: number } {
  const before = Buffer.from(text, "utf8").subarray(0, offset).toString("utf8");
  const line = before.split("\n").length;
  return { line, column: [...before.slice(before.lastIndexOf("\n") + 1)].length + 1 };
}

/** In the order of the text. Cedar repeats a finding for every pair of principal and resource. */
function distinct(problems: Problem[]): Problem[] {
  const seen = new Map(problems.map((problem) => [JSON.stringify(problem), problem]));
  const place = ({ line = 0, column = 0 }: Problem) => [line, column] as const;
  return [...seen.values()].sort((one, other) => {
    const [[line, column], [otherLine, otherColumn]] = [place(one), place(other)];
    return line - otherLine || column - otherColumn;
  });
}
