// What is wrong with a text, said while one types: the server's own check, asked when the typing rests.

import { type Diagnostic, linter } from "@codemirror/lint";
import type { Extension, Text } from "@codemirror/state";

/** As `POST …/Policy/Validate` answers. */
interface Problem {
  Message: string;
  /** From 1; null: the text as a whole. */
  Line: number | null;
  /** In characters, from 1. */
  Column: number | null;
}

/** Milliseconds without a key. */
const REST = 500;
/** What a problem's place goes on to, as far as it can be told. */
const TOKEN = /^(?:[\w:]+(?:"[^"]*"?)?|"[^"]*"?|.)/u;

/**
 * @param href where it is asked, with the form's token
 * @param tell says in words what was found
 */
export function check(href: string, csrf: string, tell: (words: string) => void): Extension {
  let asking: Promise<unknown> = Promise.resolve();
  return linter(
    async ({ state: { doc } }) => {
      // One at a time: a slow answer is waited for, so that the tenant's turn is not taken twice.
      const asked = asking.then(() => ask(href, csrf, doc.toString()));
      asking = asked;
      const problems = await asked;
      tell(problems ? inWords(problems) : "Not checked just now. Saving checks it.");
      return (problems ?? []).map((problem) => diagnosticOf(doc, problem));
    },
    { delay: REST },
  );
}

/** @returns undefined: nobody can say, for the service is busy or the session over */
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

/** @param column in characters, where CodeMirror counts UTF-16 units */
export function offsetOf(doc: Text, line: number, column: number): number {
  const { from, text } = doc.line(Math.min(line, doc.lines));
  return from + [...text].slice(0, column - 1).join("").length;
}
