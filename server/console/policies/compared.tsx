// The callers affected by a policy's new text, sealed for the form that saves it.

import { Type } from "@sinclair/typebox";
import { TypeCompiler } from "@sinclair/typebox/compiler";
import { BadInput } from "../../platform/errors.ts";
import type { Question } from "../../ui/index.ts";
import type { ConsoleServices, Visit } from "../page.tsx";
import { lookUpNames } from "../records/names.ts";
import { casesOf, type Sample } from "./sample.ts";
import { Changes, MAX_SHOWN } from "./trial-outcome.tsx";
import { NEEDS, parsed, triedOf } from "./tried.ts";

const SAMPLE = "Sample";

export async function changes(deps: ConsoleServices, visit: Visit, sample: Sample) {
  const { Policy, ...tried } = triedOf(visit);
  if (Policy === undefined) throw BadInput.in([{ Field: "Policy", Message: "Policy: write the text to be compared." }]);
  const comparison = await deps.policies.compare(
    visit.permitted(...NEEDS),
    { ...tried, Policy },
    casesOf(deps, sample),
  );
  const shown = comparison.changes.slice(0, MAX_SHOWN);
  const records = shown.flatMap(({ principal, type, id }) => [
    { Type: principal.type, Id: principal.id },
    { Type: type, Id: id },
  ]);
  const asked: Question = {
    title: "Save policy?",
    effects: comparison.changes.map(({ principal, action, type, id, after }) =>
      [principal.type, principal.id, action, type, id, after.Decision].join(" "),
    ),
    confirm: "Save policy",
    fields: { [SAMPLE]: JSON.stringify(sample) },
    basis: [tried.Name, Policy],
  };
  return {
    result: <Changes visit={visit} comparison={comparison} nameOf={await lookUpNames(visit, records)} />,
    asked,
  };
}

/** The sample that the form claims was compared; the seal verifies it. */
export function sampleIn({ policies }: ConsoleServices, form: URLSearchParams): Sample | undefined {
  const given = parsed(form.get(SAMPLE) ?? "");
  if (!SAMPLED.Check(given)) return undefined;
  return given.records.every(({ type }) => policies.types.has(type)) ? given : undefined;
}

const SAMPLED = TypeCompiler.Compile(
  Type.Object({
    principals: Type.Array(
      Type.Object({ type: Type.Union([Type.Literal("User"), Type.Literal("Application")]), id: Type.Integer() }),
      { maxItems: 100 },
    ),
    records: Type.Array(Type.Object({ type: Type.String(), id: Type.String() }), { maxItems: 100 }),
  }),
);
