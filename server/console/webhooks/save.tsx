// A connection's form, and its special parts for adding and deleting.

import { urlOf } from "../../platform/address.ts";
import { BadInput } from "../../platform/errors.ts";
import { EVENT_TYPES } from "../../records/index.ts";
import {
  ButtonLink,
  bodyOf,
  Checkbox,
  Code,
  ContractFields,
  type Effect,
  type FormState,
  formFields,
  formOf,
  formOfRecord,
  Hidden,
} from "../../ui/index.ts";
import { CONNECTION, type ConnectionRecord, generateSecret } from "../../webhooks/index.ts";
import type { ShownOnce } from "../once.ts";
import { type ConsoleServices, Done, messageView, type View, type Visit } from "../page.tsx";
import { titleOfConnection } from "../records/names.ts";

export const CONNECTIONS = "/settings/webhooks";
export const ABOVE = [{ name: "Webhooks", path: CONNECTIONS }];

export const aboveOf = (connection: ConnectionRecord) => [
  ...ABOVE,
  { name: titleOfConnection(connection), path: `${CONNECTIONS}/${connection.Id}` },
];

const ADDED = "The connection is added. It gets the next change.";

/** Whether to offer adding, checked with a blank connection. */
export function mayAddConnection(visit: Visit): boolean {
  const blank = { Id: "", Name: "", URL: "", Entities: [], Events: [], State: "Active" };
  return visit.may("Webhooks:Update") && visit.may("Webhooks:Create", "WebhookConnection", blank);
}

/** PATCH is an upsert in the REST API, so it may need either scope. */
export const WRITE = ["Webhooks:Create", "Webhooks:Update"] as const;

const FIELDS = formFields(CONNECTION);
/** A checkbox of the form only: the API creates no secret by itself. */
const UNSIGNED = "Unsigned";
export const NAMES = [...FIELDS, UNSIGNED];
const FIRST = ["Kind", "URL", "Entities", "Events", "Secret"];
const OTHERS = FIELDS.filter((name) => !FIRST.includes(name));
const SECTIONS = { "More settings": OTHERS.filter((name) => name !== "Name") };
/** A Pull connection has no calls. */
const OF_CALLS = ["URL", "ApiKey", "Headers", "SignByKey", "Compression"];
const LIMITS_OF_CALLS = ["TimeoutMs", "RatePerSecond", "MaxInFlight", "HoldAfter"];
const OF_PULL = FIELDS.filter((name) => ![...OF_CALLS, ...LIMITS_OF_CALLS].includes(name));

export function connectionForm(contract: ConsoleServices["connection"], record?: ConnectionRecord) {
  const isNew = record === undefined;
  const isPull = record?.Kind === "Pull";
  const shown = (names: string[]) =>
    names.filter((name) => isNew || (name !== "Kind" && (!isPull || OF_PULL.includes(name))));
  return {
    state: record ? formOfRecord(contract, FIELDS, record) : formOf({ Events: EVENT_TYPES }),
    fields: (state: FormState) => (
      <>
        {isNew ? "" : <Hidden name="Kind" value={record.Kind} />}
        <ContractFields contract={contract} names={shown(FIRST)} state={state} isNew={isNew} />
        {isNew && (
          <Checkbox
            state={state}
            name={UNSIGNED}
            label="Send without a signature"
            hint="The receiver then cannot verify the sender."
          />
        )}
        <ContractFields contract={contract} names={shown(OTHERS)} sections={SECTIONS} state={state} isNew={isNew} />
      </>
    ),
  };
}

/** The submitted connection. A new one is signed unless the user opts out. @throws BadInput */
export function connectionSent(contract: ConsoleServices["connection"], form: URLSearchParams, isNew: boolean) {
  const body = bodyOf(contract, !isNew && form.get("Kind") === "Pull" ? OF_PULL : FIELDS, form);
  if (!isNew) return body;
  if (form.get(UNSIGNED) !== "true") return { Secret: generateSecret(), ...body };
  if (body.Secret === undefined) return body;
  throw BadInput.in([{ Field: UNSIGNED, Message: "Secret is set above: clear it, or unselect this." }]);
}

/** Shows a new connection's secrets once. The ApiKey is hidden from visitors who may not read the connection. */
export function showMade(
  { once }: ConsoleServices,
  visit: Visit,
  { Id, ApiKey }: Partial<ConnectionRecord>,
  sent: Partial<ConnectionRecord> & { Secret?: string },
): Response {
  const isKeyMade = sent.Kind !== "Pull" && sent.ApiKey === undefined && !urlOf(sent.URL!).searchParams.get("ApiKey");
  const isSecretMade = sent.Secret !== undefined && !visit.form.get("Secret");
  const shown = {
    ...(isSecretMade && { Secret: sent.Secret }),
    ...(isKeyMade && ApiKey && { ApiKey }),
  } as ShownOnce;
  const path = `${CONNECTIONS}/${Id}`;
  if (Object.keys(shown).length === 0) return visit.goTo(`${path}/verify`, ADDED);
  return once.goTo(visit, `${path}/added`, shown);
}

const MEANINGS = new Map<string, string>(
  Object.entries({
    Secret: "The receiver verifies each call with it.",
    ApiKey: "Sent in each call's query. Give it to the receiver if it checks the ApiKey.",
  }),
);

export async function addedPage({ once, connections }: ConsoleServices, visit: Visit): Promise<View> {
  await connections.read(visit.caller, visit.params.id!);
  const path = `${CONNECTIONS}/${visit.params.id}`;
  const shown = Object.entries(once.take(visit) ?? {});
  return messageView({
    title: shown.length > 0 ? shown.map(([name]) => name).join(" and ") : "Shown already",
    above: [...ABOVE, { name: "The connection", path }],
    text:
      shown.length > 0 ? (
        <>
          <p class="notice" role="status">
            {ADDED}
          </p>
          <p>Store it now: it is not shown again.</p>
          <dl class="kept">
            {shown.map(([name, value]) => (
              <div>
                <dt safe>{name}</dt>
                <dd>
                  <Code kept text={value} />
                  <p class="hint" safe>
                    {MEANINGS.get(name)!}
                  </p>
                </dd>
              </div>
            ))}
          </dl>
        </>
      ) : (
        <p>Generated values are shown once. Replace the secret on the page Secret.</p>
      ),
    buttons: (
      <>
        <Done visit={visit} path={`${path}/verify`} label="Verify and test" />
        <ButtonLink href={visit.href(path)} label="Done" />
      </>
    ),
  });
}

/** @param waiting undefined: the visitor may not see it */
export function whatWaits(waiting: number | undefined): Effect {
  const decides = "All its waiting deliveries will be Cancelled";
  if (waiting === undefined) return `${decides}.`;
  return { text: `${decides}: ${waiting.toLocaleString("en")} now.`, decides };
}
