import type { DeliveryState } from "../../../workflows/contract.ts";
import { firstPage } from "../../platform/http/query.ts";
import type { ConnectionId } from "../../platform/ids.ts";
import { Badge, ButtonLink, durationInWords, EmptyState, Section } from "../../ui/index.ts";
import type { ConnectionRecord, Counts, Health } from "../../webhooks/index.ts";
import { BarChart, type ChartLinks, ChartTable, OVER_HOURS } from "../chart.tsx";
import { Words } from "../failure-words.tsx";
import { type Figure, FigureList } from "../figures.tsx";
import type { ConsoleServices } from "../page.tsx";
import { titleOfConnection } from "../records/names.ts";
import type { Visit } from "../visit.ts";
import { barsOf, DELIVERIES, outcomeFilter, stateFilter } from "../webhooks/deliveries.ts";
import { mayAddConnection } from "../webhooks/save.tsx";
import { TemporalViews } from "../webhooks/temporal.tsx";

/** The newest connections; the page shows no more. */
const MAX_CONNECTIONS = 200;

export interface OverviewPart {
  lead?: JSX.Element;
  body: JSX.Element;
  /** Whether a delivery has arrived in the last 24 hours; undefined: not known. */
  hasDelivered?: boolean;
}

/** @param since the start of the first displayed hour */
export async function webhooksPart(deps: ConsoleServices, visit: Visit, since: Date): Promise<OverviewPart> {
  if (!visit.may("Webhooks:Read")) return { body: <WithoutWebhooks visit={visit} /> };
  const { connections, figures } = deps;
  const { caller } = visit;
  const { Items, Next } = await connections.list(caller, {}, firstPage(MAX_CONNECTIONS));
  if (Items.length === 0) return { body: <NoConnections visit={visit} /> };
  const ids = Items.map(({ Id }) => Id);
  const now = Date.now();
  const counted = await figures.since(caller, ids, since);
  if (!counted) return { body: <WithoutFigures visit={visit} /> };
  const { backlogs, counts } = counted;
  const healths = new Map(backlogs.map((one) => [one.connectionId, { ...one, ...endedOf(counts, one.connectionId) }]));
  const watched = Items.map((connection): Watched => ({ connection, health: healths.get(connection.Id)! }));
  const log = (filter: string) => visit.href(`/settings/activity?${filter}`);
  const links: ChartLinks = {
    ofSlot: (slot) => log(outcomeFilter(slot)),
    ofSeries: (name) => log(stateFilter(name, since)),
  };
  const chart = {
    title: "Deliveries",
    series: DELIVERIES,
    bars: barsOf(counts.byHour, since),
    over: OVER_HOURS,
    links,
  };
  const concerns = concernsOf(watched, now);
  return {
    lead: Next === null ? undefined : <OnlyTheNewest visit={visit} />,
    hasDelivered: endedOf(counts).delivered > 0,
    body: (
      <>
        <Section title="Needs attention">
          {concerns.length > 0 ? (
            <Concerns visit={visit} concerns={concerns} />
          ) : (
            <p class="fine">{Next === null ? "None. All connections work." : "None. All of these work."}</p>
          )}
          <Overdue visit={visit} watched={watched} />
        </Section>
        <Figures watched={watched} counts={counts} now={now} since={since} log={log} />
        <Section title="Deliveries, last 24 hours">
          <BarChart {...chart} />
          <TemporalViews url={deps.workflowsUrl} tenantId={caller.tenantId} />
          <ChartTable {...chart} />
        </Section>
      </>
    ),
  };
}

function OnlyTheNewest({ visit }: { visit: Visit }): JSX.Element {
  return (
    <p class="fine">
      {`Of the newest ${MAX_CONNECTIONS} connections. `}
      <a href={visit.href("/settings/webhooks")}>Webhooks</a>
      {" lists all, "}
      <a href={visit.href("/settings/activity?State=Exhausted")}>Activity</a>
      {" all failures."}
    </p>
  );
}

function endedOf({ byConnection }: Counts, connectionId?: ConnectionId) {
  const sum = (state: DeliveryState) =>
    byConnection
      .filter((one) => one.state === state && (connectionId === undefined || one.connectionId === connectionId))
      .reduce((total, { count }) => total + count, 0);
  return { delivered: sum("Delivered"), exhausted: sum("Exhausted") };
}

interface FiguresProps {
  watched: Watched[];
  counts: Counts;
  now: number;
  since: Date;
  log(filter: string): string;
}

function Figures({ watched, counts, now, since, log }: FiguresProps): JSX.Element {
  const sum = (of: (one: Watched) => number) => watched.reduce((total, one) => total + of(one), 0);
  const { delivered, exhausted } = endedOf(counts);
  const oldest = watched
    .flatMap(({ health }) => health.waitsSince ?? [])
    .toSorted((a, b) => a.getTime() - b.getTime())[0];
  const open = sum(({ health }) => health.open);
  const waits = oldest ? durationInWords(now - oldest.getTime()) : "none";
  const figure = (name: string, count: number, filter: string, isBad = false): Figure => ({
    name,
    value: count.toLocaleString("en"),
    isBad,
    href: log(filter),
  });
  return (
    <FigureList
      figures={[
        figure("Delivered, 24 h", delivered, stateFilter("Delivered", since)),
        figure("Exhausted, 24 h", exhausted, stateFilter("Exhausted", since), exhausted > 0),
        figure("Failed attempts, 24 h", counts.failedAttempts, "Failed=true&Last=24h"),
        figure("Open now", open, "State=Open"),
        figure(
          "Held now",
          sum(({ health }) => health.held),
          "State=Held",
        ),
        { name: "Oldest undelivered", value: waits, href: log(open > 0 ? "State=Open" : "State=Held") },
      ]}
    />
  );
}

function NoConnections({ visit }: { visit: Visit }): JSX.Element {
  const mayAdd = mayAddConnection(visit);
  return (
    <EmptyState title="No webhooks yet">
      <p>A webhook connection sends each change of a user, an application or a department to your receiver.</p>
      {mayAdd ? (
        <ButtonLink href={visit.href("/settings/webhooks/add")} kind="main">
          {"Add Webhook Connection"}
        </ButtonLink>
      ) : (
        ""
      )}
    </EmptyState>
  );
}

function WithoutFigures({ visit }: { visit: Visit }): JSX.Element {
  return (
    <EmptyState title="No figures to see">
      <p>Your policies hide some events, and figures would count them.</p>
      <ButtonLink href={visit.href("/settings/activity")}>Activity</ButtonLink>
    </EmptyState>
  );
}

function WithoutWebhooks({ visit }: { visit: Visit }): JSX.Element {
  return (
    <EmptyState title="No access to webhooks">
      <p safe>
        {`None of your roles has Webhooks:Read. An administrator of ${visit.organisation} can give you a role that has it. Other pages are in the menu.`}
      </p>
    </EmptyState>
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
  health: Health;
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
          <a href={visit.href(`/settings/webhooks/${connection.Id}`)} safe>
            {titleOfConnection(connection)}
          </a>
          <span safe>{` (${connection.State}: ${health.overdue.toLocaleString("en")})`}</span>
        </>
      ))}
    </p>
  );
}

function many(count: number): string {
  return `${count.toLocaleString("en")} ${count === 1 ? "delivery" : "deliveries"}`;
}

function Concerns({ visit, concerns }: { visit: Visit; concerns: readonly Concern[] }): JSX.Element {
  return (
    <ul class="concerns">
      {concerns.map(({ connection, state, text }) => (
        <li>
          <Badge state={state} />
          <div>
            <a href={visit.href(`/settings/webhooks/${connection.Id}`)} safe>
              {titleOfConnection(connection)}
            </a>
            <Words text={text} />
          </div>
        </li>
      ))}
    </ul>
  );
}
