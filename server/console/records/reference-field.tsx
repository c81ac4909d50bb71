// A field for a reference: a selection for few records, a typed name for many.

import { firstPage, MAX_LIMIT } from "../../platform/http/query.ts";
import { type EntityRecord, type EntityService, SELF_MADE } from "../../records/index.ts";
import { type FormState, Hidden, type Option, SelectField, TextField } from "../../ui/index.ts";
import type { ConsoleServices, Visit } from "../page.tsx";

/** AbstractLong (docs/behaviour.md "Foreign keys"). */
export interface ReferenceChoice {
  Id: number;
  ExternalId: string;
  Name: string;
}

export interface Choice {
  /** Undefined: there are too many for a selection, so the Name is typed. */
  options: Option[] | undefined;
  /** The present reference as the field's value; "" is none. */
  now: string;
}

/** @param current the present reference; undefined for a new record @param none the label of the empty option */
export async function choiceOf(
  service: EntityService,
  visit: Visit,
  current: ReferenceChoice | undefined,
  none = "none",
): Promise<Choice> {
  if (!visit.may("AccessManager:Read")) return { options: undefined, now: current?.Name ?? "" };
  // The name of a self-made record proves nothing, and a selection shows only the name.
  const filters = service.entity.selfMade ? { [SELF_MADE]: false } : {};
  const page = await service.list(visit.permitted("AccessManager:Read"), filters, firstPage(MAX_LIMIT));
  if (page.Next !== null) return { options: undefined, now: current?.Name ?? "" };
  const listed = page.Items as unknown as ReferenceChoice[];
  const known = !current?.Id || listed.some(({ Id }) => Id === current.Id);
  const all = known ? listed : [...listed, current!];
  const options = all.map((one) => ({ value: String(one.Id), label: nameOf(service.entity.name, one) }));
  const sorted = options.toSorted((one, other) => one.label.localeCompare(other.label));
  return { options: [{ value: "", label: none }, ...sorted], now: current?.Id ? String(current.Id) : "" };
}

/** The tenant's providers that the visitor may see, at most one page. */
export async function providersOf({ providers }: ConsoleServices, visit: Visit) {
  if (!visit.may("Settings:Read")) return [];
  return (await providers.list(visit.permitted("Settings:Read"), {}, firstPage(MAX_LIMIT))).Items;
}

/** @returns undefined if there are no providers */
export async function choiceOfProvider(
  deps: ConsoleServices,
  visit: Visit,
  current: Pick<ReferenceChoice, "Id"> | undefined,
  none = "none",
): Promise<Choice | undefined> {
  const providers = await providersOf(deps, visit);
  if (providers.length === 0) return undefined;
  const now = current?.Id ? String(current.Id) : "";
  const known = providers.map(({ Id, Name }) => ({ value: Id, label: Name }));
  const isKnown = now === "" || known.some(({ value }) => value === now);
  const unseen = isKnown ? [] : [{ value: now, label: `Identity provider ${now}` }];
  return { options: [{ value: "", label: none }, ...known, ...unseen], now };
}

export interface ReferenceFieldProps {
  state: FormState;
  name: string;
  label: string;
  hint?: string;
  choice: Choice;
}

export function ReferenceField({ state, name, label, hint, choice }: ReferenceFieldProps): JSX.Element {
  const { options, now } = choice;
  return (
    <>
      <Hidden name={`${name}-now`} value={now} />
      <Hidden name={`${name}-by`} value={options ? "Id" : "Name"} />
      {options ? (
        <SelectField state={state} name={name} label={label} hint={hint} options={options} />
      ) : (
        <TextField state={state} name={name} label={label} hint="Its name, in full." required={false} />
      )}
    </>
  );
}

/** The reference in the form; {} if the field was not changed. */
export function referenceOf(form: URLSearchParams, name: string): EntityRecord {
  const value = (form.get(name) ?? "").trim();
  if (value === (form.get(`${name}-now`) ?? "")) return {};
  if (value === "") return { [name]: null };
  const by = form.get(`${name}-by`) === "Name" ? "Name" : "Id";
  return { [name]: { FieldType: by, Value: value } };
}

export function nameOf(type: string, { Id, Name, ExternalId }: ReferenceChoice): string {
  return Name || ExternalId || `${type} ${Id}`;
}
