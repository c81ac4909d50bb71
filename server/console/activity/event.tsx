import { DELIVERY_STATES } from "../../../workflows/contract.ts";
import { BadInput, Conflict } from "../../platform/errors.ts";
import { firstPage, MAX_LIMIT, type Paging, readPaging, readQuery, readWord } from "../../platform/http/query.ts";
import type { ConnectionId } from "../../platform/ids.ts";
import { PING } from "../../records/index.ts";
import {
  ActionButton,
  Badge,
  ButtonLink,
  Code,
  type Column,
  Facts,
  Link,
  ListSection,
  Live,
  Pager,
  Sentence,
  sealedFields,
  Text,
  Time,
} from "../../ui/index.ts";
import {
  type EventRecord,
  type LoggedConnection,
  REDELIVER,
  type SeenEvent,
  toEventId,
  WORST_FIRST,
} from "../../webhooks/index.ts";
import {
  type Confirmation,
  type ConsolePage,
  type ConsoleServices,
  confirming,
  Refusals,
  type View,
} from "../page.tsx";
import { lookUpNames, type NamedRecord, type NameOf } from "../records/names.ts";
import { findRequest, RequestLink } from "../requests.tsx";
import type { Visit } from "../visit.ts";
import { hrefOfWorkflow } from "../workflow.tsx";
import { changeSection } from "./change.tsx";
import {
  ConnectionName,
  type DeliveryRecord,
  deliverySection,
  isOpen,
  isOver,
  type ShownDelivery,
} from "./delivery.tsx";
import { deliveriesInWords, titleOfEvent } from "./list.tsx";
import { PayloadSection } from "./payload.tsx";
import { Members, membersOf } from "./record.tsx";

const REFRESH_SECONDS = 2;
/** The maximum number of deliveries on a page, worst first; each has its attempts below it. */
const MAX_DELIVERIES_SHOWN = 20;
const MAX_ATTEMPTS_SHOWN = 12;

export async function eventPage(deps: ConsoleServices, visit: Visit, refusals: string[] = []): Promise<View> {
  const { caller, params, url } = visit;
  const event = await deps.eventLog.read(caller, toEventId(params.id!));
  const { record } = event;
  const query = readQuery(url.searchParams, ["State"]);
  const ofState = readWord(query, "State", DELIVERY_STATES);
  const { Items, ...page } = await pageOf(visit, record, ofState, readPaging(query));
  const members = membersOf(event);
  const [shown, unconcerned, name, request, change] = await Promise.all([
    readShown(deps, visit, event, Items),
    readUnconcerned(deps, visit, record),
    lookUpNames(visit, members),
    event.traceParent ? findRequest(deps.requests, visit, { TraceParent: event.traceParent }) : undefined,
    // The change is immutable, so refreshes omit it.
    visit.wants("change") ? changeSection(deps, visit, event) : "",
  ]);
  const isSendable = record.EventType !== PING && event.payload !== null;
  const mayRedeliver = isSendable && visit.may("Webhooks:Update", "WebhookEvent", record);
  const isFinal = !record.Deliveries.some(isOpen);
  return {
    title: event.payload?.Test
      ? `Test of ${event.payload.EventRecord} ${event.payload.EventType}`
      : titleOfEvent(record, name),
    above: [{ name: "Activity", path: "/settings/activity" }],
    actions: <ButtonLink href={hrefOfWorkflow(visit, record)} label="Open in Temporal" />,
    body: (
      <>
        <Refusals lines={refusals} />
        <Live visit={visit} id="event" seconds={REFRESH_SECONDS} isFinal={isFinal}>
          <Summary
            visit={visit}
            record={record}
            members={members}
            name={name}
            mayRedeliver={mayRedeliver}
            madeBy={request ? <RequestLink visit={visit} request={request} /> : undefined}
          />
          {shown.map((one) => deliverySection(visit, event, one, mayRedeliver))}
        </Live>
        <Pager visit={visit} page={page} />
        <NotSentSection visit={visit} unconcerned={unconcerned} />
        {change as "safe"}
        <PayloadSection visit={visit} event={event} />
      </>
    ),
  };
}

/** Uses the counts in the event, because its reader may see all deliveries. */
async function pageOf({ caller }: Visit, record: EventRecord, ofState: string | undefined, paging: Paging) {
  const { EventId, Deliveries } = record;
  const sorted = Deliveries.filter(({ State }) => ofState === undefined || State === ofState).toSorted(
    (a, b) => WORST_FIRST.indexOf(a.State) - WORST_FIRST.indexOf(b.State),
  );
  return caller.gate.pageOf(`WebhookEvent/${EventId}/Deliveries`, { ...paging, limit: MAX_DELIVERIES_SHOWN }, sorted);
}

/** Deliveries are always listed, without details of connections that the reader may not see. */
async function readShown(
  { connections, eventLog, explainEvent, knownRequest }: ConsoleServices,
  visit: Visit,
  event: SeenEvent,
  deliveries: DeliveryRecord[],
): Promise<ShownDelivery[]> {
  const { caller } = visit;
  const { EventId } = event.record;
  const connectionIds = deliveries.map(({ ConnectionId }) => ConnectionId);
  const selection = { deliveryIds: deliveries.map(({ Id }) => Id), last: MAX_ATTEMPTS_SHOWN };
  const [attempts, seen, reasons] = await Promise.all([
    eventLog.attempts(caller, event, selection),
    connections.readAll(caller, connectionIds),
    explainEvent(caller, EventId, { connectionIds }, firstPage(MAX_DELIVERIES_SHOWN)),
  ]);
  return deliveries.map((delivery) => {
    const connection = seen.find(({ id }) => id === delivery.ConnectionId);
    const posted = { eventId: EventId, sequences: event.sequences };
    const requestAt = (startedOn: Date) =>
      connection?.kind === "Push" ? knownRequest(connection, posted, startedOn) : undefined;
    const own = attempts.get(delivery.Id) ?? [];
    return {
      delivery,
      connection,
      reason: reasons.Items.find(({ DeliveryId }) => DeliveryId === delivery.Id)?.Reason,
      attempts: own,
      requests: own.map(({ StartedOn }) => requestAt(new Date(StartedOn))),
      request: requestAt(new Date(0)),
      mayResume: connection !== undefined && mayResume(visit, connections, connection),
    };
  });
}

function mayResume(visit: Visit, { recordOf }: ConsoleServices["connections"], connection: LoggedConnection): boolean {
  if (connection.state === "Active" || connection.deletedOn || !visit.may("Webhooks:Create")) return false;
  return visit.may("Webhooks:Update", "WebhookConnection", recordOf(connection));
}

interface SummaryProps {
  visit: Visit;
  record: EventRecord;
  members: NamedRecord[];
  name: NameOf;
  mayRedeliver: boolean;
  madeBy: JSX.Element | undefined;
}

function Summary({ visit, record, members, name, mayRedeliver, madeBy }: SummaryProps): JSX.Element {
  const { EventId, State, Reason, Deliveries, Timestamp } = record;
  const path = `/settings/activity/${EventId}`;
  const asked = askToRedeliver(record);
  return (
    <div class="panel">
      <Facts
        facts={[
          ["State", <Badge state={State ?? "No delivery"} spoken />],
          ["Deliveries", Reason ? <Sentence text={Reason} /> : <Counts visit={visit} record={record} />],
          [
            members.length > 1 ? "Records" : "Record",
            <Members visit={visit} members={members} name={name} count={record.RecordCount} />,
          ],
          ["Happened", <Time at={Timestamp} />],
          madeBy && ["Made by request", madeBy],
          ["EventId", <Code text={EventId} copy />],
        ]}
      />
      {mayRedeliver && asked.basis.length > 1 && !Deliveries.some(isOpen) && (
        <div class="buttons below">
          <ActionButton
            visit={visit}
            action={`${path}/redeliver`}
            label={asked.title.slice(0, -1)}
            fields={sealedFields(visit, `${path}/redeliver`, asked)}
          />
        </div>
      )}
    </div>
  );
}

function Counts({ visit, record }: { visit: Visit; record: EventRecord }): JSX.Element {
  const states = WORST_FIRST.filter((state) => record.Deliveries.some(({ State }) => State === state));
  const path = visit.href(`/settings/activity/${record.EventId}`);
  if (states.length < 2 || record.Deliveries.length <= MAX_DELIVERIES_SHOWN) {
    return <Text text={deliveriesInWords(record)} />;
  }
  return (
    <span>
      {states.map((state) => (
        <>
          <Link
            href={`${path}?State=${state}`}
            text={deliveriesInWords({
              ...record,
              Deliveries: record.Deliveries.filter(({ State }) => State === state),
            })}
          />{" "}
        </>
      ))}
      <a href={path}>all</a>
    </span>
  );
}

// Connections that did not get an event, with the reasons.

interface Unconcerned {
  outcome: string;
  reason: string;
  connection: LoggedConnection | undefined;
  connectionId: ConnectionId;
}

/** The newest connections; a ping is sent only to its own. */
async function readUnconcerned(
  { connections, explainEvent }: ConsoleServices,
  { caller }: Visit,
  { EventId, EventType }: EventRecord,
): Promise<Unconcerned[]> {
  if (EventType === PING) return [];
  const paging = firstPage(MAX_LIMIT);
  const { Items } = await explainEvent(caller, EventId, { concerned: false }, paging);
  // Connections deleted before the event are omitted, because their number only grows.
  const asked = Items.filter(({ Outcome }) => Outcome !== "AlreadyDeleted");
  const ids = asked.map(({ ConnectionId }) => ConnectionId);
  const seen = await connections.readAll(caller, ids);
  return asked.map(({ ConnectionId, Outcome, Reason }) => ({
    outcome: Outcome,
    reason: Reason,
    connection: seen.find(({ id }) => id === ConnectionId),
    connectionId: ConnectionId,
  }));
}

function NotSentSection({ visit, unconcerned }: { visit: Visit; unconcerned: Unconcerned[] }): JSX.Element {
  const columns: Column<Unconcerned>[] = [
    { name: "Connection", cell: (one) => <ConnectionName visit={visit} {...one} /> },
    { name: "Outcome", cell: ({ outcome }) => <Badge state={outcome} /> },
    { name: "Why", cell: ({ reason }) => <Sentence text={reason} /> },
  ];
  const caption = "Connections that have no delivery of this event";
  return <ListSection title="Not sent to" caption={caption} columns={columns} rows={unconcerned} />;
}

const AT_ONCE = "It is being sent again. The result appears below.";
const LATER = "It will be sent again once its connection is active.";
const TO_SOME = "It is being sent again, except to deleted and Held connections.";

function askToRedeliver({ EventId, Deliveries }: EventRecord): Confirmation & { basis: string[] } {
  const again = Deliveries.filter(isOver);
  return {
    title: `Redeliver to all ${again.length.toLocaleString("en")}?`,
    above: [{ name: "Activity", path: "/settings/activity" }],
    effects: ["Each connection gets the same bytes again.", "Deleted and Held connections get nothing."],
    confirm: "Redeliver it",
    keep: "Send nothing",
    back: `/settings/activity/${EventId}`,
    basis: again.map(({ Id }) => Id).toSorted(),
  };
}

export function redeliverPage(deps: ConsoleServices): ConsolePage {
  return confirming({
    path: "/settings/activity/:id/redeliver",
    needs: ["Webhooks:Read", "Webhooks:Update"],
    ask: async (visit) => askToRedeliver((await deps.eventLog.read(visit.caller, toEventId(visit.params.id!))).record),
    act: (visit, { basis }) => sendAgain(deps, visit, { deliveries: basis }),
  });
}

export async function redeliver(deps: ConsoleServices, visit: Visit): Promise<View | Response> {
  const { ConnectionId: connectionId } = REDELIVER.parse({ ConnectionId: visit.form.get("ConnectionId") });
  if (!connectionId) throw new BadInput("ConnectionId is missing.");
  return sendAgain(deps, visit, { connectionId });
}

async function sendAgain(
  deps: ConsoleServices,
  visit: Visit,
  to: { connectionId?: ConnectionId; deliveries?: string[] },
): Promise<View | Response> {
  const { params } = visit;
  try {
    const caller = visit.permitted("Webhooks:Update");
    const { Deliveries } = await deps.redeliverEvent(caller, toEventId(params.id!), to);
    const { connectionId } = to;
    const asked = (Deliveries ?? []).filter((one) => connectionId === undefined || one.ConnectionId === connectionId);
    return visit.goTo(`/settings/activity/${params.id}`, whatComesOf(asked));
  } catch (error) {
    if (!(error instanceof Conflict)) throw error;
    return { ...(await eventPage(deps, visit, error.errors)), status: error.status };
  }
}

function whatComesOf(asked: DeliveryRecord[]): string {
  if (asked.some(isOver)) return TO_SOME;
  return asked.length > 0 && asked.every(({ State }) => State === "Held") ? LATER : AT_ONCE;
}
