import { urlOf } from "../../platform/address.ts";
import { BadInput } from "../../platform/errors.ts";
import { UNCONDITIONAL } from "../../platform/http/conditions.ts";
import { API_PATH } from "../../platform/http/request.ts";
import { PING } from "../../records/index.ts";
import {
  ActionButton,
  Badge,
  ButtonLink,
  Code,
  type Column,
  EmptyState,
  Facts,
  Live,
  Section,
  sealedFields,
  Table,
  Text,
  Time,
} from "../../ui/index.ts";
import { type ConnectionRecord, type RecentDelivery, type StatusRecord, toConnectionId } from "../../webhooks/index.ts";
import { titleOfEvent } from "../activity/list.tsx";
import { EventLink, namesOfEvents, RecordCell } from "../activity/record.tsx";
import { Explained, Words } from "../failure-words.tsx";
import type { Confirmation, ConsoleServices, Visit } from "../page.tsx";
import type { NameOf } from "../records/names.ts";
import { addressOf } from "../records/names.ts";
import type { Held as Read } from "../records/record-pages.tsx";
import { LastFailure, SuccessRate } from "./health.tsx";
import { latestRedeliveries, Redeliveries } from "./redeliveries.tsx";
import { askToResume, RESUMED } from "./resume.tsx";
import { WRITE } from "./save.tsx";
import { Statistics, spanOf } from "./statistics.tsx";
import { CurrentStatus, limitsInWords } from "./status.tsx";
import { TemporalViews } from "./temporal.tsx";

const REFRESH_SECONDS = 5;
const MAX_DELIVERIES = 20;

export type ShownConnection = Read<ConnectionRecord> & { isSigned: boolean };

export async function connectionBody(deps: ConsoleServices, visit: Visit, held: ShownConnection): Promise<JSX.Element> {
  const { record, isSigned } = held;
  const [status, statistics, deliveries] = await Promise.all([
    visit.wants("connection") ? statusPart(deps, visit, record) : "",
    visit.wants("statistics") ? statisticsPart(deps, visit, record) : "",
    visit.wants("deliveries") ? deliveriesPart(deps, visit, record) : "",
  ]);
  return (
    <>
      {status as "safe"}
      {statistics as "safe"}
      {deliveries as "safe"}
      <Configuration visit={visit} record={record} isSigned={isSigned} />
    </>
  );
}

async function statusPart(deps: ConsoleServices, visit: Visit, record: ConnectionRecord) {
  const [healths, status, redeliveries] = await Promise.all([
    deps.figures.health(visit.caller, [record.Id]),
    deps.figures.status(visit.caller, record.Id),
    latestRedeliveries(deps, visit, record.Id),
  ]);
  const health = healths[0];
  const { Exhausted, ExhaustedSince: since } = status;
  const isOffered = record.State !== "Active" && Exhausted && since && mayRedeliver(visit, record);
  const asked = isOffered ? await askToResume(deps, visit, record, since) : undefined;
  return (
    <Live visit={visit} id="connection" seconds={REFRESH_SECONDS}>
      <div class="panel">
        <Facts
          brief
          facts={[
            ["State", <Badge state={record.State} spoken />],
            ["Success, 24 h", <SuccessRate health={health} />],
            ["Last failure", <LastFailure health={health} visit={visit} />],
          ]}
        />
      </div>
      <HoldNote record={record} status={status} />
      {unsentNote(visit, record, status, asked) as "safe"}
      <Redeliveries visit={visit} latest={redeliveries} />
      <CurrentStatus status={status} kind={record.Kind} />
      <DiscardLink visit={visit} record={record} held={status.Held} />
    </Live>
  );
}

async function statisticsPart({ figures }: ConsoleServices, visit: Visit, { Id }: ConnectionRecord) {
  const span = spanOf(visit);
  return <Statistics visit={visit} span={span} statistics={await figures.statistics(visit.caller, Id, span)} />;
}

async function deliveriesPart(deps: ConsoleServices, visit: Visit, { Id, Kind }: ConnectionRecord) {
  const deliveries = await deps.eventLog.deliveriesTo(visit.caller, Id, MAX_DELIVERIES);
  const name = await namesOfEvents(visit, deliveries.map(eventOf));
  return (
    <Live visit={visit} id="deliveries" seconds={REFRESH_SECONDS}>
      <Section title="Recent deliveries">
        {deliveries.length > 0 ? (
          <>
            <Table caption="Recent deliveries" columns={columns(visit, name, Kind)} rows={deliveries} />
            <p class="after">
              <a href={visit.href(`/settings/activity?ConnectionId=${Id}`)}>All of them in the activity log</a>
            </p>
            <TemporalViews url={deps.workflowsUrl} tenantId={visit.caller.tenantId} connection={{ Id }} />
          </>
        ) : (
          <EmptyState title="Nothing yet" text="The next change it is subscribed to appears here." />
        )}
      </Section>
    </Live>
  );
}

function Configuration({ visit, record, isSigned }: ConfigurationProps): JSX.Element {
  const headers = Object.keys(record.Headers);
  const contents = contentsOf(record);
  return (
    <Section
      title="Configuration"
      facts={[
        ...wayOf(record),
        ["Entities", <Text text={record.Entities.join(", ")} />],
        ["Events", <Text text={record.Events.join(", ")} />],
        ["Secret", <SecretLink visit={visit} record={record} isSigned={isSigned} />],
        ["Id", <Code text={record.Id} copy />],
        contents && ["Contents", <Text text={contents} />],
        record.Filter && ["Filter", <Code text={record.Filter} />],
        record.Description && ["Description", <Text text={record.Description} />],
        headers.length > 0 && ["Extra headers", <Text text={headers.join(", ")} />],
      ]}
    />
  );
}

/** How its events reach the receiver. */
function wayOf(record: ConnectionRecord): [string, JSX.Element][] {
  if (record.Kind === "Pull") return [["Pulled from", <Code text={pathOfEvents(record)} copy />]];
  return [
    ["URL Endpoint", <Code text={addressOf(record.URL)} copy />],
    ["Limits", <Text text={limitsInWords(record)} />],
    ["ApiKey", <Text text={hasOwnApiKey(record) ? "In the URL; hidden here." : "Sent; hidden here."} />],
  ];
}

export const pathOfEvents = ({ Id }: ConnectionRecord) => `${API_PATH}/WebhookConnection/${Id}/Events`;

/** "" for the default form of events. */
function contentsOf({ Fields, ChangedFields, Previous }: ConnectionRecord): string {
  const parts = [
    Fields && `only ${Fields.join(", ")}`,
    ChangedFields && "names of changed fields",
    Previous && "former values of changed fields",
  ].filter(Boolean);
  return parts.join("; ");
}

interface ConfigurationProps {
  visit: Visit;
  record: ConnectionRecord;
  isSigned: boolean;
}

function hasOwnApiKey({ URL: address }: ConnectionRecord): boolean {
  return urlOf(address).searchParams.has("ApiKey");
}

function HoldNote({ record, status }: { record: ConnectionRecord; status: StatusRecord }): JSX.Element {
  const { State, HeldOn, HeldReason } = record;
  const { Probes, NextProbeOn } = status;
  if (State !== "Held" || HeldOn === null) return "";
  return (
    <div class="warning">
      <p>
        Held since <Time at={HeldOn} />:{" "}
        <strong>
          <Words text={HeldReason ?? ""} />
        </strong>
        . The oldest waiting delivery is tried periodically; once it succeeds, all others follow in order. Resume does
        this now.
      </p>
      <Explained text={HeldReason} />
      <p>
        <span safe>{`Tried ${Probes === 1 ? "once" : `${Probes.toLocaleString("en")} times`} since then.`}</span>{" "}
        {!!NextProbeOn && (
          <>
            Next at <Time at={NextProbeOn} />.
          </>
        )}
      </p>
    </div>
  );
}

/** Deliveries that neither Resume nor a probe sends, and how to resend them. @param asked for a connection that is not active, if the visitor may resend */
function unsentNote(visit: Visit, record: ConnectionRecord, status: StatusRecord, asked?: Confirmation): JSX.Element {
  const { Held: heldCount, Exhausted, ExhaustedSince } = status;
  if (!Exhausted || !ExhaustedSince) return "";
  const isActive = record.State === "Active";
  const held = heldCount ? `${heldCount.toLocaleString("en")} held, and ` : "";
  return (
    <div class="warning">
      <p>
        <strong safe>{`${held}${Exhausted.toLocaleString("en")} exhausted since `}</strong>
        <Time at={ExhaustedSince} />
        {isActive ? ". They are not sent automatically." : ". Resume sends only held deliveries, not these."}
      </p>
      {isActive && mayRedeliver(visit, record) && (
        <ButtonLink
          href={visit.href(
            `/settings/webhooks/${record.Id}/redeliver?${new URLSearchParams({ From: ExhaustedSince })}`,
          )}
          label="Send them again"
        />
      )}
      {!!asked && (
        <ActionButton
          visit={visit}
          action={`${asked.back}/resume`}
          label={asked.title.slice(0, -1)}
          fields={sealedFields(visit, `${asked.back}/resume`, asked)}
        />
      )}
    </div>
  );
}

function SecretLink({ visit, record, isSigned }: ConfigurationProps): JSX.Element {
  return (
    <>
      <span safe>{isSigned ? "Set; payloads are signed." : "None; payloads are not signed."}</span>{" "}
      <a href={visit.href(`/settings/webhooks/${record.Id}/secret`)}>Secret</a>
    </>
  );
}

/** The redelivery as policies evaluate it before it exists. */
export function mayRedeliver(visit: Visit, { Id }: ConnectionRecord): boolean {
  return visit.may("Webhooks:Create", "Redelivery", { ConnectionId: Id, Kind: "Replay", State: "Running" });
}

function DiscardLink({ visit, record, held }: { visit: Visit; record: ConnectionRecord; held: number | null }) {
  if (held === 0 || !visit.may("Webhooks:Update", "WebhookConnection", record)) return "";
  return (
    <p class="after">
      <a href={visit.href(`/settings/webhooks/${record.Id}/discard`)}>Discard held deliveries</a>
    </p>
  );
}

export function actionsOn(visit: Visit, record: ConnectionRecord) {
  const path = `/settings/webhooks/${record.Id}`;
  const stateButton = (label: string, State: "Active" | "Paused") => (
    <ActionButton visit={visit} action={`${path}/state`} label={label} fields={{ State }} />
  );
  return {
    first: record.Kind === "Pull" ? "" : <ActionButton visit={visit} action={`${path}/ping`} label="Send a ping" />,
    next: (
      <>
        {record.State === "Active" ? "" : stateButton("Resume", "Active")}
        {record.State === "Paused" ? "" : stateButton("Pause", "Paused")}
      </>
    ),
    others:
      record.Kind === "Push" && mayRedeliver(visit, record) ? (
        <ButtonLink href={visit.href(`${path}/redeliver`)} label="Redeliver" />
      ) : undefined,
  };
}

const NOTICES = {
  Active: RESUMED,
  Paused: "The connection is paused. New events are held until it is resumed.",
};

export async function setState({ connection, connections }: ConsoleServices, visit: Visit) {
  const state = visit.form.get("State");
  if (state !== "Active" && state !== "Paused") throw new BadInput("State must be Active or Paused.");
  const body = { Id: visit.params.id, State: state };
  const input = connection.parse(body);
  const { record } = await connections.save(visit.permitted(...WRITE), input, UNCONDITIONAL, body);
  return visit.goTo(`/settings/webhooks/${record.Id}`, NOTICES[state]);
}

/** Sends a ping in any state of the connection. */
export async function ping({ connections }: ConsoleServices, visit: Visit): Promise<Response> {
  const id = visit.params.id!;
  await connections.ping(visit.permitted("Webhooks:Update"), toConnectionId(id));
  return visit.goTo(`/settings/webhooks/${id}`, "A ping was sent. The result appears below.");
}

function eventOf({ eventRecord, eventType, recordIds }: RecentDelivery) {
  return {
    EventRecord: eventRecord,
    EventType: eventType,
    RecordId: recordIds.length === 1 ? recordIds[0]! : null,
    RecordCount: recordIds.length,
  };
}

/** A test by what it tested. */
function titleOf(delivery: RecentDelivery, name: NameOf): string {
  if (delivery.eventType !== PING) return titleOfEvent(eventOf(delivery), name);
  return delivery.tested ? `Test of ${delivery.tested}` : PING;
}

const columns = (visit: Visit, name: NameOf, kind: ConnectionRecord["Kind"]): Column<RecentDelivery>[] => [
  {
    name: "Event",
    cell: (delivery) => <EventLink visit={visit} id={delivery.eventId} text={titleOf(delivery, name)} />,
  },
  { name: "Record", cell: (delivery) => <RecordCell visit={visit} event={eventOf(delivery)} name={name} /> },
  { name: "State", narrow: "beside", cell: ({ state }) => <Badge state={state} /> },
  ...(kind === "Pull" ? [] : attemptColumns),
  { name: "Happened", cell: ({ occurredOn }) => <Time at={occurredOn} ago /> },
];

const attemptColumns: Column<RecentDelivery>[] = [
  { name: "Attempts", cell: ({ attempts }) => <Text text={String(attempts)} />, numeric: true },
  { name: "Last answer", cell: (delivery) => <Text text={answerInWords(delivery)} /> },
];

export function answerInWords({ statusCode, failure, durationMs }: RecentDelivery): string {
  return durationMs === null ? "none yet" : `${failure ?? statusCode} after ${durationMs.toLocaleString("en")} ms`;
}
