// Checks the text on the server whenever typing pauses.

import { type Diagnostic, linter } from "@codemirror/lint";
import type { Extension, Text } from "@codemirror/state";

interface Problem {
  Message: string;
  /** From 1; null: the whole text. */
  Line: number | null;
  /** In characters, from 1. */
  Column: number | null;
}

/** Milliseconds without input. */
const REST = 500;
/** The rest of the token at a problem's position, if it is known. */
const TOKEN = /^(?:[\w:]+(?:"[^"]*"?)?|"[^"]*"?|.)/u;

/** @param href the check's address, with the form's token @param tell announces the findings as text */
export function check(href: string, csrf: string, tell: (words: string) => void): Extension {
  let asking: Promise<unknown> = Promise.resolve();
  return linter(
    async ({ state: { doc } }) => {
      // One request at a time, because each uses the tenant's share.
      const asked = asking.then(() => ask(href, csrf, doc.toString()));
      asking = asked;
      const problems = await asked;
      tell(problems ? inWords(problems) : "Could not be checked now. It is checked when saved.");
      return (problems ?? []).map((problem) => diagnosticOf(doc, problem));
    },
    { delay: REST },
  );
}

/** @returns undefined if the service is busy or the session has ended */
async function ask(href: string, csrf: string, text: string): Promise<Problem[] | undefined> {
  if (text.trim() === "") return [];
  try {
    const response = await fetch(href, { method: "POST", body: new URLSearchParams({ csrf, Policy: text }) });
    return response.ok ? (await response.json()).Problems : undefined;
  } catch {
    return undefined;
  }
}

function inWords(problems: Problem[]): string {
  const [first] = problems;
  if (!first) return "";
  const count = problems.length === 1 ? "One problem" : `${problems.length} problems, first`;
  const place = first.Line === null ? "" : `line ${first.Line}, column ${first.Column}: `;
  return `${count}: ${place}${first.Message}`;
}

function diagnosticOf(doc: Text, { Message, Line, Column }: Problem): Diagnostic {
  const from = offsetOf(doc, Line ?? 1, Column ?? 1);
  const rest = doc.lineAt(from).text.slice(from - doc.lineAt(from).from);
  const length = Line === null ? rest.length : (TOKEN.exec(rest)?.[0].length ?? 0);
  return { from, to: from + length, severity: "error", message: Message };
}

/** @param column in characters; CodeMirror counts UTF-16 units */
export function offsetOf(doc: Text, line: number, column: number): number {
  const { from, text } = doc.line(Math.min(line, doc.lines));
  return from + [...text].slice(0, column - 1).join("").length;
}
