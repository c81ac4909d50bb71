// Sending a connection's deliveries again: first how many these are, then the redelivery itself.

import type { Shown } from "../../signin/index.ts";
import { CheckboxGroup, Form, type FormState, formOf, momentInUtc, refusedForm, TextField } from "../../ui/index.ts";
import {
  type ConnectionRecord,
  DEFAULT_RATE,
  MOST_RATE,
  REPLAY_DATA,
  REPLAYED_STATES,
  toConnectionId,
} from "../../webhooks/index.ts";
import { Changed, type SettingsDependencies, type View } from "../page.tsx";
import { titleOfConnection } from "../records/names.ts";
import type { Visit } from "../visit.ts";

const LABELS = {
  From: "Events from",
  To: "Events before",
  States: "Deliveries that are",
  Rate: "Deliveries a second",
};
const FIELDS = Object.keys(LABELS);
const DAY_MS = 86_400_000;

/** @param shown the form as it was sent, how many deliveries it means, and the seal of both */
export async function redeliverPage(
  { connections }: SettingsDependencies,
  visit: Visit,
  shown: { state?: FormState; count?: number | null; seal?: string; hasChanged?: boolean } = {},
): Promise<View> {
  const { record } = await connections.read(visit.caller, toConnectionId(visit.params.id!));
  const asked = Date.parse(visit.url.searchParams.get("From") ?? "");
  const yesterday = new Date(asked || Date.now() - DAY_MS).toISOString().slice(0, 16);
  const { count, state = formOf({ From: yesterday, States: ["Exhausted"], Rate: String(DEFAULT_RATE) }) } = shown;
  const isSendable = count !== undefined && count !== 0;
  return {
    title: "Redeliver",
    above: [
      { name: "Webhooks", path: "/settings/webhooks" },
      { name: titleOfConnection(record), path: `/settings/webhooks/${record.Id}` },
    ],
    status: shown.hasChanged ? 409 : shown.state && count === undefined ? 422 : 200,
    body: (
      <div class="panel narrow">
        <Form visit={visit} action={`/settings/webhooks/${record.Id}/redeliver`} state={state}>
          <TextField
            state={state}
            name="From"
            label={LABELS.From}
            type="datetime-local"
            hint="What happened then or later."
            required
          />
          <TextField
            state={state}
            name="To"
            label={LABELS.To}
            type="datetime-local"
            hint="Empty: until now."
            required={false}
          />
          <CheckboxGroup
            state={state}
            name="States"
            label={LABELS.States}
            options={REPLAYED_STATES.map((value) => ({ value, label: value }))}
          />
          <TextField
            state={state}
            name="Rate"
            label={LABELS.Rate}
            type="number"
            hint={`From 1 to ${MOST_RATE}; they go in the order of their events.`}
            required
          />
          {shown.hasChanged ? <Changed /> : ""}
          {count === undefined ? "" : <Count count={count} />}
          {isSendable ? <input type="hidden" name="shown" value={shown.seal} /> : ""}
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
    // What happens after the count is not counted, so it is not sent either.
    const to = momentInUtc(form.get("To") ?? "") || endOfSecond();
    const body = {
      ConnectionId: params.id,
      From: momentInUtc(form.get("From") ?? ""),
      To: to,
      States: form.getAll("States"),
      Rate: rate ? Number(rate) : DEFAULT_RATE,
    };
    const input = REPLAY_DATA.parse(body);
    const caller = visit.permitted("Webhooks:Create");
    const { record } = await deps.connections.read(visit.caller, toConnectionId(params.id!));
    const { Count: count } = await deps.redeliveries.count(caller, input);
    const shown = shownOf(record, body, count);
    const isSent = form.get("step") === "send";
    if (!isSent || !visit.hasShown(shown)) {
      return redeliverPage(deps, visit, {
        state: sentForm(form, to),
        count,
        seal: visit.seal(shown),
        hasChanged: isSent,
      });
    }
    const { Id, Reason } = await deps.redeliveries.create(caller, input, body);
    const told = Reason ? "The redelivery is made, and waits." : "The redelivery has begun.";
    return visit.goTo(`/settings/redeliveries/${Id}`, `${told} You can leave this page.`);
  } catch (error) {
    return redeliverPage(deps, visit, { state: refusedForm(form, error, FIELDS, LABELS) });
  }
}

const endOfSecond = () => new Date(Math.ceil(Date.now() / 1000) * 1000).toISOString();

/** What is sent again, and where; times as the form has them, to the second. */
function shownOf({ Id, Name, URL }: Partial<ConnectionRecord>, body: Planned, count: number | null): Shown {
  const [from, to] = [body.From, body.To].map((text) => Math.floor(Date.parse(text) / 1000));
  return ["redelivery", Id, Name, URL, from, to, body.States, body.Rate, count];
}

interface Planned {
  From: string;
  To: string;
  States: string[];
  Rate: number;
}

/** The form as it was sent, with nothing wrong in it. */
function sentForm(form: URLSearchParams, to: string): FormState {
  return formOf({ ...Object.fromEntries(FIELDS.map((name) => [name, form.getAll(name)])), To: to });
}
