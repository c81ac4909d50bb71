// Forms that first count the deliveries they are about, and then ask.

import type { Scope } from "../../records/index.ts";
import { Form, type FormState, formOf, Hiddens, type Labels, refusedForm } from "../../ui/index.ts";
import type { ConnectionRecord } from "../../webhooks/index.ts";
import { type Confirmation, type ConsolePage, confirming, type View } from "../page.tsx";
import { titleOfConnection } from "../records/names.ts";
import type { Visit } from "../visit.ts";
import { CONNECTIONS } from "./save.tsx";

export interface AskedCount extends Confirmation {
  /** null: the visitor may not see it. */
  count: number | null;
  fields: Readonly<Record<string, string | string[]>>;
}

interface Counting<Asked extends AskedCount> {
  title: string;
  lead?: JSX.Element;
  /** Below a connection's path: of the form, and, below that, of the confirmation. */
  path: string;
  confirmPath: string;
  kind: "main" | "danger";
  needs: readonly Scope[];
  labels: Labels;
  initial(visit: Visit): Record<string, string | string[]>;
  fields(state: FormState): JSX.Element;
  /** The connection with the path's `:id`. @throws NotFound, Permission */
  read(visit: Visit): Promise<ConnectionRecord>;
  /** @param anew false: use the counts from the form */
  ask(visit: Visit, connection: ConnectionRecord, anew: boolean): Promise<Asked>;
  act(visit: Visit, asked: Asked): Promise<Response>;
}

export function countingPages<Asked extends AskedCount>(counting: Counting<Asked>): ConsolePage[] {
  const { title, lead = "", kind, needs, labels, initial, fields, read, act } = counting;
  const path = `${CONNECTIONS}/:id/${counting.path}`;
  const confirmPath = `${path}/${counting.confirmPath}`;
  const ask = async (visit: Visit, anew: boolean) => counting.ask(visit, await read(visit), anew);

  /** @param shown the submitted form and its result */
  async function page(visit: Visit, shown: { state?: FormState; asked?: Asked } = {}): Promise<View> {
    const record = await read(visit);
    const { asked, state = formOf(initial(visit)) } = shown;
    const [action, confirmAction] = [path, confirmPath].map((one) => one.replace(":id", record.Id)) as [string, string];
    const hidden = Object.entries(asked?.fields ?? {}).filter(([name]) => !Object.hasOwn(labels, name));
    return {
      title,
      above: [
        { name: "Webhooks", path: CONNECTIONS },
        { name: titleOfConnection(record), path: `${CONNECTIONS}/${record.Id}` },
      ],
      status: shown.state && !asked ? 422 : 200,
      body: (
        <div class="panel narrow">
          {lead as "safe"}
          <Form visit={visit} action={action} state={state}>
            {fields(state) as "safe"}
            {asked && (
              <p class="notice" role="status" safe>
                {String(asked.effects[0])}
              </p>
            )}
            <div class="buttons">
              <button type="submit" class={asked && asked.count !== 0 ? "plain" : "main"}>
                {asked ? "Count again" : "Count them"}
              </button>
              {asked && asked.count !== 0 && (
                <>
                  <Hiddens fields={{ ...Object.fromEntries(hidden), shown: visit.seal(confirmAction, asked) }} />
                  <button type="submit" class={kind} formaction={visit.href(confirmAction)} safe>
                    {asked.confirm}
                  </button>
                </>
              )}
            </div>
          </Form>
        </div>
      ),
    };
  }

  const refused = (visit: Visit) => (error: unknown) =>
    page(visit, { state: refusedForm(visit.form, error, Object.keys(labels), labels) });
  const typed = ({ form }: Visit) =>
    formOf(Object.fromEntries(Object.keys(labels).map((name) => [name, form.getAll(name)])));
  const confirmation = confirming<Asked>({ path: confirmPath, needs, ask, act });
  return [
    {
      path,
      GET: { needs, answer: (visit) => page(visit) },
      POST: {
        needs,
        answer: (visit) =>
          ask(visit, true).then((asked) => page(visit, { state: typed(visit), asked }), refused(visit)),
      },
    },
    {
      ...confirmation,
      POST: { needs, answer: (visit) => confirmation.POST!.answer(visit).catch(refused(visit)) },
    },
  ];
}

/** @param of ends the sentence, such as `would be sent again` */
export function howMany(count: number | null, none: string, of: string): string {
  if (count === null) return "Only users who may read every event see the number.";
  if (count === 0) return none;
  return `${count.toLocaleString("en")} ${count === 1 ? "delivery" : "deliveries"} ${of}`;
}
