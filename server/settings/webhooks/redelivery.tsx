// A redelivery on its way: how far it is, and how to pause or end it.

import { BadInput } from "../../errors.ts";
import { firstPage } from "../../http/paging.ts";
import {
  changeRedelivery,
  type LocatedRedelivery,
  REDELIVERY_CHANGE,
  readRedeliveries,
  readRedelivery,
} from "../../webhooks/index.ts";
import {
  ActionButton,
  AskButton,
  Badge,
  type Column,
  Facts,
  Live,
  Refreshing,
  Section,
  Sentence,
  Table,
  Text,
  Time,
} from "../components/index.ts";
import type { SettingsDependencies } from "../dependencies.ts";
import type { View } from "../page.ts";
import type { Visit } from "../visit.ts";

const REFRESH_SECONDS = 2;
const MOST_LISTED = 5;

const NAMES = { Replay: "Redelivery", Drain: "Sending what was held back" };

export async function redeliveryPage({ sql, workflowUrl }: SettingsDependencies, visit: Visit): Promise<View> {
  const redelivery = await readRedelivery(sql, visit.caller, visit.params.id!, workflowUrl);
  return {
    title: NAMES[redelivery.Kind],
    above: [
      { name: "Webhooks", path: "/settings/webhooks" },
      { name: "Its connection", path: `/settings/webhooks/${redelivery.ConnectionId}` },
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
  connectionId: string,
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
