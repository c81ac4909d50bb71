// Redeliveries of a connection: begun, followed, paused and ended.

import type { ConnectionId } from "../../../workflows/contract.ts";
import { BadInput } from "../../errors.ts";
import { firstPage } from "../../http/query.ts";
import {
  ActionButton,
  AskButton,
  Badge,
  CheckboxGroup,
  type Column,
  Facts,
  Form,
  type FormState,
  formOf,
  Live,
  momentInUtc,
  Refreshing,
  refusedForm,
  Section,
  Sentence,
  Table,
  Text,
  TextField,
  Time,
} from "../../ui/index.ts";
import {
  changeRedelivery,
  countRedelivery,
  createRedelivery,
  DEFAULT_RATE,
  type LocatedRedelivery,
  MOST_RATE,
  REDELIVERY_CHANGE,
  REPLAY_DATA,
  REPLAYED_STATES,
  readRedeliveries,
  readRedelivery,
  toConnectionId,
} from "../../webhooks/index.ts";
import type { SettingsDependencies, View } from "../page.tsx";
import { lookUpNames } from "../records/names.ts";
import type { Visit } from "../visit.ts";
import { titleOf } from "./list.tsx";

const REFRESH_SECONDS = 2;
const MOST_LISTED = 5;

const NAMES = { Replay: "Redelivery", Drain: "Sending what was held back" };

export async function redeliveryPage({ sql, workflowUrl }: SettingsDependencies, visit: Visit): Promise<View> {
  const redelivery = await readRedelivery(sql, visit.caller, visit.params.id!, workflowUrl);
  const connection = { Type: "WebhookConnection", Id: redelivery.ConnectionId };
  const name = await lookUpNames(visit, [connection]);
  return {
    title: NAMES[redelivery.Kind],
    above: [
      { name: "Webhooks", path: "/settings/webhooks" },
      { name: name.known(connection) ?? "Its connection", path: `/settings/webhooks/${redelivery.ConnectionId}` },
    ],
    body: (
      <>
        <Live visit={visit} id="progress" seconds={REFRESH_SECONDS} isFinal={!isOpen(redelivery)}>
          <Progress visit={visit} redelivery={redelivery} />
          {isOpen(redelivery) ? <Refreshing visit={visit} seconds={REFRESH_SECONDS} /> : ""}
        </Live>
      </>
    ),
  };
}

function isOpen({ State }: LocatedRedelivery): boolean {
  return State === "Running" || State === "Paused";
}

function Progress({ visit, redelivery }: { visit: Visit; redelivery: LocatedRedelivery }): JSX.Element {
  const { State, Reason, Total, Done, Delivered, Exhausted, Rate, From, To, States, EndedOn, WorkflowUrl } = redelivery;
  const count = (value: number) => <Text text={value.toLocaleString("en")} />;
  return (
    <Section title={`${Done.toLocaleString("en")} of ${Total.toLocaleString("en")}`}>
      <progress max={Total || 1} value={Total === 0 ? 1 : Done} aria-label="Deliveries that have ended">
        {""}
      </progress>
      <Facts
        brief
        facts={[
          ["State", <Badge state={State} spoken />],
          ["Delivered", count(Delivered)],
          ["Exhausted", count(Exhausted)],
          ["A second", count(Rate)],
        ]}
      />
      {Reason ? (
        <p>
          <Sentence text={`It ${Reason}.`} />
        </p>
      ) : (
        ""
      )}
      <p>
        <small>
          {From ? (
            <>
              Deliveries that were <span safe>{States.join(" or ")}</span>, of events from <Time at={new Date(From)} />
              {To ? (
                <>
                  {" "}
                  to <Time at={new Date(To)} />
                </>
              ) : (
                ""
              )}
              .{" "}
            </>
          ) : (
            ""
          )}
          {EndedOn ? (
            <>
              Ended <Time at={new Date(EndedOn)} />.{" "}
            </>
          ) : (
            ""
          )}
          <a href={WorkflowUrl} rel="noreferrer">
            Its workflow in Temporal
          </a>
        </small>
      </p>
      <Buttons visit={visit} redelivery={redelivery} />
    </Section>
  );
}

function Buttons({ visit, redelivery }: { visit: Visit; redelivery: LocatedRedelivery }): JSX.Element {
  const { Id, Kind, State } = redelivery;
  if (!isOpen(redelivery) || !visit.may("Webhooks:Update", "Redelivery", redelivery)) return "";
  const action = `/settings/redeliveries/${Id}`;
  return (
    <div class="buttons">
      {State === "Running" ? (
        <ActionButton visit={visit} action={action} label="Pause" fields={{ State: "Paused" }} />
      ) : (
        <ActionButton visit={visit} action={action} label="Resume" fields={{ State: "Running" }} kind="main" />
      )}
      <AskButton
        visit={visit}
        action={action}
        label="Cancel the rest"
        kind="danger"
        question="Cancel the rest?"
        effects={CANCELLED[Kind]}
        confirm="Cancel it"
        keep="Go on with it"
        fields={{ State: "Cancelled" }}
      />
    </div>
  );
}

const CANCELLED = {
  Replay: ["What it has put on its way goes on; the rest is not sent again.", "It cannot be taken up again."],
  Drain: [
    "What it has put on its way goes on; the rest stays Held.",
    "Its connection is paused, and gets nothing until it is resumed.",
  ],
};

const TOLD: Record<string, string> = {
  Paused: "The redelivery is paused. What it has put on its way goes on.",
  Running: "The redelivery goes on.",
  Cancelled: "The redelivery is cancelled. What it has put on its way goes on.",
};

export async function changeTheRedelivery({ sql, workflowUrl }: SettingsDependencies, visit: Visit): Promise<Response> {
  const state = visit.form.get("State") ?? "";
  if (!Object.hasOwn(TOLD, state)) throw new BadInput("State must be Running, Paused or Cancelled.");
  const body = { State: state };
  const change = REDELIVERY_CHANGE.parse(body);
  const caller = visit.permitted("Webhooks:Update");
  const { Id } = await changeRedelivery(sql, caller, visit.params.id!, change, workflowUrl, body);
  return visit.goTo(`/settings/redeliveries/${Id}`, TOLD[state]);
}

/** The last ones of a connection. */
export async function latestRedeliveries(
  { sql, workflowUrl }: SettingsDependencies,
  { caller }: Visit,
  connectionId: ConnectionId,
): Promise<LocatedRedelivery[]> {
  return (await readRedeliveries(sql, caller, { connectionId }, firstPage(MOST_LISTED), workflowUrl)).Items;
}

export function Redeliveries({ visit, latest }: { visit: Visit; latest: LocatedRedelivery[] }): JSX.Element {
  if (latest.length === 0) return "";
  return (
    <Section title="Redeliveries">
      <Table caption="The last redeliveries" columns={columns(visit)} rows={latest} />
    </Section>
  );
}

function columns(visit: Visit): Column<LocatedRedelivery>[] {
  return [
    {
      name: "Begun",
      cell: ({ Id, CreatedOn, Kind }) => (
        <a href={visit.href(`/settings/redeliveries/${Id}`)}>
          <span safe>{NAMES[Kind]}</span>, <Time at={new Date(CreatedOn)} ago />
        </a>
      ),
    },
    {
      name: "State",
      cell: ({ State }) => <Badge state={State} />,
    },
    {
      name: "Ended",
      cell: ({ Done, Total }) => <Text text={`${Done.toLocaleString("en")} of ${Total.toLocaleString("en")}`} />,
      numeric: true,
    },
    { name: "Exhausted", cell: ({ Exhausted }) => <Text text={Exhausted.toLocaleString("en")} />, numeric: true },
  ];
}

// Sending a connection's deliveries again: first how many these are, then the redelivery itself.

const FIELDS = ["From", "To", "States", "Rate"];
const DAY_MS = 86_400_000;

/** @param shown the form as it was sent, and how many deliveries it means */
export async function redeliverPage(
  { connections }: SettingsDependencies,
  visit: Visit,
  shown: { state?: FormState; count?: number | null } = {},
): Promise<View> {
  const { record } = await connections.read(visit.caller, toConnectionId(visit.params.id!));
  const yesterday = new Date(Date.now() - DAY_MS).toISOString().slice(0, 16);
  const { count, state = formOf({ From: yesterday, States: ["Exhausted"], Rate: String(DEFAULT_RATE) }) } = shown;
  const isSendable = count !== undefined && count !== 0;
  return {
    title: "Redeliver",
    above: [
      { name: "Webhooks", path: "/settings/webhooks" },
      { name: titleOf(record), path: `/settings/webhooks/${record.Id}` },
    ],
    status: shown.state && count === undefined ? 422 : 200,
    body: (
      <div class="panel narrow">
        <Form visit={visit} action={`/settings/webhooks/${record.Id}/redeliver`} state={state}>
          <TextField
            state={state}
            name="From"
            label="Events from"
            type="datetime-local"
            hint="What happened then or later."
            required
          />
          <TextField
            state={state}
            name="To"
            label="Events before"
            type="datetime-local"
            hint="Empty: until now."
            required={false}
          />
          <CheckboxGroup
            state={state}
            name="States"
            label="Deliveries that are"
            options={REPLAYED_STATES.map((value) => ({ value, label: value }))}
          />
          <TextField
            state={state}
            name="Rate"
            label="Deliveries a second"
            type="number"
            hint={`From 1 to ${MOST_RATE}; they go in the order of their events.`}
            required
          />
          {count === undefined ? "" : <Count count={count} />}
          <div class="buttons">
            <button type="submit" name="step" value="count" class={isSendable ? "plain" : "main"}>
              {count === undefined ? "Count them" : "Count again"}
            </button>
            {isSendable ? (
              <button type="submit" name="step" value="send" class="main">
                Send them again
              </button>
            ) : (
              ""
            )}
          </div>
        </Form>
      </div>
    ),
  };
}

function Count({ count }: { count: number | null }): JSX.Element {
  const words =
    count === null
      ? "How many these are is told to who may read every event."
      : count === 0
        ? "No delivery is like that."
        : `${count.toLocaleString("en")} ${count === 1 ? "delivery would be" : "deliveries would be"} sent again.`;
  return (
    <p class="told" role="status" safe>
      {words}
    </p>
  );
}

export async function redeliver(deps: SettingsDependencies, visit: Visit): Promise<View | Response> {
  const { form, params } = visit;
  try {
    const rate = form.get("Rate")?.trim();
    const body = {
      ConnectionId: params.id,
      From: momentInUtc(form.get("From") ?? ""),
      To: momentInUtc(form.get("To") ?? ""),
      States: form.getAll("States"),
      Rate: rate ? Number(rate) : DEFAULT_RATE,
    };
    const input = REPLAY_DATA.parse(body);
    const caller = visit.permitted("Webhooks:Create");
    if (form.get("step") !== "send") {
      const { Count: count } = await countRedelivery(deps.sql, caller, input);
      return redeliverPage(deps, visit, { state: sentForm(form), count });
    }
    const { Id, Reason } = await createRedelivery(deps.sql, caller, input, deps.workflowUrl, body);
    const told = Reason ? "The redelivery is made, and waits." : "The redelivery has begun.";
    return visit.goTo(`/settings/redeliveries/${Id}`, `${told} You can leave this page.`);
  } catch (error) {
    return redeliverPage(deps, visit, { state: refusedForm(form, error, FIELDS) });
  }
}

/** The form as it was sent, with nothing wrong in it. */
function sentForm(form: URLSearchParams): FormState {
  return formOf(Object.fromEntries(FIELDS.map((name) => [name, form.getAll(name)])));
}
