// The first page: first steps, problems, and the figures and charts of deliveries, sign-ins and tokens.

import { ApiError } from "../../platform/errors.ts";
import { SCOPE_ACTIONS } from "../../records/index.ts";
import { EmptyState, LinkBar, Live } from "../../ui/index.ts";
import { SPANS } from "../chart.tsx";
import { FigureList } from "../figures.tsx";
import { type ConsolePage, type ConsoleServices, handlersOf, type View, type Visit } from "../page.tsx";
import { DISMISS, dismissFirstSteps, firstStepsPart } from "./first-steps.tsx";
import { type OverviewPart, type Period, periodOf } from "./part.ts";
import { signInsPart, tokensPart } from "./people.tsx";
import { policiesPart } from "./policies.tsx";
import { systemLine } from "./system.tsx";
import { webhooksPart } from "./webhooks.tsx";

const REFRESH_SECONDS = 15;
const NOTHING: OverviewPart = {};

export function overviewPages(deps: ConsoleServices): ConsolePage[] {
  const on = handlersOf(deps);
  // Needs no scope, because every visitor starts here.
  return [
    { path: "/settings", area: "Overview", GET: on([], overview) },
    { path: DISMISS, POST: on(["Settings:Update"], dismissFirstSteps) },
  ];
}

/** Each part is shown to its permitted readers; a part that fails does not affect the others. */
async function overview(deps: ConsoleServices, visit: Visit): Promise<View | Response> {
  // Settings has nothing for people without a role; the account pages are theirs.
  if (!SCOPE_ACTIONS.some((scope) => visit.caller.scopes.has(scope))) return visit.goTo("/account");
  const period = periodOf(visit);
  const deliveries = unlessBusy("Deliveries", webhooksPart(deps, visit, period));
  const [steps, webhooks, policies, signIns, tokens, system] = await Promise.all([
    visit.wants("first-steps") ? unlessBusy("First steps", firstStepsPart(deps, visit, deliveries)) : NOTHING,
    deliveries,
    unlessBusy("Policies", policiesPart(deps, visit)),
    unlessBusy("Sign-ins", signInsPart(deps, visit, period)),
    unlessBusy("Tokens", tokensPart(deps, visit, period)),
    systemLine(deps, visit),
  ]);
  const parts = [webhooks, policies, signIns, tokens];
  const figures = parts.flatMap((part) => part.figures ?? []);
  return {
    title: "Overview",
    lead: webhooks.lead,
    body: (
      <>
        {(steps.body ?? "") as "safe"}
        <Live visit={visit} id="overview" seconds={REFRESH_SECONDS}>
          {parts.map(({ body }) => (body ?? "") as "safe")}
          {system as "safe"}
          {figures.length > 0 ? <FigureList figures={figures} /> : ""}
          {parts.some(({ charts }) => charts) ? <Charts visit={visit} period={period} parts={parts} /> : ""}
        </Live>
      </>
    ),
  };
}

function Charts({ visit, period, parts }: { visit: Visit; period: Period; parts: OverviewPart[] }): JSX.Element {
  return (
    <>
      <LinkBar
        label="Time of the charts"
        links={Object.entries(SPANS).map(([name, { label }]) => ({
          text: label,
          href: visit.href(`/settings?Last=${name}`),
          isCurrent: name === period.span,
        }))}
      />
      <div class="charts">{parts.map(({ charts }) => (charts ?? "") as "safe")}</div>
    </>
  );
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
