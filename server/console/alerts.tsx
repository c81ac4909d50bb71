// Alerts and their acknowledgement. Every page shows a banner while there are unacknowledged ones.

import { HOUR_MS } from "../platform/durations.ts";
import { BadInput, Conflict } from "../platform/errors.ts";
import { MAX_LIMIT } from "../platform/http/query.ts";
import { ActionButton, Badge, type Column, Link, type ListProps, Submit, Text, Time } from "../ui/index.ts";
import { ACKNOWLEDGEMENT, type AlertRecord, MAX_UNSEEN } from "../webhooks/index.ts";
import { Words } from "./failure-words.tsx";
import { type ConsolePage, type ConsoleServices, handlersOf, type View, type Visit } from "./page.tsx";
import { logPage } from "./records/log-page.tsx";
import { lookUpNames, type NamedRecord, type NameOf } from "./records/names.ts";
import { RecordLink } from "./records/record-link.tsx";
import { optionsOf } from "./records/records.tsx";

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
  const on = handlersOf(deps);
  return [
    { path: ALERTS, area: "Alerts", GET: on(["Webhooks:Read"], listPage) },
    { path: `${ALERTS}/acknowledge`, POST: on(["Webhooks:Update"], acknowledge) },
  ];
}

async function listPage({ alerts }: ConsoleServices, visit: Visit): Promise<View> {
  const states = alerts.filters.State.words;
  const mayAct = (row: Row) => row.open.length > 0 && visit.may("Webhooks:Update", "Alert", row.alert);
  return logPage(visit, {
    title: "Alerts",
    caption: "Alerts, newest first",
    known: alerts.filters,
    filters: [{ name: "State", label: "State", options: optionsOf(states) }],
    live: { id: "alerts", seconds: REFRESH_SECONDS },
    async read({ filters, paging }) {
      const page = await alerts.list(visit.permitted("Webhooks:Read"), filters, paging);
      return { ...page, Items: rowsOf(page.Items, states) };
    },
    async parts({ Items }) {
      const all = Items.flatMap((row) => row.all);
      const name = await lookUpNames(visit, [...all.flatMap(connectionOf), ...all.flatMap(acknowledgerOf)]);
      return { columns: columns(visit, name, mayAct), bulk: bulk(visit, name, mayAct) };
    },
    empty: {
      none: [
        "No alerts",
        "Held connections, failing or waiting deliveries, many failed sign-ins or logouts, and nearly reached limits, and held mails are shown here.",
      ],
      noMatch: ["No matching alerts"],
    },
  });
}

const bulk = (visit: Visit, name: NameOf, isFit: (row: Row) => boolean): ListProps<Row>["bulk"] => ({
  method: "post",
  idOf: ({ open }) => open.map(({ Id }) => Id).join(" "),
  nameOf: ({ alert }) => [KINDS[alert.Kind], ...connectionOf(alert).map(name)].join(", "),
  isFit,
  actions: (
    <>
      {SPANS.map(({ value, label }) => (
        <Submit label={label} kind="plain" formaction={visit.href(`${ALERTS}/acknowledge`)} name="Span" value={value} />
      ))}
    </>
  ),
});

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
    {
      name: "Of",
      cell: ({ alert }) => <RecordLink visit={visit} one={connectionOf(alert)[0]} name={name} none="all" />,
    },
    { name: "Reason", cell: ({ alert: { Reason } }) => <Words text={Reason ?? ""} /> },
    { name: "Raised", cell: ({ alert: { RaisedOn } }) => <Time at={RaisedOn} ago /> },
    {
      name: "Acknowledgement",
      cell: (row) =>
        mayAct(row) ? <Acknowledge visit={visit} row={row} /> : <Acknowledged visit={visit} {...row} name={name} />,
    },
  ];
}

const TONES = { Open: "bad", Acknowledged: "warn", Ended: "quiet" } as const;

function Acknowledged({ visit, alert, name }: { visit: Visit; alert: AlertRecord; name: NameOf }): JSX.Element {
  const { AcknowledgedUntil: until } = alert;
  const [by] = acknowledgerOf(alert);
  if (!by) return <span class="none">{"nobody"}</span>;
  return (
    <span>
      <span safe>{isOwn(visit, by) ? "you" : name(by)}</span>
      {until ? " until " : " until it ends"}
      {until ? <Time at={until} /> : ""}
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
      <Link href={visit.href(`${ALERTS}?State=Open`)} text={`${count} ${rows.length === 1 ? "alert" : "alerts"}`} />{" "}
      <span safe>{`without acknowledgement: ${words}.`}</span>
    </p>
  );
}
