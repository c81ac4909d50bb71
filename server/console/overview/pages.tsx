// The first page: problems, deliveries, sign-ins and issued tokens.

import { ApiError } from "../../platform/errors.ts";
import { EmptyState, Live, Refreshing } from "../../ui/index.ts";
import { firstHour } from "../chart.tsx";
import type { ConsolePage, ConsoleServices, View } from "../page.tsx";
import type { Visit } from "../visit.ts";
import { DISMISS, dismissFirstSteps, firstStepsPart } from "./first-steps.tsx";
import { signInsPart, tokensPart } from "./people.tsx";
import { policiesPart } from "./policies.tsx";
import { type OverviewPart, webhooksPart } from "./webhooks.tsx";

const REFRESH_SECONDS = 15;

export function overviewPages(deps: ConsoleServices): ConsolePage[] {
  // Needs no scope, because every visitor starts here.
  return [
    { path: "/settings", area: "Overview", GET: { needs: [], answer: (visit) => overview(deps, visit) } },
    { path: DISMISS, POST: { needs: ["Settings:Update"], answer: async (visit) => dismissFirstSteps(deps, visit) } },
  ];
}

/** Each part is shown to its permitted readers; a part that fails does not affect the others. */
async function overview(deps: ConsoleServices, visit: Visit): Promise<View> {
  const since = firstHour(Date.now());
  const deliveries = unlessBusy("Deliveries", webhooksPart(deps, visit, since));
  const [steps, webhooks, policies, signIns, tokens] = await Promise.all([
    unlessBusy("First steps", firstStepsPart(deps, visit, deliveries)),
    deliveries,
    unlessBusy("Policies", policiesPart(deps, visit)),
    unlessBusy("Sign-ins", signInsPart(deps, visit, since)),
    unlessBusy("Tokens", tokensPart(deps, visit, since)),
  ]);
  return {
    title: "Overview",
    lead: webhooks.lead,
    body: (
      <>
        <Refreshing visit={visit} seconds={REFRESH_SECONDS} />
        <Live visit={visit} id="overview" seconds={REFRESH_SECONDS}>
          {webhooks.body as "safe"}
          {policies.body as "safe"}
          {signIns.body as "safe"}
          {tokens.body as "safe"}
        </Live>
        {steps.body as "safe"}
      </>
    ),
  };
}

const BUSY = [429, 503];

async function unlessBusy(what: string, part: Promise<OverviewPart>): Promise<OverviewPart> {
  try {
    return await part;
  } catch (error) {
    if (!(error instanceof ApiError) || !BUSY.includes(error.status)) throw error;
    return {
      body: (
        <EmptyState title={`${what} could not be counted now`}>
          <p>The service is busy. This page retries automatically.</p>
        </EmptyState>
      ),
    };
  }
}
