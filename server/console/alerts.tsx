// Alerts and their acknowledgement. Every page shows a banner while there are unacknowledged ones.

import { HOUR_MS } from "../platform/durations.ts";
import { BadInput, Conflict } from "../platform/errors.ts";
import { MAX_LIMIT, readAsked } from "../platform/http/query.ts";
import { ActionButton, Badge, type Column, find, List, statusOf, Text, Time } from "../ui/index.ts";
import { ACKNOWLEDGEMENT, type AlertRecord, MAX_UNSEEN } from "../webhooks/index.ts";
import { Words } from "./failure-words.tsx";
import type { ConsolePage, ConsoleServices, View } from "./page.tsx";
import { lookUpNames, type NamedRecord, type NameOf } from "./records/names.ts";
import { optionsOf } from "./records/records.tsx";
import type { Visit } from "./visit.ts";

const ALERTS = "/settings/alerts";
const REFRESH_SECONDS = 10;

const KINDS: Record<AlertRecord["Kind"], string> = {
  ConnectionHeld: "Connection held",
  ErrorRate: "Many deliveries fail",
  Backlog: "Deliveries wait too long",
  FailedSignIns: "Many sign-ins fail",
  FailedLogouts: "Many logouts fail",
  NearLimit: "Near a limit",
  MailHeld: "Mails are held",
  FilterFailed: "A filter failed",
  SignUps: "People wait for approval",
};

/** How long an acknowledged alert is hidden. */
const SPANS = [
  { value: "4h", label: "Acknowledge for 4 h", ms: 4 * HOUR_MS },
  { value: "end", label: "Acknowledge until it ends", ms: null },
] as const;

export function alertPages(deps: ConsoleServices): ConsolePage[] {
  return [
    { path: ALERTS, area: "Alerts", GET: { needs: ["Webhooks:Read"], answer: (visit) => listPage(deps, visit) } },
    {
      path: `${ALERTS}/acknowledge`,
      POST: { needs: ["Webhooks:Update"], answer: (visit) => acknowledge(deps, visit) },
    },
  ];
}

async function listPage(deps: ConsoleServices, visit: Visit): Promise<View> {
  const { url } = visit;
  const filters = [{ name: "State", label: "State", options: optionsOf(deps.alerts.filters.State.words) }];
  const found = await find(visit, filters, async () => {
    const asked = readAsked(deps.alerts.filters, url.searchParams);
    return deps.alerts.list(visit.permitted("Webhooks:Read"), asked.filters, asked.paging);
  });
  const { Items, ...page } = found.page;
  const name = await lookUpNames(visit, [...Items.flatMap(connectionOf), ...Items.flatMap(acknowledgerOf)]);
  const mayAct = (row: Row) => row.open.length > 0 && visit.may("Webhooks:Update", "Alert", row.alert);
  return {
    title: "Alerts",
    status: statusOf(found),
    body: (
      <List
        visit={visit}
        caption="Alerts, newest first"
        filters={filters}
        live={{ id: "alerts", seconds: REFRESH_SECONDS }}
        found={{ ...found, page: { ...page, Items: rowsOf(Items, deps.alerts.filters.State.words) } }}
        columns={columns(visit, name, mayAct)}
        empty={EMPTY}
        bulk={{
          method: "post",
          idOf: ({ open }) => open.map(({ Id }) => Id).join(" "),
          nameOf: ({ alert }) => [KINDS[alert.Kind], ...connectionOf(alert).map(name)].join(", "),
          isFit: mayAct,
          actions: (
            <>
              {SPANS.map(({ value, label }) => (
                <button
                  type="submit"
                  class="plain"
                  formaction={visit.href(`${ALERTS}/acknowledge`)}
                  name="Span"
                  value={value}
                  safe
                >
                  {label}
                </button>
              ))}
            </>
          ),
        }}
      />
    ),
  };
}

/** The alerts of a connection with one cause, the worst first. */
interface Row {
  alert: AlertRecord;
  all: AlertRecord[];
  open: AlertRecord[];
}

/** A connection is held because its deliveries fail. */
const CAUSES = new Map<AlertRecord["Kind"], AlertRecord["Kind"]>([["ErrorRate", "ConnectionHeld"]]);

function rowsOf(alerts: readonly AlertRecord[], states: readonly AlertRecord["State"][]): Row[] {
  const groups = Map.groupBy(alerts, ({ Id, ConnectionId, Kind }) =>
    ConnectionId ? `${ConnectionId} ${CAUSES.get(Kind) ?? Kind}` : Id,
  );
  const rank = ({ State, Kind }: AlertRecord) => 2 * states.indexOf(State) + (CAUSES.has(Kind) ? 1 : 0);
  return [...groups.values()].map((group) => {
    const all = group.toSorted((one, other) => rank(one) - rank(other));
    return { alert: all[0]!, all, open: all.filter(({ State }) => State === "Open") };
  });
}

const EMPTY = {
  none: [
    "No alerts",
    "Held connections, failing or waiting deliveries, many failed sign-ins or logouts, and nearly reached limits, and held mails are shown here.",
  ] as const,
  noMatch: ["No matching alerts"] as const,
};

const connectionOf = ({ ConnectionId: Id }: AlertRecord): NamedRecord[] =>
  Id ? [{ Type: "WebhookConnection", Id }] : [];
const acknowledgerOf = ({ AcknowledgedBy: by }: AlertRecord): NamedRecord[] => (by ? [by] : []);

function columns(visit: Visit, name: NameOf, mayAct: (row: Row) => boolean): Column<Row>[] {
  return [
    {
      name: "Alert",
      cell: ({ alert, all }) => (
        <>
          <Text text={KINDS[alert.Kind]} />
          {all.length > 1 && <small safe>{`${all.length} alerts`}</small>}
        </>
      ),
    },
    { name: "State", narrow: "beside", cell: ({ alert: { State } }) => <Badge state={State} tone={TONES[State]} /> },
    { name: "Of", cell: ({ alert }) => <OfConnection visit={visit} of={connectionOf(alert)} name={name} /> },
    { name: "Reason", cell: ({ alert: { Reason } }) => <Words text={Reason ?? ""} /> },
    { name: "Raised", cell: ({ alert: { RaisedOn } }) => <Time at={new Date(RaisedOn)} ago /> },
    {
      name: "Acknowledgement",
      cell: (row) =>
        mayAct(row) ? <Acknowledge visit={visit} row={row} /> : <Acknowledged visit={visit} {...row} name={name} />,
    },
  ];
}

const TONES = { Open: "bad", Acknowledged: "warn", Ended: "quiet" } as const;

function OfConnection({ visit, of, name }: { visit: Visit; of: NamedRecord[]; name: NameOf }): JSX.Element {
  const [connection] = of;
  if (!connection) return <span class="none">{"all"}</span>;
  return (
    <a href={visit.href(`/settings/webhooks/${connection.Id}`)} safe>
      {name(connection)}
    </a>
  );
}

function Acknowledged({ visit, alert, name }: { visit: Visit; alert: AlertRecord; name: NameOf }): JSX.Element {
  const { AcknowledgedUntil: until } = alert;
  const [by] = acknowledgerOf(alert);
  if (!by) return <span class="none">{"nobody"}</span>;
  return (
    <span>
      <span safe>{isOwn(visit, by) ? "you" : name(by)}</span>
      {until ? " until " : " until it ends"}
      {until ? <Time at={new Date(until)} /> : ""}
    </span>
  );
}

function Acknowledge({ visit, row: { alert, open } }: { visit: Visit; row: Row }): JSX.Element {
  const [{ value, label }] = SPANS;
  return (
    <ActionButton
      visit={visit}
      action={`${ALERTS}/acknowledge`}
      label={label}
      about={KINDS[alert.Kind]}
      fields={{ Span: value, Id: open.map(({ Id }) => Id) }}
    />
  );
}

/** Other users' names need a permission, but a user always knows their own. */
function isOwn({ session }: Visit, { Type, Id }: NamedRecord): boolean {
  return Type === "User" && Id === String(session.userId);
}

async function acknowledge({ alerts }: ConsoleServices, visit: Visit): Promise<Response> {
  const span = SPANS.find(({ value }) => value === visit.form.get("Span"));
  if (!span) throw new BadInput("Choose for how long.");
  const ids = visit.form.getAll("Id").flatMap((text) => text.split(" "));
  if (ids.length === 0) throw new BadInput("Choose alerts in the list first.");
  const until = span.ms === null ? null : new Date(Date.now() + span.ms).toISOString();
  const { Until = null } = ACKNOWLEDGEMENT.parse({ Until: until });
  for (const id of ids.slice(0, MAX_LIMIT)) {
    try {
      await alerts.acknowledge(visit.permitted("Webhooks:Update"), id, Until);
    } catch (error) {
      // One of several may end meanwhile.
      if (!(error instanceof Conflict) || ids.length === 1) throw error;
    }
  }
  return visit.goTo(ALERTS, "Acknowledged. It is hidden for that time.");
}

export function AlertBanner({ visit, unseen }: { visit: Visit; unseen: readonly AlertRecord[] }): JSX.Element {
  if (unseen.length === 0 || visit.url.pathname === ALERTS) return "";
  // As many as the list has rows.
  const rows = rowsOf(unseen, ["Open"]);
  const count = unseen.length >= MAX_UNSEEN ? `${MAX_UNSEEN} or more` : String(rows.length);
  const words = [...new Set(rows.map(({ alert: { Kind } }) => KINDS[Kind].toLowerCase()))].join(", ");
  return (
    <p class="warning alerts">
      <a href={visit.href(`${ALERTS}?State=Open`)} safe>
        {`${count} ${rows.length === 1 ? "alert" : "alerts"}`}
      </a>{" "}
      <span safe>{`without acknowledgement: ${words}.`}</span>
    </p>
  );
}
