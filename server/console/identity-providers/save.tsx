// Adding an identity provider, changing and deleting one.

import { Conflict, NotFound } from "../../errors.ts";
import { type Conditions, etagOf, UNCONDITIONAL } from "../../http/conditions.ts";
import { DEFAULT_MAPPING, DEFAULT_SCOPES, PROVIDER_TYPES } from "../../signin/index.ts";
import { type FormState, formOf, phrase, refusedForm } from "../../ui/index.ts";
import { confirmation, type SettingsDependencies, type View } from "../page.tsx";
import type { Visit } from "../visit.ts";
import { claimValues, FIELDS, formOfProvider, ProviderForm, providerBody } from "./fields.tsx";
import { aboveOf, PROVIDERS, type ProviderRecord, pathOf, TYPES } from "./list.tsx";

export async function addPage(visit: Visit, refused?: FormState): Promise<View> {
  const type = typeOf(visit);
  const usual = { Provisioning: "LinkOnly", Scopes: DEFAULT_SCOPES[type].join(" ") };
  const claims = type === "OpenIDConnect" ? claimValues(DEFAULT_MAPPING) : {};
  return {
    title: `Add ${TYPES[type]} provider`,
    above: [{ name: "Identity providers", path: PROVIDERS }],
    status: refused ? 422 : 200,
    body: (
      <ProviderForm
        visit={visit}
        type={type}
        state={refused ?? formOf({ ...usual, ...claims })}
        action={`${PROVIDERS}/add/${type}`}
        back={PROVIDERS}
      />
    ),
  };
}

export async function addProvider(deps: SettingsDependencies, visit: Visit): Promise<View | Response> {
  const { form } = visit;
  try {
    // A provider of the same Name would be changed.
    const isNew = { ...UNCONDITIONAL, ifNoneMatch: "*" } as const;
    const body = { ...providerBody(form, typeOf(visit)), Type: typeOf(visit) };
    const record = await save(deps, visit, body, isNew).catch(asTaken);
    return visit.goTo(
      pathOf(record),
      "The provider is added. Give it the Redirect URI below, test the connection, then make it active.",
    );
  } catch (error) {
    return addPage(visit, refusedForm(form, error, FIELDS));
  }
}

export async function changePage(
  { providers }: SettingsDependencies,
  visit: Visit,
  refused?: FormState,
): Promise<View> {
  const { record: provider, version } = await providers.read(visit.permitted("Settings:Read"), visit.params.id!);
  return {
    title: "Change provider",
    above: aboveOf(provider),
    status: refused ? 422 : 200,
    body: (
      <ProviderForm
        visit={visit}
        type={provider.Type}
        state={refused ?? formOfProvider(provider)}
        action={`${pathOf(provider)}/change`}
        back={pathOf(provider)}
        version={etagOf(version)}
      />
    ),
  };
}

export async function changeProvider(deps: SettingsDependencies, visit: Visit): Promise<View | Response> {
  const { form, params } = visit;
  try {
    const { record } = await deps.providers.read(visit.permitted("Settings:Read"), params.id!);
    const unchanged = { ...UNCONDITIONAL, ifMatch: [form.get("version") ?? ""] };
    await save(deps, visit, { ...providerBody(form, record.Type), Id: params.id }, unchanged);
    return visit.goTo(pathOf(record), "The provider is changed.");
  } catch (error) {
    return changePage(deps, visit, refusedForm(form, error, FIELDS));
  }
}

export async function deletePage({ providers }: SettingsDependencies, visit: Visit): Promise<View> {
  const { record: provider } = await providers.read(visit.permitted("Settings:Read"), visit.params.id!);
  visit.caller.permissions.require("Settings:Update", "IdentityProvider", provider);
  return confirmation({
    visit,
    title: "Delete this provider?",
    above: aboveOf(provider),
    effects: [
      phrase`Nobody signs in by ${provider.Name} any more, and which account there is whose here is forgotten.`,
      "Users that have no password need a password link to come in again.",
      "While an application names it as the way in, it cannot be deleted.",
    ],
    label: "Delete provider",
    action: `${pathOf(provider)}/delete`,
    back: pathOf(provider),
  });
}

export async function deleteProvider({ providers }: SettingsDependencies, visit: Visit): Promise<Response> {
  const { record } = await providers.remove(visit.permitted("Settings:Update"), visit.params.id!, UNCONDITIONAL);
  return visit.goTo(PROVIDERS, phrase`${record.Name} is deleted.`);
}

async function save({ providers, identityProvider }: SettingsDependencies, visit: Visit, body: object, on: Conditions) {
  const input = identityProvider.parse(body);
  return (await providers.save(visit.permitted("Settings:Update"), input, on, body)).record;
}

function typeOf({ params }: Visit): ProviderRecord["Type"] {
  const type = PROVIDER_TYPES.find((known) => known === params.type);
  if (!type) throw new NotFound("There is no such kind of identity provider.");
  return type;
}

function asTaken(error: unknown): never {
  if ((error as { status?: number }).status !== 412) throw error;
  throw new Conflict("Name or ExternalId is held by another identity provider.");
}
