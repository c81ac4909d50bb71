import { DELIVERY_STATES } from "../../../workflows/contract.ts";
import { firstPage, type Paging, readPaging } from "../../http/paging.ts";
import { readQuery, readWord } from "../../http/query.ts";
import {
  type EventRecord,
  explainEvent,
  PING,
  readAttempts,
  readConnectionsOf,
  readEvent,
  type SeenEvent,
  WORST_FIRST,
} from "../../webhooks/index.ts";
import {
  ActionButton,
  Badge,
  ButtonLink,
  Code,
  Facts,
  Live,
  Pager,
  Refreshing,
  Sentence,
  Text,
  Time,
} from "../components/index.ts";
import type { SettingsDependencies } from "../dependencies.ts";
import type { View } from "../page.ts";
import type { Visit } from "../visit.ts";
import { type DeliveryRecord, DeliverySection, isOpen, isOver, type ShownDelivery } from "./delivery.tsx";
import { PayloadSection } from "./payload.tsx";
import { deliveriesInWords, titleOfEvent } from "./title.ts";
import { NotSentSection, readUnconcerned } from "./unconcerned.tsx";

const REFRESH_SECONDS = 2;
/** On one page, the worst first; each has its attempts below it. */
const MOST_DELIVERIES = 20;
/** Of one delivery, its last ones. */
const MOST_ATTEMPTS = 12;

/** @param refusals why what was asked of it was not done */
export async function eventPage(deps: SettingsDependencies, visit: Visit, refusals: string[] = []): Promise<View> {
  const { sql, caller, params, url } = { ...deps, ...visit };
  const event = await readEvent(sql, caller, params.id!, deps.workflowUrl);
  const { record } = event;
  const query = readQuery(url.searchParams, ["State"]);
  const ofState = readWord(query, "State", DELIVERY_STATES);
  const { Items, Next } = await pageOf(visit, record, ofState, readPaging(query));
  const [shown, unconcerned] = await Promise.all([
    readShown(deps, visit, event, Items),
    readUnconcerned(deps, visit, record),
  ]);
  const mayRedeliver = record.EventType !== PING && visit.may("Webhooks:Update", "WebhookEvent", record);
  const isFinal = !record.Deliveries.some(isOpen);
  return {
    title: titleOfEvent(record),
    above: [{ name: "Activity", path: "/settings/activity" }],
    actions: <ButtonLink href={record.WorkflowUrl}>Open in Temporal</ButtonLink>,
    body: (
      <>
        <Refusals lines={refusals} />
        <Live visit={visit} id="event" seconds={REFRESH_SECONDS} isFinal={isFinal}>
          <Summary visit={visit} record={record} mayRedeliver={mayRedeliver} />
          {shown.map((one) => (
            <DeliverySection
              visit={visit}
              event={event}
              shown={one}
              mayRedeliver={mayRedeliver}
              masterKey={deps.masterKey}
            />
          ))}
        </Live>
        <Pager visit={visit} next={Next} />
        <NotSentSection visit={visit} unconcerned={unconcerned} />
        <PayloadSection visit={visit} event={event} />
        {isFinal ? "" : <Refreshing visit={visit} seconds={REFRESH_SECONDS} />}
      </>
    ),
  };
}

/** Its reader may see them all, as the event has them. */
async function pageOf({ caller }: Visit, record: EventRecord, ofState: string | undefined, paging: Paging) {
  const { EventId, Deliveries } = record;
  const sorted = Deliveries.filter(({ State }) => ofState === undefined || State === ofState).toSorted(
    (a, b) => WORST_FIRST.indexOf(a.State) - WORST_FIRST.indexOf(b.State),
  );
  return caller.gate.pageOf(`WebhookEvent/${EventId}/Deliveries`, { ...paging, limit: MOST_DELIVERIES }, sorted);
}

/** What of connections the reader may not see is left out; that there is a delivery is not. */
async function readShown(
  { sql, masterKey }: SettingsDependencies,
  { caller }: Visit,
  event: SeenEvent,
  deliveries: DeliveryRecord[],
): Promise<ShownDelivery[]> {
  const { EventId } = event.record;
  const connectionIds = deliveries.map(({ ConnectionId }) => ConnectionId);
  const selection = { deliveryIds: deliveries.map(({ Id }) => Id), last: MOST_ATTEMPTS };
  const [attempts, connections, reasons] = await Promise.all([
    readAttempts(sql, caller, event, selection),
    readConnectionsOf(sql, masterKey, caller, connectionIds),
    explainEvent(sql, masterKey, caller, EventId, { connectionIds }, firstPage(MOST_DELIVERIES)),
  ]);
  return deliveries.map((delivery) => ({
    delivery,
    connection: connections.find(({ id }) => id === delivery.ConnectionId),
    reason: reasons.Items.find(({ DeliveryId }) => DeliveryId === delivery.Id)?.Reason,
    attempts: attempts.get(delivery.Id) ?? [],
  }));
}

function Refusals({ lines }: { lines: string[] }): JSX.Element {
  if (lines.length === 0) return "";
  return (
    <div class="problem" role="alert">
      {lines.map((line) => (
        <p safe>{line}</p>
      ))}
    </div>
  );
}

interface SummaryProps {
  visit: Visit;
  record: EventRecord;
  mayRedeliver: boolean;
}

function Summary({ visit, record, mayRedeliver }: SummaryProps): JSX.Element {
  const { EventId, State, Reason, Deliveries, Timestamp } = record;
  const path = `/settings/activity/${EventId}`;
  const again = Deliveries.filter(isOver);
  return (
    <div class="panel">
      <Facts
        facts={[
          ["State", <Badge state={State ?? "No delivery"} spoken />],
          ["Deliveries", Reason ? <Sentence text={Reason} /> : <Counts visit={visit} record={record} />],
          ["Happened", <Time at={new Date(Timestamp)} />],
          ["EventId", <Code text={EventId} copy />],
        ]}
      />
      {mayRedeliver && again.length > 1 && !Deliveries.some(isOpen) ? (
        <div class="buttons below">
          <ActionButton visit={visit} action={path} label={`Redeliver to all ${again.length.toLocaleString("en")}`} />
        </div>
      ) : (
        ""
      )}
    </div>
  );
}

/** With several states, each leads to its own deliveries. */
function Counts({ visit, record }: { visit: Visit; record: EventRecord }): JSX.Element {
  const states = WORST_FIRST.filter((state) => record.Deliveries.some(({ State }) => State === state));
  const path = visit.href(`/settings/activity/${record.EventId}`);
  if (states.length < 2 || record.Deliveries.length <= MOST_DELIVERIES) {
    return <Text text={deliveriesInWords(record)} />;
  }
  return (
    <span>
      {states.map((state) => (
        <>
          <a href={`${path}?State=${state}`} safe>
            {deliveriesInWords({ ...record, Deliveries: record.Deliveries.filter(({ State }) => State === state) })}
          </a>{" "}
        </>
      ))}
      <a href={path}>all</a>
    </span>
  );
}
