// The state of the installation's parts, in one line.

import { firstPage } from "../../platform/http/query.ts";
import type { ConsoleServices, Visit } from "../page.tsx";

const NAMES = { postgresql: "Database", temporal: "Temporal", worker: "Worker" } as const;

export async function systemLine(deps: ConsoleServices, visit: Visit): Promise<JSX.Element> {
  const [readiness, mail] = await Promise.all([deps.readReadiness(), mailState(deps, visit)]);
  const states = Object.entries(NAMES).map(([part, name]) => [name, readiness[part as keyof typeof NAMES]] as const);
  return (
    <p class="parts">
      {[...states, ...(mail ? [["Mail", mail] as const] : [])].map(([name, state]) => (
        <span class={state === "up" ? "part good" : "part bad"}>
          <span safe>{name}</span> <span safe>{state}</span>
        </span>
      ))}
      {readiness.reasons.length > 0 ? <span safe>{readiness.reasons.join(" ")}</span> : ""}
    </p>
  );
}

/** undefined: the installation has no mail server, or the visitor may not see its mails. */
async function mailState({ mails }: ConsoleServices, visit: Visit): Promise<"up" | "held" | undefined> {
  if (mails.settings.isKept || !mails.settings.host || !visit.may("Settings:Read")) return undefined;
  const { Items } = await mails.list(visit.permitted("Settings:Read"), { State: "Held" }, firstPage(1));
  return Items.length > 0 ? "held" : "up";
}
