// Forms that first count the deliveries they are about, and then ask.

import type { Scope } from "../../records/index.ts";
import { Fields, Form, type FormState, formOf, Hiddens, refusedForm, Submit } from "../../ui/index.ts";
import type { ConnectionRecord } from "../../webhooks/index.ts";
import { type Confirmation, type ConsolePage, confirming, type View, type Visit } from "../page.tsx";
import { aboveOf, CONNECTIONS } from "./save.tsx";

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
  initial(visit: Visit): Record<string, string | string[]>;
  fields: Parameters<typeof Fields>[0]["fields"];
  /** The connection with the path's `:id`. @throws NotFound, Permission */
  read(visit: Visit): Promise<ConnectionRecord>;
  /** @param anew false: use the counts from the form */
  ask(visit: Visit, connection: ConnectionRecord, anew: boolean): Promise<Asked>;
  act(visit: Visit, asked: Asked): Promise<Response>;
}

export function countingPages<Asked extends AskedCount>(counting: Counting<Asked>): ConsolePage[] {
  const { title, lead = "", kind, needs, initial, fields, read, act } = counting;
  const names = Object.keys(fields);
  const path = `${CONNECTIONS}/:id/${counting.path}`;
  const confirmPath = `${path}/${counting.confirmPath}`;
  const ask = async (visit: Visit, anew: boolean) => counting.ask(visit, await read(visit), anew);

  /** @param shown the submitted form and its result */
  async function page(visit: Visit, shown: { state?: FormState; asked?: Asked } = {}): Promise<View> {
    const record = await read(visit);
    const { asked, state = formOf(initial(visit)) } = shown;
    const [action, confirmAction] = [path, confirmPath].map((one) => one.replace(":id", record.Id)) as [string, string];
    const hidden = Object.entries(asked?.fields ?? {}).filter(([name]) => !names.includes(name));
    return {
      title,
      above: aboveOf(record),
      status: shown.state && !asked ? 422 : 200,
      body: (
        <div class="panel narrow">
          {lead as "safe"}
          <Form visit={visit} action={action} state={state}>
            <Fields state={state} fields={fields} />
            {asked && (
              <p class="notice" role="status" safe>
                {String(asked.effects[0])}
              </p>
            )}
            <div class="buttons">
              <Submit
                label={asked ? "Count again" : "Count them"}
                kind={asked && asked.count !== 0 ? "plain" : "main"}
              />
              {asked && asked.count !== 0 && (
                <>
                  <Hiddens fields={{ ...Object.fromEntries(hidden), shown: visit.seal(confirmAction, asked) }} />
                  <Submit label={asked.confirm} kind={kind} formaction={visit.href(confirmAction)} />
                </>
              )}
            </div>
          </Form>
        </div>
      ),
    };
  }

  const refused = (visit: Visit) => (error: unknown) => page(visit, { state: refusedForm(visit.form, error, fields) });
  const typed = ({ form }: Visit) => formOf(Object.fromEntries(names.map((name) => [name, form.getAll(name)])));
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
