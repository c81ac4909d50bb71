// The form of a connection, as docs/behaviour.md "Connections" names its fields, and what is special about adding and
// deleting one.

import {
  ButtonLink,
  Code,
  ContractField,
  ContractFields,
  type FormState,
  formFields,
  formOf,
  formOfRecord,
} from "../../ui/index.ts";
import { CONNECTION, type ConnectionContract, type ConnectionRecord, EVENT_TYPES } from "../../webhooks/index.ts";
import type { View } from "../page.tsx";
import type { Visit } from "../visit.ts";
import { titleOf } from "./list.tsx";

export const CONNECTIONS = "/settings/webhooks";
export const ADDED = "The connection is added. The next change is sent to it.";

/** Whether to offer it; asked of a connection that says nothing yet. */
export function mayAddConnection(visit: Visit): boolean {
  const blank = { Id: "", Name: "", URL: "", Entities: [], Events: [], State: "Active" };
  return visit.may("Webhooks:Update") && visit.may("Webhooks:Create", "WebhookConnection", blank);
}

/** As the REST API's upsert: PATCH may come to either. */
export const WRITE = ["Webhooks:Create", "Webhooks:Update"] as const;

export const FIELDS = formFields(CONNECTION);
/** What most connections need; all the others stand below. */
const FIRST = ["URL", "Entities", "Events", "Secret", "Name"];
const MORE = FIELDS.filter((name) => !FIRST.includes(name));

export function connectionForm(contract: ConnectionContract, record?: ConnectionRecord) {
  const isNew = record === undefined;
  return {
    state: record ? formOfRecord(contract, FIELDS, record) : formOf({ Events: EVENT_TYPES }),
    fields: (state: FormState) => (
      <>
        <ContractFields contract={contract} names={FIRST} state={state} isNew={isNew} />
        <details
          class="more"
          // Open if there is something of it, or wrong with it.
          open={MORE.some((name) => !["", "None"].includes(state.value(name)) || state.problem(name))}
        >
          <summary>
            More settings{" "}
            <small safe>{MORE.map((name) => CONNECTION.fields[name as "Name"].form?.label).join(" · ")}</small>
          </summary>
          <div class="fields">
            {MORE.map((name) => (
              <ContractField contract={contract} name={name} state={state} isNew={isNew} />
            ))}
          </div>
        </details>
      </>
    ),
  };
}

/** No redirect: what is shown once has to be in the answer. Who may not read the connection does not see it. */
export function generatedApiKey(
  visit: Visit,
  { Id, ApiKey }: Partial<ConnectionRecord>,
  sent: Partial<ConnectionRecord>,
): View | undefined {
  const { Name = "", URL: address = "", ApiKey: given } = sent;
  const isGenerated = given === undefined && !new URL(address).searchParams.get("ApiKey");
  if (!isGenerated || !ApiKey) return undefined;
  return apiKeyPage(visit, `${CONNECTIONS}/${Id}`, titleOf({ Name, URL: address }), ApiKey);
}

/** An ApiKey that is made with a connection is shown this once. */
function apiKeyPage(visit: Visit, path: string, title: string, apiKey: string): View {
  return {
    title: "ApiKey",
    above: [
      { name: "Webhooks", path: CONNECTIONS },
      { name: title, path },
    ],
    body: (
      <div class="panel narrow stack">
        <p class="told" role="status">
          {ADDED}
        </p>
        <p>
          Each call has this ApiKey in its query. Give it to the receiver, if it is to know by it who calls. It is not
          shown again.
        </p>
        <p class="secret">
          <Code text={apiKey} copy />
        </p>
        <div class="buttons">
          <ButtonLink href={visit.href(path)} kind="main">
            Done
          </ButtonLink>
        </div>
      </div>
    ),
  };
}

/** @param waiting undefined: the visitor may not be told */
export function whatWaits(waiting: number | undefined): string {
  if (waiting === 0) return "Nothing waits for it now.";
  const many = waiting === undefined ? "Deliveries" : waiting.toLocaleString("en");
  const kind = waiting === 1 ? " delivery that waits" : waiting === undefined ? " that wait" : " deliveries that wait";
  return `${many}${kind} for it will be Cancelled.`;
}
