// Adding a connection, changing and deleting one (docs/behaviour.md "Connections").

import { Conflict } from "../../errors.ts";
import { etagOf, UNCONDITIONAL } from "../../http/conditions.ts";
import {
  ButtonLink,
  bodyOf,
  Code,
  ContractField,
  ContractForm,
  type ContractFormProps,
  type FormState,
  formFields,
  formOf,
  formOfRecord,
  phrase,
  refusedForm,
} from "../../ui/index.ts";
import {
  CONNECTION,
  EVENT_TYPES,
  readConnection,
  removeConnection,
  toConnectionId,
  upsertConnection,
} from "../../webhooks/index.ts";
import { confirmation, type SettingsDependencies, type View } from "../page.tsx";
import type { Visit } from "../visit.ts";
import { readHealth } from "./health.tsx";
import { addressOf, titleOf } from "./list.tsx";

const PATH = "/settings/webhooks/add";
const BACK = "/settings/webhooks";

/** Whether to offer it; asked of a connection that says nothing yet. */
export function mayAddConnection(visit: Visit): boolean {
  const blank = { Id: "", Name: "", URL: "", Entities: [], Events: [], State: "Active" };
  return visit.may("Webhooks:Update") && visit.may("Webhooks:Create", "WebhookConnection", blank);
}

export function addPage(deps: SettingsDependencies, visit: Visit, state?: FormState): View {
  return {
    title: "Add Webhook Connection",
    above: [{ name: "Webhooks", path: BACK }],
    status: state ? 422 : 200,
    body: (
      <ConnectionForm
        visit={visit}
        state={state ?? formOf({ Events: EVENT_TYPES })}
        contract={deps.connection}
        action={PATH}
        back={BACK}
        label="Add connection"
      />
    ),
  };
}

/** An ApiKey that is made here is shown this once. */
export async function addConnection(deps: SettingsDependencies, visit: Visit): Promise<View | Response> {
  const { sql, masterKey, connection } = deps;
  try {
    const body = bodyOf(connection, FIELDS, visit.form);
    const input = connection.parse(body);
    // An upsert by Name would change the connection that has it.
    const isNew = { ...UNCONDITIONAL, ifNoneMatch: "*" } as const;
    const { record } = await upsertConnection(sql, masterKey, visit.permitted(...WRITE), input, isNew, body).catch(
      asTakenName,
    );
    const path = `${BACK}/${record.Id}`;
    const address = String(body.URL);
    const isGenerated = input.ApiKey === undefined && !new URL(address).searchParams.get("ApiKey");
    // No redirect: what is shown once has to be in the answer. Who may not read the connection does not see it.
    if (isGenerated && record.ApiKey)
      return apiKeyPage(visit, path, titleOf({ Name: String(body.Name), URL: address }), String(record.ApiKey));
    return visit.goTo(path, "The connection is added. The next change is sent to it.");
  } catch (error) {
    return addPage(deps, visit, refusedForm(visit.form, error, FIELDS));
  }
}

function apiKeyPage(visit: Visit, path: string, title: string, apiKey: string): View {
  return {
    title: "ApiKey",
    above: [
      { name: "Webhooks", path: BACK },
      { name: title, path },
    ],
    body: (
      <div class="panel narrow stack">
        <p class="told" role="status">
          The connection is added. The next change is sent to it.
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

function asTakenName(error: unknown): never {
  if ((error as { status?: number }).status === 412) throw new Conflict("Name is held by another connection.");
  throw error;
}

export async function changePage(deps: SettingsDependencies, visit: Visit, refused?: FormState): Promise<View> {
  const { sql, masterKey, connection } = deps;
  const { record, version } = await readConnection(sql, masterKey, visit.caller, toConnectionId(visit.params.id!));
  const path = `/settings/webhooks/${record.Id}`;
  return {
    title: "Change connection",
    above: [
      { name: "Webhooks", path: "/settings/webhooks" },
      { name: titleOf(record), path },
    ],
    status: refused ? 422 : 200,
    body: (
      <ConnectionForm
        visit={visit}
        contract={connection}
        state={refused ?? formOfRecord(connection, FIELDS, record)}
        action={`${path}/change`}
        back={path}
        label="Save"
        // Who is told that somebody else was faster goes on with what there is now.
        version={etagOf(version)}
      />
    ),
  };
}

export async function changeConnection(deps: SettingsDependencies, visit: Visit): Promise<View | Response> {
  const { sql, masterKey, connection } = deps;
  const { form, params } = visit;
  try {
    const body = { ...bodyOf(connection, FIELDS, form), Id: params.id };
    const input = connection.parse(body);
    const unchanged = { ...UNCONDITIONAL, ifMatch: [form.get("version") ?? ""] };
    const { record } = await upsertConnection(sql, masterKey, visit.permitted(...WRITE), input, unchanged, body);
    return visit.goTo(`/settings/webhooks/${record.Id}`, "The connection is changed.");
  } catch (error) {
    return changePage(deps, visit, refusedForm(form, error, FIELDS));
  }
}

export async function deletePage({ sql, masterKey }: SettingsDependencies, visit: Visit): Promise<View> {
  const { caller, params } = visit;
  const { record } = await readConnection(sql, masterKey, caller, toConnectionId(params.id!));
  caller.permissions.require("Webhooks:Delete", "WebhookConnection", record);
  const [health] = await readHealth(sql, caller, [record.Id]);
  const path = `/settings/webhooks/${record.Id}`;
  return confirmation({
    visit,
    title: "Delete this connection?",
    above: [
      { name: "Webhooks", path: "/settings/webhooks" },
      { name: titleOf(record), path },
    ],
    effects: [
      phrase`${addressOf(record.URL)} gets no more events.`,
      whatWaits(health && health.open + health.held),
      "Its secret and its ApiKey are gone. A new connection has new ones.",
      "What it got stays in the activity log.",
    ],
    label: "Delete connection",
    action: `${path}/delete`,
    back: path,
  });
}

export async function deleteTheConnection({ sql, masterKey }: SettingsDependencies, visit: Visit): Promise<Response> {
  const { record } = await removeConnection(
    sql,
    masterKey,
    visit.permitted("Webhooks:Delete"),
    toConnectionId(visit.params.id!),
    UNCONDITIONAL,
  );
  // Who may not read it is told its Id alone.
  const receiver = record.URL === undefined ? record.Id : addressOf(record.URL);
  return visit.goTo("/settings/webhooks", phrase`The connection to ${receiver} is deleted.`);
}

/** @param waiting undefined: the visitor may not be told */
function whatWaits(waiting: number | undefined): string {
  if (waiting === 0) return "Nothing waits for it now.";
  const many = waiting === undefined ? "Deliveries" : waiting.toLocaleString("en");
  const kind = waiting === 1 ? " delivery that waits" : waiting === undefined ? " that wait" : " deliveries that wait";
  return `${many}${kind} for it will be Cancelled.`;
}

// The form of a connection, as docs/behaviour.md "Connections" names its fields.

/** As the REST API's upsert: PATCH may come to either. */
export const WRITE = ["Webhooks:Create", "Webhooks:Update"] as const;

const FIELDS = formFields(CONNECTION);
/** What most connections need; all the others stand below. */
const FIRST = ["URL", "Entities", "Events", "Secret", "Name"];
const MORE = FIELDS.filter((name) => !FIRST.includes(name));

export type ConnectionFormProps = Omit<ContractFormProps, "names" | "children">;

function ConnectionForm(props: ConnectionFormProps): JSX.Element {
  const { contract, state, version } = props;
  // Open if there is something of it, or wrong with it.
  const isOpen = MORE.some((name) => !["", "None"].includes(state.value(name)) || state.problem(name));
  return (
    <ContractForm {...props} names={FIRST}>
      <details class="more" open={isOpen}>
        <summary>
          More settings{" "}
          <small safe>{MORE.map((name) => CONNECTION.fields[name as "Name"].form?.label).join(" · ")}</small>
        </summary>
        <div class="fields">
          {MORE.map((name) => (
            <ContractField contract={contract} name={name} state={state} isNew={version === undefined} />
          ))}
        </div>
      </details>
    </ContractForm>
  );
}
