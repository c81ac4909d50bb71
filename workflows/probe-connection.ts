// Probes a Held connection periodically until it is no longer Held. The next probe's time is in PostgreSQL, so any run
// can continue.

import {
  condition,
  continueAsNew,
  defineSignal,
  proxyActivities,
  setCurrentDetails,
  workflowInfo,
} from "@temporalio/workflow";
import type { Activities } from "../activities/index.ts";
import { PROBE_CHANGED, type ProbeInput, type ProbeResult } from "./contract.ts";
import { countSignals } from "./signals.ts";

const changed = defineSignal(PROBE_CHANGED);

const { sendProbe } = proxyActivities<Activities>({
  startToCloseTimeout: "1h",
  heartbeatTimeout: "20s",
  retry: { initialInterval: "1s", maximumInterval: "30s" },
});

export async function probeConnection(input: ProbeInput): Promise<ProbeResult> {
  const changes = countSignals(changed);
  let { last } = input;
  while (!workflowInfo().continueAsNewSuggested) {
    const isChanged = changes.sinceNow();
    const result = await sendProbe(input);
    if (!result.held) return result;
    // A run that probes nothing, such as after a change, knows only the number of probes.
    last = result.last ?? last;
    setCurrentDetails(describe(result, last));
    await condition(isChanged, result.waitMs);
  }
  return continueAsNew<typeof probeConnection>({ ...input, last });
}

/** The text in the Temporal UI. */
function describe({ reason, probes, waitMs }: Extract<ProbeResult, { held: true }>, last?: string): string {
  const count = `${probes || "no"} ${probes === 1 ? "probe" : "probes"}`;
  const tried = `${count} since${probes && last ? `, the last: ${last}` : ""}`;
  return `Held after ${reason}; ${tried}; next in ${Math.ceil(waitMs / 1_000)} s`;
}
