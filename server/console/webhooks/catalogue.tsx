// The catalogue of events: a schema and an example of each kind.

import { Section } from "../../ui/index.ts";
import type { ConsolePage, ConsoleServices, View, Visit } from "../page.tsx";
import { Source } from "../source.tsx";
import { ABOVE, CONNECTIONS } from "./save.tsx";

export const CATALOGUE = `${CONNECTIONS}/events`;

export function cataloguePage(deps: ConsoleServices): ConsolePage {
  return {
    path: CATALOGUE,
    command: "Kinds of events",
    GET: { needs: ["Webhooks:Read"], answer: (visit) => page(deps, visit) },
  };
}

async function page({ catalogue }: ConsoleServices, visit: Visit): Promise<View> {
  const { Items } = await catalogue.list(visit.caller);
  const byRecord = [...Map.groupBy(Items, ({ EventRecord }) => EventRecord)];
  return {
    title: "Kinds of events",
    above: ABOVE,
    body: (
      <>
        {byRecord.map(([record, kinds]) => (
          <Section title={record}>
            {kinds.map(({ EventType, Schema, Example }) => (
              <details class="language">
                <summary safe>{EventType}</summary>
                <Shown label={`Example of ${record} ${EventType}`} value={Example} />
                <Shown label={`JSON Schema of ${record} ${EventType}`} value={Schema} />
              </details>
            ))}
          </Section>
        ))}
      </>
    ),
  };
}

function Shown({ label, value }: { label: string; value: object }): JSX.Element {
  const text = JSON.stringify(value, null, 2);
  return (
    <>
      <h3 safe>{label}</h3>
      <Source label={label} text={text} copy={{ text, label: `Copy the ${label}` }} />
    </>
  );
}
