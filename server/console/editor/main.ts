// The policy editor: colours, bracket matching, findings at their lines, and words inserted by click. It replaces the
// textarea, which stays in the form with the same text. Without scripts the textarea is used alone. Tab moves to the
// next field.

import { history, historyKeymap, standardKeymap, toggleComment } from "@codemirror/commands";
import { bracketMatching } from "@codemirror/language";
import { lintGutter, lintKeymap } from "@codemirror/lint";
import { EditorState } from "@codemirror/state";
import { EditorView, highlightSpecialChars, keymap, lineNumbers } from "@codemirror/view";
import { cedar } from "./cedar.ts";
import { check, offsetOf } from "./check.ts";
import { completion } from "./completion.ts";

const nonce = (document.currentScript as HTMLScriptElement).nonce;
const box = document.querySelector<HTMLElement>(".editor");
const field = box?.querySelector("textarea");
if (box && field) open(box, field);

function open(box: HTMLElement, field: HTMLTextAreaElement): void {
  const words = [...document.querySelectorAll<HTMLElement>(".words code, pre.insert code")];
  const state = EditorState.create({
    doc: field.value,
    extensions: [
      EditorView.cspNonce.of(nonce),
      cedar,
      lineNumbers(),
      highlightSpecialChars(),
      bracketMatching(),
      EditorView.lineWrapping,
      EditorView.contentAttributes.of(takeNames(field)),
      writesOver(),
      keymap.of([...standardKeymap, ...historyKeymap, ...lintKeymap, { key: "Mod-/", run: toggleComment }]),
      field.readOnly ? EditorState.readOnly.of(true) : writing(box, field, words),
    ],
  });
  const view = new EditorView({ state });
  box.append(view.dom);
  box.classList.add("live");
  leadToFindings(view);
  for (const word of words) asButton(word, view);
}

/** Takes over the textarea's accessible names. It is hidden, so the browser cannot focus it for validation. */
function takeNames(field: HTMLTextAreaElement): Record<string, string> {
  const label = field.labels[0]!;
  const names: Record<string, string> = { id: field.id, "aria-labelledby": `${field.id}-label` };
  for (const { name, value } of field.attributes) if (name.startsWith("aria-")) names[name] = value;
  if (field.required) names["aria-required"] = "true";
  if (field.readOnly) names["aria-readonly"] = "true";
  label.id = `${field.id}-label`;
  label.removeAttribute("for");
  label.addEventListener("click", () => document.getElementById(names.id!)?.focus());
  field.removeAttribute("id");
  field.required = false;
  field.hidden = true;
  return names;
}

/** Chromium would keep colours of replaced text as inline styles, which CSP blocks with a console error. */
function writesOver() {
  return EditorView.domEventHandlers({
    beforeinput({ inputType, data }, view) {
      const { state, composing } = view;
      if (inputType !== "insertText" || data === null || composing || state.selection.main.empty) return false;
      const typed = { userEvent: "input.type", scrollIntoView: true };
      if (!state.readOnly) view.dispatch(state.replaceSelection(data), typed);
      return true;
    },
  });
}

function writing(box: HTMLElement, field: HTMLTextAreaElement, words: HTMLElement[]) {
  const { check: href } = box.dataset;
  const csrf = field.form?.querySelector<HTMLInputElement>("[name=csrf]")?.value ?? "";
  const found = Object.assign(document.createElement("p"), { className: "found" });
  found.setAttribute("role", "status");
  const heading = document.querySelector(".aside > h2");
  if (heading) heading.before(found);
  else box.after(found);
  const tell = (text: string) => {
    found.textContent = text;
  };
  return [
    history(),
    completion(
      [...new Set(words.map((word) => word.textContent).filter((text) => !text.includes("\n")))],
      fieldsIn(words),
    ),
    EditorView.updateListener.of(({ docChanged, state }) => {
      if (docChanged) field.value = state.doc.toString();
    }),
    href ? [lintGutter(), check(href, csrf, tell)] : [],
  ];
}

/** The fields of each type of record, whose list begins with its name. */
function fieldsIn(words: HTMLElement[]): Map<string, string[]> {
  const fields = new Map<string, string[]>();
  let type = "";
  for (const { textContent: text } of words) {
    type = /^resource is (\w+)$/.exec(text)?.[1] ?? type;
    const field = /^resource(?:\.| has )(\w+)/.exec(text)?.[1];
    if (field) fields.set(type, [...(fields.get(type) ?? []), field]);
  }
  return fields;
}

function leadToFindings(view: EditorView): void {
  document.addEventListener("click", (event) => {
    const finding = (event.target as Element).closest<HTMLElement>("a[data-line]");
    if (!finding) return;
    event.preventDefault();
    const anchor = offsetOf(view.state.doc, Number(finding.dataset.line), Number(finding.dataset.column));
    const head = Math.min(anchor + 1, view.state.doc.lineAt(anchor).to);
    view.dispatch({ selection: { anchor, head }, scrollIntoView: true });
    view.focus();
  });
}

/** Inserts its word at the cursor as typed input, so it can be undone. */
function asButton(word: HTMLElement, view: EditorView): void {
  const button = Object.assign(document.createElement("button"), {
    type: "button",
    className: "insert",
    title: "Insert at the cursor",
  });
  word.replaceWith(button);
  button.append(word);
  button.addEventListener("click", () => {
    view.dispatch(view.state.replaceSelection(word.textContent), { userEvent: "input", scrollIntoView: true });
    view.focus();
  });
}
