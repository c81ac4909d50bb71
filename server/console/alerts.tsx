// Alerts and their acknowledgement. Every page shows a banner while there are unacknowledged ones.

import { HOUR_MS } from "../platform/durations.ts";
import { BadInput } from "../platform/errors.ts";
import { readAsked } from "../platform/http/query.ts";
import { ActionButton, Badge, type Column, EmptyState, find, List, statusOf, Text, Time } from "../ui/index.ts";
import {
  ACKNOWLEDGEMENT,
  ALERT_FILTERS,
  ALERT_STATES,
  type AlertKind,
  type AlertRecord,
  MAX_UNSEEN,
} from "../webhooks/index.ts";
import { Words } from "./failure-words.tsx";
import type { ConsolePage, ConsoleServices, View } from "./page.tsx";
import { lookUpNames, type NamedRecord, type NameOf } from "./records/names.ts";
import { isFiltered } from "./records/records.tsx";
import type { Visit } from "./visit.ts";

const ALERTS = "/settings/alerts";
const REFRESH_SECONDS = 10;

const KINDS: Record<AlertKind, string> = {
  ConnectionHeld: "Connection held",
  ErrorRate: "Many deliveries fail",
  Backlog: "Deliveries wait too long",
  FailedSignIns: "Many sign-ins fail",
  FailedLogouts: "Many logouts fail",
  NearLimit: "Near a limit",
  MailHeld: "Mails are held",
};

const SPANS = new Map<string, { label: string; ms: number | null }>(
  Object.entries({
    "4h": { label: "For 4 hours", ms: 4 * HOUR_MS },
    end: { label: "Until it ends", ms: null },
  }),
);

export function alertPages(deps: ConsoleServices): ConsolePage[] {
  return [
    { path: ALERTS, area: "Alerts", GET: { needs: ["Webhooks:Read"], answer: (visit) => listPage(deps, visit) } },
    {
      path: `${ALERTS}/:id/acknowledge`,
      POST: { needs: ["Webhooks:Update"], answer: (visit) => acknowledge(deps, visit) },
    },
  ];
}

async function listPage(deps: ConsoleServices, visit: Visit): Promise<View> {
  const { url } = visit;
  const filters = [{ name: "State", label: "State", options: ALERT_STATES.map((value) => ({ value, label: value })) }];
  const found = await find(visit, filters, async () => {
    const asked = readAsked(ALERT_FILTERS, url.searchParams);
    return deps.alerts.list(visit.permitted("Webhooks:Read"), asked.filters, asked.paging);
  });
  const { Items } = found.page;
  const name = await lookUpNames(visit, [...Items.flatMap(connectionOf), ...Items.flatMap(acknowledgerOf)]);
  return {
    title: "Alerts",
    status: statusOf(found),
    body: (
      <List
        visit={visit}
        caption="Alerts, newest first"
        filters={filters}
        live={{ id: "alerts", seconds: REFRESH_SECONDS }}
        found={found}
        columns={columns(visit, name)}
        empty={
          <EmptyState title={isFiltered(visit) ? "No matching alerts" : "No alerts"}>
            <p>
              Held connections, failing or waiting deliveries, many failed sign-ins or logouts, nearly reached limits,
              and held mails are shown here.
            </p>
          </EmptyState>
        }
      />
    ),
  };
}

const connectionOf = ({ ConnectionId: Id }: AlertRecord): NamedRecord[] =>
  Id ? [{ Type: "WebhookConnection", Id }] : [];
const acknowledgerOf = ({ AcknowledgedBy: by }: AlertRecord): NamedRecord[] => (by ? [by] : []);

function columns(visit: Visit, name: NameOf): Column<AlertRecord>[] {
  return [
    { name: "Alert", cell: ({ Kind }) => <Text text={KINDS[Kind]} /> },
    { name: "Of", cell: (alert) => <OfConnection visit={visit} of={connectionOf(alert)} name={name} /> },
    { name: "State", cell: ({ State }) => <Badge state={State} tone={TONES[State]} /> },
    { name: "Reason", cell: ({ Reason }) => <Words text={Reason ?? ""} /> },
    { name: "Raised", cell: ({ RaisedOn }) => <Time at={new Date(RaisedOn)} ago /> },
    { name: "Acknowledged by", cell: (alert) => <Acknowledged visit={visit} alert={alert} name={name} /> },
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
  const { Id, State, AcknowledgedUntil: until } = alert;
  const [by] = acknowledgerOf(alert);
  const acknowledgement = by ? (
    <span>
      <span safe>{isOwn(visit, by) ? "you" : name(by)}</span>
      {until ? (
        <>
          {" until "}
          <Time at={new Date(until)} />
        </>
      ) : (
        " until it ends"
      )}
    </span>
  ) : (
    <span class="none">{"nobody"}</span>
  );
  if (State !== "Open" || !visit.may("Webhooks:Update", "Alert", alert)) return acknowledgement;
  return (
    <div class="buttons">
      {[...SPANS].map(([span, { label }]) => (
        <ActionButton
          visit={visit}
          action={`${ALERTS}/${Id}/acknowledge`}
          label={label}
          about={`Acknowledge ${KINDS[alert.Kind]}`}
          fields={{ Span: span }}
        />
      ))}
    </div>
  );
}

/** Other users' names need a permission, but a user always knows their own. */
function isOwn({ session }: Visit, { Type, Id }: NamedRecord): boolean {
  return Type === "User" && Id === String(session.userId);
}

async function acknowledge({ alerts }: ConsoleServices, visit: Visit): Promise<Response> {
  const span = SPANS.get(visit.form.get("Span") ?? "");
  if (!span) throw new BadInput("Choose for how long.");
  const until = span.ms === null ? null : new Date(Date.now() + span.ms).toISOString();
  const { Until = null } = ACKNOWLEDGEMENT.parse({ Until: until });
  await alerts.acknowledge(visit.permitted("Webhooks:Update"), visit.params.id!, Until);
  return visit.goTo(ALERTS, "Acknowledged. It is hidden for that time.");
}

export function AlertBanner({ visit, unseen }: { visit: Visit; unseen: readonly AlertRecord[] }): JSX.Element {
  if (unseen.length === 0 || visit.url.pathname === ALERTS) return "";
  const count = unseen.length >= MAX_UNSEEN ? `${MAX_UNSEEN} or more` : String(unseen.length);
  const words = [...new Set(unseen.map(({ Kind }) => KINDS[Kind].toLowerCase()))].join(", ");
  return (
    <p class="warning alerts">
      <a href={visit.href(`${ALERTS}?State=Open`)} safe>
        {`${count} ${unseen.length === 1 ? "alert" : "alerts"}`}
      </a>{" "}
      <span safe>{`without acknowledgement: ${words}.`}</span>
    </p>
  );
}
