// Adds an application together with its OAuth credentials: first its kind, then the form.

import { CREDENTIALS } from "../../identity/index.ts";
import { Conflict, NotFound } from "../../platform/errors.ts";
import { UNCONDITIONAL } from "../../platform/http/conditions.ts";
import {
  bodyOf,
  ContractField,
  FieldsInSections,
  FormPanel,
  type FormState,
  formOfRecord,
  Link,
  refusedForm,
  TextField,
} from "../../ui/index.ts";
import type { ConsoleServices, View, Visit } from "../page.tsx";
import { requireTexts } from "../records/records.tsx";
import { scopesOfApis } from "../settings/apis.tsx";
import { APPLICATIONS, type Application, NEW_APPLICATION, pathOf } from "./application.ts";
import { type ApplicationKind, KINDS } from "./client-kinds.ts";
import { DevelopmentWarning, urisTyped } from "./credentials.tsx";
import { showSecret } from "./secrets.tsx";

/** The scopes of people's data are as usual; a machine needs its own. */
const ADVANCED = ["Scopes", "FirstParty"];
const ABOVE = [{ name: "Applications", path: APPLICATIONS }];

export function chooseKindPage(visit: Visit): View {
  return {
    title: "New application",
    above: ABOVE,
    lead: <span>Choose a kind. It determines how the application gets tokens and can be changed later.</span>,
    body: (
      <div class="panel narrow">
        <dl class="choices">
          {Object.entries(KINDS).map(([kind, { name, text }]) => (
            <>
              <dt>
                <Link href={visit.href(`${NEW_APPLICATION}/${kind}`)} text={name} />
              </dt>
              <dd safe>{text}</dd>
            </>
          ))}
        </dl>
      </div>
    ),
  };
}

export async function newClientPage(deps: ConsoleServices, visit: Visit, refused?: FormState): Promise<View> {
  const kind = kindOf(visit);
  const state = refused ?? formOfRecord(CREDENTIALS, kind.asks, kind.sets, { Name: "" });
  // Scopes of APIs are offered only to visitors who may read APIs.
  const ofApis = visit.may("Settings:Read") ? await scopesOfApis(deps, visit, state.values("Scopes")) : [];
  return {
    title: `New application: ${kind.name}`,
    above: [...ABOVE, { name: "New application", path: NEW_APPLICATION }],
    status: refused ? 422 : 200,
    lead: <span safe>{kind.description}</span>,
    body: (
      <FormPanel
        visit={visit}
        state={state}
        action={`${NEW_APPLICATION}/${visit.params.kind}`}
        back={NEW_APPLICATION}
        label="Create the application"
      >
        <TextField state={state} name="Name" label="Name" hint="Shown to people when they sign in." required />
        <FieldsInSections
          contract={CREDENTIALS}
          names={kind.asks}
          sections={kind.asks.includes("FirstParty") ? { Advanced: ADVANCED } : {}}
          state={state}
          field={(name) => (
            <ContractField
              contract={CREDENTIALS}
              name={name}
              state={state}
              isNew
              required={name === "RedirectUris"}
              more={{ Scopes: ofApis }}
            />
          )}
        />
        <DevelopmentWarning uris={urisTyped(state)} clientType={kind.sets.ClientType} />
      </FormPanel>
    ),
  };
}

/** Creates the record, its credentials and its secret in one transaction. */
export async function addClient(deps: ConsoleServices, visit: Visit): Promise<View | Response> {
  const { access, credentials, records } = deps;
  const { form, caller } = visit;
  const kind = kindOf(visit);
  try {
    requireTexts(form, kind.signsIn ? ["Name", "RedirectUris"] : ["Name"]);
    const input = CREDENTIALS.parse({ ...kind.sets, ...bodyOf(CREDENTIALS, kind.asks, form) });
    const permitted = visit.permitted("AccessManager:Create", "AccessManager:Update", "Settings:Update");
    // If the application exists, its credentials are not replaced.
    const isNew = { ...UNCONDITIONAL, ifNoneMatch: "*" } as const;
    const body = { Name: form.get("Name")!.trim(), Is_Active: true };
    let secret: string | undefined;
    const applications = records.of("Application");
    const { record } = await applications
      .save(permitted, applications.entity.parse(body), isNew, body, async (tx, id) => {
        secret = await credentials.setUp(tx, permitted, id, input);
      })
      .catch((error) => {
        throw error.status === 412 ? new Conflict("Name is already used by another Application.") : error;
      });
    access.forget(caller.tenantId);
    const application = record as unknown as Application;
    if (secret === undefined) return visit.goTo(`${pathOf(application)}/connect`, "The application is added.");
    return showSecret(deps, visit, application, secret, true);
  } catch (error) {
    return newClientPage(deps, visit, refusedForm(form, error, ["Name", ...kind.asks]));
  }
}

/** @throws NotFound */
function kindOf({ params }: Visit): ApplicationKind {
  const kind = Object.hasOwn(KINDS, params.kind!) ? KINDS[params.kind!] : undefined;
  if (!kind) throw new NotFound("Unknown kind of application.");
  return kind;
}
