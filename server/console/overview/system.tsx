// The state of the installation's parts, in one line.

import type { ConsoleServices } from "../page.tsx";

const NAMES = { postgresql: "Database", temporal: "Temporal", worker: "Worker" } as const;

export async function systemLine({ readReadiness }: ConsoleServices): Promise<JSX.Element> {
  const readiness = await readReadiness();
  return (
    <p class="parts">
      {Object.entries(NAMES).map(([part, name]) => {
        const state = readiness[part as keyof typeof NAMES];
        return (
          <span class={state === "up" ? "part good" : "part bad"}>
            <span safe>{name}</span> <span safe>{state}</span>
          </span>
        );
      })}
      {readiness.reasons.length > 0 ? <span safe>{readiness.reasons.join(" ")}</span> : ""}
    </p>
  );
}
