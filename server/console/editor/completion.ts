// Completes fields after a dot, and whole phrases from the list beside the editor.

import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from "@codemirror/autocomplete";
import type { Extension } from "@codemirror/state";
import { KEYWORDS, VARIABLES } from "./cedar.ts";

/** @param phrases policy text such as `resource.Username == ""` */
export function completion(phrases: readonly string[]): Extension {
  const fields = new Map<string, Set<string>>();
  for (const [, variable, field] of phrases.flatMap((phrase) => [...phrase.matchAll(/\b(\w+)(?:\.| has )(\w+)/g)])) {
    fields.set(variable!, (fields.get(variable!) ?? new Set()).add(field!));
  }
  const known: Completion[] = [
    ...[...KEYWORDS, ...VARIABLES].map((label) => ({ label, type: "keyword" })),
    ...phrases.map((label) => ({ label, type: "text" })),
  ];
  return autocompletion({
    override: [(context) => afterDot(context, fields) ?? atWord(context, known)],
    // Enter inserts a new line unless the user has selected an entry.
    selectOnOpen: false,
    icons: false,
  });
}

function afterDot(context: CompletionContext, fields: Map<string, Set<string>>): CompletionResult | null {
  const typed = context.matchBefore(/\b\w+(?:\.after)?\.\w*/);
  if (!typed) return null;
  const [variable = ""] = typed.text.split(".");
  const from = typed.from + typed.text.lastIndexOf(".") + 1;
  const names = [...(fields.get(variable) ?? [])].sort();
  return { from, options: names.map((label) => ({ label, type: "property" })), validFor: /^\w*$/ };
}

function atWord(context: CompletionContext, known: Completion[]): CompletionResult | null {
  const word = context.matchBefore(/\w+/);
  if (!word && !context.explicit) return null;
  return { from: word?.from ?? context.pos, options: known, validFor: /^\w*$/ };
}
