// Gives up a connection's held deliveries: first counts them, then cancels them.

import { Form, type FormState, formOf, Hiddens, momentInUtc, refusedForm, TextField } from "../../ui/index.ts";
import { DISCARD, type DiscardInput, toConnectionId } from "../../webhooks/index.ts";
import { type Confirmation, type ConsolePage, type ConsoleServices, confirming, type View } from "../page.tsx";
import { titleOfConnection } from "../records/names.ts";
import type { Visit } from "../visit.ts";
import { CONNECTIONS } from "./save.tsx";

const NEEDS = ["Webhooks:Update"] as const;
const LABELS = { Before: "Events before" };
const pathOf = (id: string) => `${CONNECTIONS}/${id}/discard`;

interface AskedDiscard extends Confirmation {
  input: DiscardInput;
  count: number | null;
  fields: { Before: string };
}

/** @param shown the submitted form and its result */
async function discardPage(
  { connections }: ConsoleServices,
  visit: Visit,
  shown: { state?: FormState; asked?: AskedDiscard } = {},
): Promise<View> {
  const { record } = await connections.read(visit.caller, toConnectionId(visit.params.id!));
  const { asked, state = formOf({ Before: new Date().toISOString().slice(0, 16) }) } = shown;
  const confirming = `${pathOf(record.Id)}/confirm`;
  return {
    title: "Discard",
    above: [
      { name: "Webhooks", path: CONNECTIONS },
      { name: titleOfConnection(record), path: `${CONNECTIONS}/${record.Id}` },
    ],
    status: shown.state && !asked ? 422 : 200,
    body: (
      <div class="panel narrow">
        <p>Held deliveries wait until the connection takes posts again, however long. Here you give old ones up.</p>
        <Form visit={visit} action={pathOf(record.Id)} state={state}>
          <TextField
            state={state}
            name="Before"
            label={LABELS.Before}
            type="datetime-local"
            hint="Held deliveries of events before that time."
            required
          />
          {asked ? (
            <p class="told" role="status" safe>
              {howMany(asked.count)}
            </p>
          ) : (
            ""
          )}
          <div class="buttons">
            <button type="submit" class={asked && asked.count !== 0 ? "plain" : "main"}>
              {asked ? "Count again" : "Count them"}
            </button>
            {asked && asked.count !== 0 ? (
              <>
                <Hiddens fields={{ shown: visit.seal(confirming, asked) }} />
                <button type="submit" class="danger" formaction={visit.href(confirming)}>
                  Give them up
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

function howMany(count: number | null): string {
  if (count === null) return "The number is visible only to users who may read every event.";
  if (count === 0) return "No held delivery is that old.";
  return `${count.toLocaleString("en")} ${count === 1 ? "delivery" : "deliveries"} would be cancelled.`;
}

async function askToDiscard({ connections, discard }: ConsoleServices, visit: Visit): Promise<AskedDiscard> {
  const Before = momentInUtc(visit.form.get("Before") ?? "");
  const input = DISCARD.parse({ Before });
  const id = toConnectionId(visit.params.id!);
  const { record } = await connections.read(visit.caller, id);
  const { Count } = await discard(visit.permitted(...NEEDS), id, { ...input, DryRun: true });
  return {
    input,
    count: Count,
    title: "Give them up?",
    above: [{ name: "Discard", path: pathOf(id) }],
    effects: [howMany(Count), "They are not sent, unless you send them again later while their payloads are kept."],
    confirm: "Give them up",
    keep: "Keep them",
    fields: { Before: input.Before.toISOString() },
    basis: [record.Name, record.URL],
    back: `${CONNECTIONS}/${id}`,
  };
}

export function discardPages(deps: ConsoleServices): ConsolePage[] {
  const refused = (visit: Visit) => (error: unknown) =>
    discardPage(deps, visit, { state: refusedForm(visit.form, error, Object.keys(LABELS), LABELS) });
  const confirmPage = confirming<AskedDiscard>({
    path: `${pathOf(":id")}/confirm`,
    needs: NEEDS,
    ask: (visit) => askToDiscard(deps, visit),
    async act(visit, { input, back }) {
      let done = 0;
      for (let left = 1; left > 0; ) {
        const { Count, Left } = await deps.discard(visit.permitted(...NEEDS), toConnectionId(visit.params.id!), input);
        done += Count ?? 0;
        left = Left ?? 0;
      }
      const many = done === 0 ? "The" : done.toLocaleString("en");
      return visit.goTo(back, `${many} held deliveries were given up.`);
    },
  });
  return [
    {
      path: pathOf(":id"),
      GET: { needs: NEEDS, answer: (visit) => discardPage(deps, visit) },
      POST: {
        needs: NEEDS,
        async answer(visit) {
          try {
            const asked = await askToDiscard(deps, visit);
            const state = formOf({ Before: visit.form.get("Before") ?? "" });
            return await discardPage(deps, visit, { state, asked });
          } catch (error) {
            return refused(visit)(error);
          }
        },
      },
    },
    {
      ...confirmPage,
      POST: { needs: NEEDS, answer: (visit) => confirmPage.POST!.answer(visit).catch(refused(visit)) },
    },
  ];
}
