import { BadInput } from "../../platform/errors.ts";
import { exportResponse, formatFilter } from "../../platform/http/export.ts";
import { readAsked, readPaging, readQuery } from "../../platform/http/query.ts";
import {
  ActionButton,
  AskButton,
  Badge,
  type Column,
  durationInWords,
  Facts,
  ListSection,
  Live,
  Pager,
  Refreshing,
  Section,
  Sentence,
  Text,
  Time,
} from "../../ui/index.ts";
import { REDELIVERY_CHANGE, type RedeliveryRecord, type ResentRecord, toRedeliveryId } from "../../webhooks/index.ts";
import { Words } from "../failure-words.tsx";
import { type Confirmation, type ConsolePage, type ConsoleServices, confirming, type View } from "../page.tsx";
import { lookUpNames } from "../records/names.ts";
import { Exports } from "../records/records.tsx";
import type { Visit } from "../visit.ts";
import { hrefOfWorkflow } from "../workflow.tsx";

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
      { name: "Webhooks", path: "/settings/webhooks" },
      { name: "Redeliveries", path: REDELIVERIES },
      { name: name.known(connection) ?? "Its connection", path: `/settings/webhooks/${redelivery.ConnectionId}` },
    ],
    actions: <Exports visit={visit} path={`${REDELIVERIES}/${id}/export`} parameters={new URLSearchParams()} />,
    body: (
      <>
        <Live visit={visit} id="progress" seconds={REFRESH_SECONDS} isFinal={!isOpen(redelivery)}>
          <Progress visit={visit} redelivery={redelivery} title={inNumbers(redelivery)} />
          {isOpen(redelivery) ? <Refreshing visit={visit} seconds={REFRESH_SECONDS} /> : ""}
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
        <Badge state={State} /> <Words text={Reason ?? ""} /> <Time at={new Date(On)} />
      </>
    ),
  });
  return [
    {
      name: "Event",
      cell: ({ EventId, EventRecord, RecordId, EventType }) => (
        <a href={visit.href(`/settings/activity/${EventId}`)} safe>
          {`${EventRecord} ${RecordId ?? "records"} ${EventType}`}
        </a>
      ),
    },
    { name: "Happened", cell: ({ Timestamp }) => <Time at={new Date(Timestamp)} /> },
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
  const { State, Reason, Total, Done, Delivered, Exhausted, Rate, From, To, States, EndedOn } = redelivery;
  const count = (value: number) => <Text text={value.toLocaleString("en")} />;
  return (
    <Section title={title}>
      <progress max={Total || 1} value={Total === 0 ? 1 : Done} aria-label="Deliveries that have ended">
        {""}
      </progress>
      <Facts
        brief
        facts={[
          ["State", <Badge state={State} spoken={!isInPlace} />],
          ["Delivered", count(Delivered)],
          ["Exhausted", count(Exhausted)],
          ["A second, at most", count(Rate)],
          ...(isOpen(redelivery) ? [["Time left", <Text text={timeLeft(redelivery)} />] as [string, JSX.Element]] : []),
        ]}
      />
      {!!Reason && (
        <p>
          <Sentence text={`It ${Reason}.`} />
        </p>
      )}
      <p>
        <small>
          {!!From && (
            <>
              Deliveries that were <span safe>{States.join(" or ")}</span>, of events from <Time at={new Date(From)} />
              {!!To && (
                <>
                  {" "}
                  to <Time at={new Date(To)} />
                </>
              )}
              .{" "}
            </>
          )}
          {!!EndedOn && (
            <>
              Ended <Time at={new Date(EndedOn)} />.{" "}
            </>
          )}
          <a href={hrefOfWorkflow(visit, redelivery)} rel="noreferrer">
            Workflow in Temporal
          </a>
        </small>
      </p>
      <Buttons visit={visit} redelivery={redelivery} isInPlace={isInPlace} />
    </Section>
  );
}

/** The minimum time at its configured rate. */
function timeLeft({ State, Reason, Total, Done, Rate }: RedeliveryRecord): string {
  if (State === "Paused" || Reason !== null) return "not known while it waits";
  return `${durationInWords((1_000 * Math.max(0, Total - Done)) / Rate)} or more`;
}

function Buttons({ visit, redelivery, isInPlace }: Omit<ProgressProps, "title">): JSX.Element {
  const { Id, State } = redelivery;
  if (!isOpen(redelivery) || !visit.may("Webhooks:Update", "Redelivery", redelivery)) return "";
  const action = `${REDELIVERIES}/${Id}`;
  const fieldsFor = (state: string) => ({ State: state, ...(isInPlace && IN_PLACE) });
  return (
    <div class="buttons">
      {State === "Running" ? (
        <ActionButton visit={visit} action={action} label="Pause redelivery" fields={fieldsFor("Paused")} />
      ) : (
        <ActionButton
          visit={visit}
          action={action}
          label="Resume redelivery"
          fields={fieldsFor("Running")}
          kind="main"
        />
      )}
      <AskButton
        visit={visit}
        action={`${action}/cancel`}
        label="Cancel the rest"
        kind="danger"
        question={askToCancel(redelivery, isInPlace)}
      />
    </div>
  );
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
