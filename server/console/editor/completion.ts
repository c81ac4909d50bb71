// Completes fields after a dot, and whole phrases from the list beside the editor.

import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from "@codemirror/autocomplete";
import type { Extension } from "@codemirror/state";
import { KEYWORDS, VARIABLES } from "./cedar.ts";

/**
 * @param phrases policy text such as `resource.Username == ""`
 * @param ofTypes the fields of a resource, by the type of `resource is TYPE`
 */
export function completion(phrases: readonly string[], ofTypes: ReadonlyMap<string, string[]>): Extension {
  const fields = new Map<string, Set<string>>();
  for (const [, variable, field] of phrases.flatMap((phrase) => [...phrase.matchAll(/\b(\w+)(?:\.| has )(\w+)/g)])) {
    fields.set(variable!, (fields.get(variable!) ?? new Set()).add(field!));
  }
  const known: Completion[] = [
    ...[...KEYWORDS, ...VARIABLES].map((label) => ({ label, type: "keyword" })),
    ...phrases.map((label) => ({ label, type: "text" })),
  ];
  return autocompletion({
    override: [(context) => afterIs(context, ofTypes) ?? afterDot(context, fields, ofTypes) ?? atWord(context, known)],
    // Enter inserts a new line unless the user has selected an entry.
    selectOnOpen: false,
    icons: false,
  });
}

function afterIs(context: CompletionContext, ofTypes: ReadonlyMap<string, string[]>): CompletionResult | null {
  const typed = context.matchBefore(/\bresource\s+is\s+\w*/);
  if (!typed) return null;
  const from = typed.from + typed.text.search(/\w*$/);
  return { from, options: [...ofTypes.keys()].map((label) => ({ label, type: "type" })), validFor: /^\w*$/ };
}

/** The type of the resource in the policy at the cursor, if it names one. */
function typeAt({ state, pos }: CompletionContext): string | undefined {
  const before = state.sliceDoc(0, pos);
  return /\bresource\s+is\s+(\w+)/.exec(before.slice(before.lastIndexOf(";") + 1))?.[1];
}

function afterDot(
  context: CompletionContext,
  fields: Map<string, Set<string>>,
  ofTypes: ReadonlyMap<string, string[]>,
): CompletionResult | null {
  const typed = context.matchBefore(/\b\w+(?:\.after)?\.\w*/);
  if (!typed) return null;
  const [variable = ""] = typed.text.split(".");
  const from = typed.from + typed.text.lastIndexOf(".") + 1;
  const own = variable === "resource" ? ofTypes.get(typeAt(context) ?? "") : undefined;
  const names = [...(own ?? fields.get(variable) ?? [])].sort();
  return { from, options: names.map((label) => ({ label, type: "property" })), validFor: /^\w*$/ };
}

function atWord(context: CompletionContext, known: Completion[]): CompletionResult | null {
  const word = context.matchBefore(/\w+/);
  if (!word && !context.explicit) return null;
  return { from: word?.from ?? context.pos, options: known, validFor: /^\w*$/ };
}
