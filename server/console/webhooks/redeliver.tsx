// Sending a connection's deliveries again: first how many these are, then the redelivery itself.

import { CheckboxGroup, Form, type FormState, formOf, momentInUtc, refusedForm, TextField } from "../../ui/index.ts";
import { DEFAULT_RATE, MOST_RATE, REPLAY_DATA, REPLAYED_STATES, toConnectionId } from "../../webhooks/index.ts";
import type { SettingsDependencies, View } from "../page.tsx";
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

/** @param shown the form as it was sent, and how many deliveries it means */
export async function redeliverPage(
  { connections }: SettingsDependencies,
  visit: Visit,
  shown: { state?: FormState; count?: number | null } = {},
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
    status: shown.state && count === undefined ? 422 : 200,
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
      const { Count: count } = await deps.redeliveries.count(caller, input);
      return redeliverPage(deps, visit, { state: sentForm(form), count });
    }
    const { Id, Reason } = await deps.redeliveries.create(caller, input, body);
    const told = Reason ? "The redelivery is made, and waits." : "The redelivery has begun.";
    return visit.goTo(`/settings/redeliveries/${Id}`, `${told} You can leave this page.`);
  } catch (error) {
    return redeliverPage(deps, visit, { state: refusedForm(form, error, FIELDS, LABELS) });
  }
}

/** The form as it was sent, with nothing wrong in it. */
function sentForm(form: URLSearchParams): FormState {
  return formOf(Object.fromEntries(FIELDS.map((name) => [name, form.getAll(name)])));
}
