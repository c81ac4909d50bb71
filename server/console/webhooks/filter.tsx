// A connection's tab Filter: a filter is tried on stored events, and saved afterwards.

import { UNCONDITIONAL } from "../../platform/http/conditions.ts";
import {
  ButtonLink,
  type Column,
  EmptyState,
  Form,
  type FormState,
  formOf,
  refusedForm,
  Section,
  Submit,
  Table,
  Text,
  TextField,
  Time,
} from "../../ui/index.ts";
import type { ConnectionRecord, WebhookServices } from "../../webhooks/index.ts";
import { titleOfEvent } from "../activity/list.tsx";
import { EventLink, namesOfEvents } from "../activity/record.tsx";
import { type ConsolePage, type ConsoleServices, handlersOf, type View, type Visit } from "../page.tsx";
import { titleOfConnection } from "../records/names.ts";
import { ABOVE, CONNECTIONS, WRITE } from "./save.tsx";

const NEEDS = ["Webhooks:Read", "Webhooks:Update"] as const;
const SAVED = "The filter is saved. It applies to changes from now on.";
const REMOVED = "The filter is removed. All subscribed changes are sent.";

export function filterPage(deps: ConsoleServices): ConsolePage {
  const on = handlersOf(deps);
  return {
    path: `${CONNECTIONS}/:id/filter`,
    tab: "Filter",
    GET: on(["Webhooks:Read"], openPage),
    POST: on([...NEEDS, ...WRITE], submitted),
  };
}

async function openPage({ connections }: ConsoleServices, visit: Visit): Promise<View> {
  const { record } = await connections.read(visit.caller, visit.params.id!);
  return page(visit, record, formOf({ Filter: record.Filter ?? "" }));
}

async function submitted(deps: ConsoleServices, visit: Visit): Promise<View | Response> {
  const { connection, connections, filterTrials } = deps;
  const { record } = await connections.read(visit.caller, visit.params.id!);
  const { form } = visit;
  try {
    const { Filter } = filterTrials.contract.parse({ Filter: form.get("Filter") || null });
    if (form.get("ask") === "save") {
      const body = { Id: record.Id, Filter };
      await connections.save(visit.permitted(...WRITE), connection.parse(body), UNCONDITIONAL, body);
      return visit.goTo(`${CONNECTIONS}/${record.Id}`, Filter ? SAVED : REMOVED);
    }
    const trial = await filterTrials.try(visit.permitted(...NEEDS), record.Id, Filter);
    const name = await namesOfEvents(visit, trial.Events);
    const titles = new Map(trial.Events.map((event) => [event.EventId, titleOfEvent(event, name)]));
    return page(visit, record, formOf({ Filter: Filter ?? "" }), { trial, titles });
  } catch (error) {
    return { ...page(visit, record, refusedForm(form, error, ["Filter"])), status: 422 };
  }
}

interface Tried {
  trial: Awaited<ReturnType<WebhookServices["filterTrials"]["try"]>>;
  titles: ReadonlyMap<string, string>;
}

function page(visit: Visit, record: ConnectionRecord, state: FormState, tried?: Tried): View {
  const mayChange = visit.may("Webhooks:Update", "WebhookConnection", record);
  return {
    title: titleOfConnection(record),
    above: ABOVE,
    body: (
      <>
        {tried ? <Outcome visit={visit} tried={tried} /> : ""}
        <div class="panel">
          <Form visit={visit} action={`${CONNECTIONS}/${record.Id}/filter`} state={state}>
            <TextField
              state={state}
              name="Filter"
              label="Filter"
              rows={5}
              code
              required={false}
              readonly={!mayChange}
              hint={
                "A Cedar expression; only changes for which it is true are sent. Empty: all subscribed changes. For example: " +
                'context.changed.contains("Name") && resource.Name like "keep*"'
              }
            />
            <div class="buttons">
              {mayChange && (
                <Submit label="Try it on stored events" kind={tried ? "plain" : "main"} name="ask" value="try" />
              )}
              {mayChange && tried ? <Submit label="Save filter" name="ask" value="save" /> : ""}
              <ButtonLink href={visit.href(`${CONNECTIONS}/${record.Id}`)} label="Back" />
            </div>
          </Form>
        </div>
      </>
    ),
  };
}

function Outcome({ visit, tried: { trial, titles } }: { visit: Visit; tried: Tried }): JSX.Element {
  const { Tried, Sent, Failed, Events } = trial;
  const columns: Column<(typeof Events)[number]>[] = [
    { name: "Event", cell: ({ EventId }) => <EventLink visit={visit} id={EventId} text={titles.get(EventId)!} /> },
    { name: "Happened", cell: ({ Timestamp }) => <Time at={Timestamp} ago /> },
  ];
  return (
    <Section title="Result">
      <p role="status">
        <strong safe>{`${count(Sent)} of the last ${count(Tried)} events`}</strong>
        {Failed > 0 ? <Text text={`. It fails for ${count(Failed)} of them, so it cannot be saved.`} /> : "."}
      </p>
      {Events.length > 0 ? (
        <Table caption="Events that it would have sent" columns={columns} rows={Events} />
      ) : (
        <EmptyState
          title="None of the stored events"
          text={Tried > 0 ? "No stored event matches." : "No subscribed event is stored yet."}
        />
      )}
      {Sent > Events.length ? <p safe>{`The newest ${count(Events.length)} are shown.`}</p> : ""}
    </Section>
  );
}

const count = (number: number) => number.toLocaleString("en");
