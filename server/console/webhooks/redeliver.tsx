// Resends a connection's deliveries: first counts them, then starts the redelivery.

import { readDate } from "../../http/dates.ts";
import {
  CheckboxGroup,
  Form,
  type FormState,
  formOf,
  Hiddens,
  momentInUtc,
  refusedForm,
  TextField,
} from "../../ui/index.ts";
import {
  type ConnectionRecord,
  DEFAULT_RATE,
  MAX_RATE,
  REPLAY_DATA,
  REPLAYED_STATES,
  type ReplayInput,
  toConnectionId,
} from "../../webhooks/index.ts";
import { type Confirmation, type ConsolePage, type ConsoleServices, confirming, type View } from "../page.tsx";
import { addressOf, titleOfConnection } from "../records/names.ts";
import type { Visit } from "../visit.ts";

const LABELS = {
  From: "Events from",
  To: "Events before",
  States: "Deliveries in state",
  Rate: "Deliveries a second",
};
const FIELDS = Object.keys(LABELS);
const DAY_MS = 86_400_000;
const pathOf = (id: string) => `/settings/webhooks/${id}/redeliver`;

/** @param shown the submitted form and its result */
export async function redeliverPage(
  { connections }: ConsoleServices,
  visit: Visit,
  shown: { state?: FormState; asked?: AskedReplay } = {},
): Promise<View> {
  const { record } = await connections.read(visit.caller, toConnectionId(visit.params.id!));
  const asked = Date.parse(visit.url.searchParams.get("From") ?? "");
  const yesterday = new Date(asked || Date.now() - DAY_MS).toISOString().slice(0, 16);
  const { asked: counted, state = formOf({ From: yesterday, States: ["Exhausted"], Rate: String(DEFAULT_RATE) }) } =
    shown;
  const count = counted?.count;
  const sending = `${pathOf(record.Id)}/send`;
  return {
    title: "Redeliver",
    above: [
      { name: "Webhooks", path: "/settings/webhooks" },
      { name: titleOfConnection(record), path: `/settings/webhooks/${record.Id}` },
    ],
    status: shown.state && !counted ? 422 : 200,
    body: (
      <div class="panel narrow">
        <Form visit={visit} action={pathOf(record.Id)} state={state}>
          <TextField
            state={state}
            name="From"
            label={LABELS.From}
            type="datetime-local"
            hint="Events at that time or later."
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
            hint={`From 1 to ${MAX_RATE}, in the order of their events.`}
            required
          />
          {count === undefined ? "" : <Count count={count} />}
          <div class="buttons">
            <button type="submit" class={counted && count !== 0 ? "plain" : "main"}>
              {count === undefined ? "Count them" : "Count again"}
            </button>
            {counted && count !== 0 ? (
              <>
                <Hiddens fields={{ AsOf: counted.fields.AsOf, shown: visit.seal(sending, counted) }} />
                <button type="submit" class="main" formaction={visit.href(sending)}>
                  Send them again
                </button>
              </>
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
  return (
    <p class="told" role="status" safe>
      {howMany(count)}
    </p>
  );
}

function howMany(count: number | null): string {
  if (count === null) return "Only users who may read every event see the number.";
  if (count === 0) return "No matching deliveries.";
  return `${count.toLocaleString("en")} ${count === 1 ? "delivery would be" : "deliveries would be"} sent again.`;
}

export async function countThem(deps: ConsoleServices, visit: Visit): Promise<View> {
  const { form } = visit;
  try {
    return await redeliverPage(deps, visit, { state: sentForm(form), asked: await askToSend(deps, visit, true) });
  } catch (error) {
    return redeliverPage(deps, visit, { state: refusedForm(form, error, FIELDS, LABELS) });
  }
}

/** Resends the counted deliveries, without later ones. */
export function sendPage(deps: ConsoleServices): ConsolePage {
  const needs = ["Webhooks:Create"] as const;
  const page = confirming<AskedReplay>({
    path: `${pathOf(":id")}/send`,
    needs,
    ask: (visit, anew) => askToSend(deps, visit, anew),
    async act(visit, { input, body, asOf }) {
      const { Id, Reason } = await deps.redeliveries.create(visit.permitted(...needs), input, body, asOf);
      const told = Reason ? "The redelivery is created and waiting." : "The redelivery has started.";
      return visit.goTo(`/settings/redeliveries/${Id}`, `${told} You can leave this page.`);
    },
  });
  return {
    ...page,
    POST: {
      needs,
      answer: (visit) =>
        page.POST!.answer(visit).catch((error) => {
          return redeliverPage(deps, visit, { state: refusedForm(visit.form, error, FIELDS, LABELS) });
        }),
    },
  };
}

interface AskedReplay extends Confirmation {
  input: ReplayInput;
  body: object;
  count: number | null;
  asOf: Date;
  fields: { From: string; To: string; States: string[]; Rate: string; AsOf: string };
}

async function askToSend(deps: ConsoleServices, visit: Visit, anew: boolean): Promise<AskedReplay> {
  const { form, params } = visit;
  const rate = form.get("Rate")?.trim();
  const body = {
    ConnectionId: params.id,
    From: momentInUtc(form.get("From") ?? ""),
    To: momentInUtc(form.get("To") ?? ""),
    States: form.getAll("States"),
    Rate: rate ? Number(rate) : DEFAULT_RATE,
  };
  const input = REPLAY_DATA.parse(body);
  const { record } = await deps.connections.read(visit.caller, toConnectionId(params.id!));
  const { count, skipped, asOf } = await deps.redeliveries.preview(
    visit.permitted("Webhooks:Create"),
    input,
    anew ? undefined : readDate(form.get("AsOf") ?? ""),
  );
  const back = pathOf(params.id!);
  return {
    input,
    body,
    count,
    asOf,
    back,
    title: "Send them again?",
    above: [{ name: "Redeliver", path: back }],
    effects: [
      howMany(count),
      ...(skipped ? [`${skipped.toLocaleString("en")} more are left out: their payloads were removed.`] : []),
      `They go to ${addressOf(record.URL)}, each with all its attempts, in the order of their events.`,
    ],
    confirm: "Send them again",
    keep: "Send none",
    fields: {
      From: input.From!.toISOString(),
      To: input.To?.toISOString() ?? "",
      States: body.States,
      Rate: String(body.Rate),
      AsOf: asOf.toISOString(),
    },
    basis: receiverOf(record),
  };
}

/** The receiver that a redelivery depends on: its address and identity. */
export const receiverOf = ({ Name, URL, ApiKey }: ConnectionRecord) => [Name, URL, ApiKey];

/** The submitted form without problems. */
function sentForm(form: URLSearchParams): FormState {
  return formOf(Object.fromEntries(FIELDS.map((name) => [name, form.getAll(name)])));
}
