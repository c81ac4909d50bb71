import { BadInput } from "../../platform/errors.ts";
import { exportResponse, formatFilter } from "../../platform/http/export.ts";
import { readAsked, readPaging, readQuery } from "../../platform/http/query.ts";
import { Badge, type Column, durationInWords, ListSection, Live, Pager, Sentence, Text, Time } from "../../ui/index.ts";
import { REDELIVERY_CHANGE, type RedeliveryRecord, type ResentRecord, toRedeliveryId } from "../../webhooks/index.ts";
import { EventLink } from "../activity/record.tsx";
import { Words } from "../failure-words.tsx";
import { RunButtons, RunSection } from "../long-work.tsx";
import { type Confirmation, type ConsolePage, type ConsoleServices, confirming, type View } from "../page.tsx";
import { lookUpNames } from "../records/names.ts";
import { Exports } from "../records/records.tsx";
import type { Visit } from "../visit.ts";
import { ABOVE } from "./save.tsx";

export const REDELIVERIES = "/settings/redeliveries";
const REFRESH_SECONDS = 2;

export const NAMES = { Replay: "Redelivery", Drain: "Sending held deliveries" };

export async function redeliveryPage(deps: ConsoleServices, visit: Visit): Promise<View> {
  const id = toRedeliveryId(visit.params.id!);
  const redelivery = await deps.redeliveries.read(visit.caller, id);
  const sent = await deps.resentDeliveries.list(visit.caller, id, readPaging(readQuery(visit.url.searchParams, [])));
  const connection = { Type: "WebhookConnection", Id: redelivery.ConnectionId };
  const name = await lookUpNames(visit, [connection]);
  return {
    title: NAMES[redelivery.Kind],
    above: [
      ...ABOVE,
      { name: "Redeliveries", path: REDELIVERIES },
      { name: name.known(connection) ?? "Its connection", path: `/settings/webhooks/${redelivery.ConnectionId}` },
    ],
    actions: <Exports visit={visit} path={`${REDELIVERIES}/${id}/export`} />,
    body: (
      <>
        <Live visit={visit} id="progress" seconds={REFRESH_SECONDS} isFinal={!isOpen(redelivery)}>
          <Progress visit={visit} redelivery={redelivery} title={inNumbers(redelivery)} />
          <ListSection
            title="Before and after"
            caption="Sent deliveries, before and after"
            columns={sentColumns(visit)}
            rows={sent.Items}
            none="No visible deliveries sent yet."
          />
        </Live>
        <Pager visit={visit} page={sent} />
      </>
    ),
  };
}

function sentColumns(visit: Visit): Column<ResentRecord>[] {
  const outcome = (side: "Before" | "After"): Column<ResentRecord> => ({
    name: side,
    cell: ({ [side]: { State, Reason, On } }) => (
      <>
        <Badge state={State} /> <Words text={Reason ?? ""} /> <Time at={On} />
      </>
    ),
  });
  return [
    {
      name: "Event",
      cell: ({ EventId, EventRecord, RecordId, EventType }) => (
        <EventLink visit={visit} id={EventId} text={`${EventRecord} ${RecordId ?? "records"} ${EventType}`} />
      ),
    },
    { name: "Happened", cell: ({ Timestamp }) => <Time at={Timestamp} /> },
    outcome("Before"),
    outcome("After"),
  ];
}

export async function exportSent({ resentDeliveries }: ConsoleServices, visit: Visit): Promise<Response> {
  const { filters } = readAsked({ Format: formatFilter }, visit.url.searchParams);
  return exportResponse(await resentDeliveries.export(visit.caller, toRedeliveryId(visit.params.id!), filters.Format));
}

export function isOpen({ State }: RedeliveryRecord): boolean {
  return State === "Running" || State === "Paused";
}

export function inNumbers({ Done, Total }: RedeliveryRecord): string {
  return `${Done.toLocaleString("en")} of ${Total.toLocaleString("en")}`;
}

export interface ProgressProps {
  visit: Visit;
  redelivery: RedeliveryRecord;
  title: string;
  /** Shown on its connection's page; actions return there. */
  isInPlace?: boolean;
}

export function Progress({ visit, redelivery, title, isInPlace }: ProgressProps): JSX.Element {
  const { Id, State, Reason, Delivered, Exhausted, Rate, From, To, States } = redelivery;
  const count = (value: number) => <Text text={value.toLocaleString("en")} />;
  const mayChange = isOpen(redelivery) && visit.may("Webhooks:Update", "Redelivery", redelivery);
  return (
    <RunSection
      visit={visit}
      title={title}
      label="Deliveries that have ended"
      run={redelivery}
      facts={[
        ["State", <Badge state={State} spoken={!isInPlace} />],
        ["Delivered", count(Delivered)],
        ["Exhausted", count(Exhausted)],
        ["A second, at most", count(Rate)],
        isOpen(redelivery) && ["Time left", <Text text={timeLeft(redelivery)} />],
      ]}
    >
      {!!Reason && (
        <p>
          <Sentence text={`It ${Reason}.`} />
        </p>
      )}
      {!!From && (
        <p>
          <small>
            Deliveries that were <span safe>{States.join(" or ")}</span>, of events from <Time at={From} />
            {!!To && " to "}
            {!!To && <Time at={To} />}.
          </small>
        </p>
      )}
      {mayChange && (
        <RunButtons
          visit={visit}
          action={`${REDELIVERIES}/${Id}`}
          isRunning={State === "Running"}
          noun=" redelivery"
          fields={isInPlace ? IN_PLACE : {}}
          question={askToCancel(redelivery, isInPlace)}
        />
      )}
    </RunSection>
  );
}

/** The minimum time at its configured rate. */
function timeLeft({ State, Reason, Total, Done, Rate }: RedeliveryRecord): string {
  if (State === "Paused" || Reason !== null) return "not known while it waits";
  return `${durationInWords((1_000 * Math.max(0, Total - Done)) / Rate)} or more`;
}

function askToCancel({ Id, Kind, ConnectionId }: RedeliveryRecord, isInPlace = false): Confirmation {
  const back = isInPlace ? `/settings/webhooks/${ConnectionId}` : `${REDELIVERIES}/${Id}`;
  return {
    title: "Cancel the rest?",
    above: [{ name: NAMES[Kind], path: `${REDELIVERIES}/${Id}` }],
    effects: CANCELLED[Kind],
    confirm: "Cancel it",
    keep: "Keep running",
    fields: isInPlace ? IN_PLACE : {},
    back,
  };
}

const IN_PLACE = { Back: "connection" };

const CANCELLED = {
  Replay: ["Deliveries already sent continue; the rest is not sent again.", "It cannot be resumed."],
  Drain: [
    "Deliveries already sent continue; the rest stays Held.",
    "Its connection is paused, and gets nothing until it is resumed.",
  ],
};

const NOTICES: Record<string, string> = {
  Paused: "The redelivery is paused. Deliveries already sent continue.",
  Running: "The redelivery continues.",
};

export async function changeTheRedelivery({ redeliveries }: ConsoleServices, visit: Visit): Promise<Response> {
  const state = visit.form.get("State") ?? "";
  if (!Object.hasOwn(NOTICES, state)) throw new BadInput("State must be Running or Paused.");
  const { Id, ConnectionId } = await setState(redeliveries, visit, state);
  const isInPlace = visit.form.get("Back") === IN_PLACE.Back && ConnectionId !== undefined;
  return visit.goTo(isInPlace ? `/settings/webhooks/${ConnectionId}` : `${REDELIVERIES}/${Id}`, NOTICES[state]);
}

export function cancelPage({ redeliveries }: ConsoleServices): ConsolePage {
  return confirming({
    path: `${REDELIVERIES}/:id/cancel`,
    needs: ["Webhooks:Read", "Webhooks:Update"],
    async ask(visit) {
      const redelivery = await redeliveries.read(visit.caller, toRedeliveryId(visit.params.id!));
      return askToCancel(redelivery, visit.form.get("Back") === IN_PLACE.Back);
    },
    async act(visit, { back }) {
      await setState(redeliveries, visit, "Cancelled");
      return visit.goTo(back, "The redelivery is cancelled. Deliveries already sent continue.");
    },
  });
}

function setState(redeliveries: ConsoleServices["redeliveries"], visit: Visit, State: string) {
  const body = { State };
  const caller = visit.permitted("Webhooks:Update");
  return redeliveries.change(caller, toRedeliveryId(visit.params.id!), REDELIVERY_CHANGE.parse(body), body);
}
