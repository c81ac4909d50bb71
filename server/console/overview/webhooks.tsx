// Connections with problems, and the outcomes of deliveries.

import { firstPage } from "../../platform/http/query.ts";
import { Badge, ButtonLink, durationInWords, EmptyState, Link, Section } from "../../ui/index.ts";
import type { ConnectionRecord, Health, OutcomeCount } from "../../webhooks/index.ts";
import { ChartSection } from "../chart.tsx";
import { Words } from "../failure-words.tsx";
import { type Figure, figureOf } from "../figures.tsx";
import type { ConsoleServices, Visit } from "../page.tsx";
import { titleOfConnection } from "../records/names.ts";
import { barsOf, DELIVERIES, outcomeFilter, stateFilter } from "../webhooks/deliveries.ts";
import { mayAddConnection } from "../webhooks/save.tsx";
import { TemporalViews } from "../webhooks/temporal.tsx";
import { byHour, type OverviewPart, type Period, sinceOf } from "./part.ts";

type Backlog = Omit<Health, "delivered" | "exhausted">;

/** The newest connections; the page shows no more. */
const MAX_CONNECTIONS = 200;

export async function webhooksPart(deps: ConsoleServices, visit: Visit, period: Period): Promise<OverviewPart> {
  if (!visit.may("Webhooks:Read")) return { body: <WithoutWebhooks visit={visit} /> };
  const { connections, figures } = deps;
  const { caller } = visit;
  const { Items, Next } = await connections.list(caller, {}, firstPage(MAX_CONNECTIONS));
  if (Items.length === 0) return { body: <NoConnections visit={visit} /> };
  const ids = Items.map(({ Id }) => Id);
  const [backlogs, hours, outcomes] = await Promise.all([
    figures.backlogs(caller, ids),
    figures.outcomes(caller, ids, period.hours),
    figures.outcomes(caller, ids, period.slices),
  ]);
  if (!backlogs) return { body: <WithoutFigures visit={visit} /> };
  const byId = new Map(backlogs.map((one) => [one.connectionId, one]));
  const watched = Items.map((connection): Watched => ({ connection, health: byId.get(connection.Id)! }));
  const log = (filter: string) => visit.href(`/settings/activity?${filter}`);
  const first = period.slots[0]!.from;
  return {
    lead: Next === null ? undefined : <OnlyTheNewest visit={visit} />,
    body: (
      <Section title="Needs attention">
        <Concerns visit={visit} watched={watched} isAll={Next === null} />
        <Overdue visit={visit} watched={watched} />
        <Waiting watched={watched} log={log} />
      </Section>
    ),
    hasDelivered: hours.some(({ state }) => state === "Delivered"),
    figures: deliveryFigures(period, hours, log),
    charts: (
      <ChartSection
        id="deliveries"
        title="Deliveries"
        series={DELIVERIES}
        bars={barsOf(outcomes, period.slots)}
        over={period.over}
        links={{ ofSlot: (slot) => log(outcomeFilter(slot)), ofSeries: (name) => log(stateFilter(name, first)) }}
      >
        <TemporalViews url={deps.workflowsUrl} tenantId={caller.tenantId} />
      </ChartSection>
    ),
  };
}

function OnlyTheNewest({ visit }: { visit: Visit }): JSX.Element {
  return (
    <p class="fine">
      {`Of the newest ${MAX_CONNECTIONS} connections. `}
      <a href={visit.href("/settings/webhooks")}>Webhooks</a> lists all,{" "}
      <a href={visit.href("/settings/activity?State=Exhausted")}>Activity</a> all failures.
    </p>
  );
}

function deliveryFigures(period: Period, hours: readonly OutcomeCount[], log: (filter: string) => string): Figure[] {
  const counts = (state: OutcomeCount["state"]) =>
    byHour(period, hours, (one) => (one.state === state ? one.count : 0));
  const since = sinceOf(period);
  return [
    figureOf("Delivered, 24 h", counts("Delivered"), log(stateFilter("Delivered", since))),
    figureOf("Exhausted, 24 h", counts("Exhausted"), log(stateFilter("Exhausted", since)), true),
    figureOf("Failed attempts, 24 h", counts("Failed"), log("Failed=true&Last=24h")),
  ];
}

/** Deliveries that have not arrived yet, with links to them. */
function Waiting({ watched, log }: { watched: readonly Watched[]; log(filter: string): string }): JSX.Element {
  const sum = (of: (one: Watched) => number) => watched.reduce((total, one) => total + of(one), 0);
  const [open, held] = [sum(({ health }) => health.open), sum(({ health }) => health.held)];
  const since = Math.min(...watched.flatMap(({ health }) => health.waitsSince?.getTime() ?? []));
  const link = (state: string, count: number) => (
    <Link href={log(`State=${state}`)} text={`${count.toLocaleString("en")} ${state.toLowerCase()} now`} />
  );
  return (
    <p class="after fine">
      {link("Open", open) as "safe"}, {link("Held", held) as "safe"}
      {Number.isFinite(since) ? <span safe>{`, the oldest for ${durationInWords(Date.now() - since)}`}</span> : ""}.
    </p>
  );
}

function NoConnections({ visit }: { visit: Visit }): JSX.Element {
  const mayAdd = mayAddConnection(visit);
  return (
    <EmptyState title="No webhooks yet">
      <p>A webhook connection sends each change of a user, an application or a department to your receiver.</p>
      {mayAdd && <ButtonLink href={visit.href("/settings/webhooks/add")} label="Add Webhook Connection" kind="main" />}
    </EmptyState>
  );
}

function WithoutFigures({ visit }: { visit: Visit }): JSX.Element {
  return (
    <EmptyState title="No figures to see">
      <p>Your policies hide some events, and figures would count them.</p>
      <ButtonLink href={visit.href("/settings/activity")} label="Activity" />
    </EmptyState>
  );
}

function WithoutWebhooks({ visit }: { visit: Visit }): JSX.Element {
  return (
    <EmptyState
      title="No access to webhooks"
      text={`None of your roles has Webhooks:Read. An administrator of ${visit.organisation} can give you a role that has it. Other pages are in the menu.`}
    />
  );
}

// The most urgent problems, worst first.

/** An open delivery older than this many milliseconds is late: by default all attempts take less. */
const LATE_MS = 10 * 60_000;

interface Concern {
  connection: ConnectionRecord;
  state: string;
  text: string;
  /** Lower ranks come first. */
  rank: number;
}

interface Watched {
  connection: ConnectionRecord;
  health: Backlog;
}

function concernsOf(watched: readonly Watched[], now: number): Concern[] {
  return watched.flatMap((one) => concernOf(one, now) ?? []).toSorted((a, b) => a.rank - b.rank);
}

/** Each connection shows only its worst problem. */
function concernOf({ connection, health }: Watched, now: number): Concern | undefined {
  const { State } = connection;
  const { unsent, unsentSince, open, held, waitsSince, failure } = health;
  const word = failure ? ` Last answer: ${failure}.` : "";
  const oldest = waitsSince ? `, the oldest for ${durationInWords(now - waitsSince.getTime())}` : "";
  if (State === "Held") {
    return {
      connection,
      state: "Held",
      text: `${connection.HeldReason ?? "Held"}. It gets nothing until a probe succeeds or it is resumed: ${many(held)} ${held === 1 ? "waits" : "wait"}${oldest}.`,
      rank: 0,
    };
  }
  if (unsent > 0 && unsentSince) {
    const since = durationInWords(now - unsentSince.getTime());
    const again = `${unsent === 1 ? "It was" : "They were"} not sent again, the oldest ${since} ago.`;
    const text = `${many(unsent)} failed permanently in 24 hours.${word} ${again}`;
    return { connection, state: "Exhausted", text, rank: 1 };
  }
  if (State === "Active" && open > 0 && waitsSince && now - waitsSince.getTime() > LATE_MS) {
    return { connection, state: "Retrying", text: `${many(open)} still open${oldest}.${word}`, rank: 2 };
  }
  if (State === "Paused" && held > 0) {
    return {
      connection,
      state: "Paused",
      text: `Paused: ${many(held)} ${held === 1 ? "waits" : "wait"}${oldest}.`,
      rank: 3,
    };
  }
  return undefined;
}

/** Deliveries that retention would have removed, had they ended. A connection's page has Resume and Discard. */
function Overdue({ visit, watched }: { visit: Visit; watched: readonly Watched[] }): JSX.Element {
  const late = watched.filter(({ health }) => health.overdue > 0);
  if (late.length === 0) return "";
  const all = late.reduce((sum, { health }) => sum + health.overdue, 0);
  return (
    <p class="after">
      <span safe>{`${many(all)} of changes older than the log is kept. They stay until sent or given up: `}</span>
      {late.map(({ connection, health }, index) => (
        <>
          {index > 0 ? ", " : ""}
          <Link href={visit.href(`/settings/webhooks/${connection.Id}`)} text={titleOfConnection(connection)} />
          <span safe>{` (${connection.State}: ${health.overdue.toLocaleString("en")})`}</span>
        </>
      ))}
    </p>
  );
}

function many(count: number): string {
  return `${count.toLocaleString("en")} ${count === 1 ? "delivery" : "deliveries"}`;
}

interface ConcernsProps {
  visit: Visit;
  watched: readonly Watched[];
  isAll: boolean;
}

function Concerns({ visit, watched, isAll }: ConcernsProps): JSX.Element {
  const concerns = concernsOf(watched, Date.now());
  if (concerns.length === 0) return <p>{isAll ? "None. All connections work." : "None. All of these work."}</p>;
  return (
    <ul class="concerns">
      {concerns.map(({ connection, state, text }) => (
        <li>
          <Badge state={state} />
          <div>
            <Link href={visit.href(`/settings/webhooks/${connection.Id}`)} text={titleOfConnection(connection)} />
            <Words text={text} />
          </div>
        </li>
      ))}
    </ul>
  );
}
