// The policy editor's fallback with line numbers and findings at their lines. console/editor/ enhances it in browsers
// with scripts.

import { randomBytes } from "node:crypto";
import { MAX_TEXT } from "../../platform/text.ts";
import type { PolicyProblem } from "../../records/index.ts";
import type { FormState } from "../../ui/index.ts";
import type { Visit } from "../visit.ts";
import { CHECK } from "./check.ts";

const NONCE_BYTES = 16;
/** Numbered lines after the last one; without scripts the numbers end there. */
const SPARE_LINES = 10;

export interface EditorProps {
  visit: Visit;
  state: FormState;
  problems: PolicyProblem[];
  readonly?: boolean;
  hint?: string;
  optional?: boolean;
}

const HINT = "Written in Cedar. Calls without a permit are rejected, and a forbid overrides every permit.";

export function Editor({ visit, state, problems, readonly, hint = HINT, optional = false }: EditorProps): JSX.Element {
  visit.editorNonce ??= randomBytes(NONCE_BYTES).toString("base64");
  const text = state.value("Policy").replaceAll("\r\n", "\n");
  // A longer text is refused, and its form has all of it.
  const lines = text.slice(0, MAX_TEXT).split("\n");
  const rows = lines.length + (readonly ? 0 : SPARE_LINES);
  const wrong = new Set(problems.map(({ line }) => line));
  const isWrong = state.problem("Policy") !== undefined;
  return (
    <div class="field">
      <label for="field-Policy">Policy</label>
      <p class="hint" id="field-Policy-hint" safe>
        {hint}
      </p>
      {isWrong ? <Findings state={state} problems={problems} lines={lines} /> : ""}
      <div class="editor" data-check={visit.may("Settings:Update") ? visit.href(CHECK) : undefined}>
        <div class="numbers" aria-hidden="true">
          {Array.from({ length: rows }, (_, index) => (
            <span class={wrong.has(index + 1) ? "wrong-line" : undefined} safe>
              {String(index + 1)}
            </span>
          ))}
        </div>
        <textarea
          id="field-Policy"
          name="Policy"
          class="code"
          rows={String(rows)}
          wrap="off"
          autocapitalize="none"
          spellcheck="false"
          required={!optional}
          readonly={readonly}
          aria-describedby={isWrong ? "field-Policy-hint field-Policy-problem" : "field-Policy-hint"}
          aria-invalid={isWrong ? "true" : undefined}
          safe
        >
          {`\n${text}`}
        </textarea>
      </div>
    </div>
  );
}

type FindingsProps = Pick<EditorProps, "state" | "problems"> & { lines: string[] };

function Findings({ state, problems, lines }: FindingsProps): JSX.Element {
  if (problems.length === 0) {
    return (
      <p class="wrong" id="field-Policy-problem" safe>
        {state.problem("Policy")!}
      </p>
    );
  }
  return (
    <ol class="findings" id="field-Policy-problem">
      {problems.map(({ message, line, column }) => (
        <li>
          {line !== undefined && (
            <a href="#field-Policy" data-line={String(line)} data-column={String(column)} safe>
              {`Line ${line}, column ${column}`}
            </a>
          )}
          <span safe>{message}</span>
          {line === undefined || column === undefined ? "" : <Excerpt text={lines[line - 1] ?? ""} column={column} />}
        </li>
      ))}
    </ol>
  );
}

/** @param column in characters, from 1 */
function Excerpt({ text, column }: { text: string; column: number }): JSX.Element {
  const characters = [...text];
  const rest = characters.slice(column - 1).join("");
  const token = /^(?:[\w:]+(?:"[^"]*"?)?|"[^"]*"?|.)/u.exec(rest)?.[0] ?? "";
  return (
    <code class="excerpt">
      <span safe>{characters.slice(0, column - 1).join("")}</span>
      <mark safe>{token || " "}</mark>
      <span safe>{rest.slice(token.length)}</span>
    </code>
  );
}
