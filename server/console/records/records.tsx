// What pages of entity records have in common.

import type { EntityRecord, EntityService } from "../../entities/index.ts";
import { BadInput, Conflict } from "../../errors.ts";
import { etagOf, UNCONDITIONAL } from "../../http/conditions.ts";
import { type Page, type Paging, readPaging, readQuery, readText } from "../../http/query.ts";
import { ActionButton, AskButton, ButtonLink, phrase, Time } from "../../ui/index.ts";
import type { Visit } from "../visit.ts";

/** What the filters of a page ask of a list: one that is sent empty asks for nothing. */
export function filtersOf({ url }: Visit): URLSearchParams {
  return new URLSearchParams([...url.searchParams].filter(([, value]) => value !== ""));
}

/** Which page of a list without filters. @throws BadInput */
export function pagingOf(visit: Visit): Paging {
  return readPaging(readQuery(filtersOf(visit), []));
}

/** A page of a list that has no filter but Name. @throws BadInput */
export function askedByName(visit: Visit): { filter: { name?: string }; paging: Paging } {
  const query = readQuery(filtersOf(visit), ["Name"]);
  return { filter: { name: readText(query, "Name") }, paging: readPaging(query) };
}

/** Whether a list is of a part only, whichever page of it. */
export function isFiltered(parameters: URLSearchParams): boolean {
  return [...parameters.keys()].some((name) => name !== "Cursor" && name !== "Limit");
}

export const ACTIVE_FILTER = {
  name: "Is_Active",
  label: "State",
  options: [
    { value: "true", label: "Active" },
    { value: "false", label: "Inactive" },
  ],
};

/** A page of them, as their response shape. */
export async function listRecords<Shape>(
  service: EntityService,
  visit: Visit,
  parameters: URLSearchParams,
): Promise<Page<Shape>> {
  const { Items, Next } = await service.list(visit.permitted("AccessManager:Read"), service.asked(parameters));
  return { Items: Items as unknown as Shape[], Next };
}

/** The record that the path's `:id` names, and its version for the form. */
export async function readRecord<Shape>(
  service: EntityService,
  visit: Visit,
): Promise<{ record: Shape; version: string }> {
  const { record, version } = await service.read(visit.permitted("AccessManager:Read"), {
    pathValue: visit.params.id!,
    fieldName: "",
  });
  return { record: record as Shape, version: etagOf(version) };
}

/**
 * Makes a new record; an upsert by an identifier would change the one that has it.
 * @throws Conflict that begins with the identifiers' names, and what saving throws
 */
export async function addRecord(service: EntityService, visit: Visit, body: EntityRecord): Promise<EntityRecord> {
  const isNew = { ...UNCONDITIONAL, ifNoneMatch: "*" } as const;
  try {
    return (await saveRecord(service, visit, body, isNew)).record;
  } catch (error) {
    if ((error as { status?: number }).status !== 412) throw error;
    const { name, identifiers } = service.entity;
    throw new Conflict(`${identifiers.filter((field) => body[field]).join(" or ")} is held by another ${name}.`);
  }
}

/** Saves a form that was made of a record, unless somebody else has changed that in the meantime. */
export async function changeRecord(service: EntityService, visit: Visit, body: EntityRecord): Promise<EntityRecord> {
  const unchanged = { ...UNCONDITIONAL, ifMatch: [visit.form.get("version") ?? ""] };
  return (await saveRecord(service, visit, { ...body, Id: visit.params.id }, unchanged)).record;
}

export function saveRecord(service: EntityService, visit: Visit, body: EntityRecord, conditions = UNCONDITIONAL) {
  return service.save(visit.permitted("AccessManager:Create", "AccessManager:Update"), body, conditions);
}

/** Deletes the record that the path's `:id` names. @returns its last state */
export async function deleteRecord(service: EntityService, visit: Visit): Promise<EntityRecord> {
  const address = { pathValue: visit.params.id!, fieldName: "" };
  return (await service.remove(visit.permitted("AccessManager:Delete"), address, UNCONDITIONAL)).record;
}

/**
 * What people know a record by is asked for, though the API takes one without.
 * @throws BadInput that begins with the fields' names
 */
export function requireTexts(form: URLSearchParams, names: readonly string[]): void {
  const missing = names.filter((name) => (form.get(name) ?? "").trim() === "");
  if (missing.length > 0) throw new BadInput(...missing.map((name) => `${name} is missing.`));
}

/** The texts of a form, each under its field's name. */
export function textsOf(form: URLSearchParams, names: readonly string[]): EntityRecord {
  return Object.fromEntries(names.map((name) => [name, (form.get(name) ?? "").trim()]));
}

export interface RecordActionsProps {
  visit: Visit;
  /** The entity's name. */
  type: string;
  record: object;
  /** What it is called. */
  title: string;
  /** The record's page, below which `change`, `state` and `delete` are. */
  path: string;
  /** With a button for the state as well. */
  isActive?: boolean;
}

/** What becomes of one that is switched off. */
const DEACTIVATED: Record<string, string[]> = {
  Application: [
    "It gets no tokens any more, and those it has are no longer good.",
    "Nobody can sign in to it until it is active again.",
  ],
  User: [
    "All sign-ins, codes and tokens end for good, in every browser and application.",
    "The user cannot sign in until active again, and then signs in anew.",
  ],
};

/** What may be done with a record: changing it, switching it on or off, deleting it. */
export function RecordActions({ visit, type, record, title, path, isActive }: RecordActionsProps): JSX.Element {
  const subject = { ...record };
  const mayChange = visit.may("AccessManager:Create") && visit.may("AccessManager:Update", type, subject);
  return (
    <>
      {mayChange ? <ButtonLink href={visit.href(`${path}/change`)}>Change</ButtonLink> : ""}
      {mayChange && isActive === false ? (
        <ActionButton visit={visit} action={`${path}/state`} label="Activate" fields={{ Is_Active: "true" }} />
      ) : (
        ""
      )}
      {mayChange && isActive ? (
        <AskButton
          visit={visit}
          action={`${path}/state`}
          label="Deactivate"
          question={phrase`Deactivate ${title}?`}
          effects={DEACTIVATED[type] ?? []}
          confirm={`Deactivate ${type.toLowerCase()}`}
          fields={{ Is_Active: "false" }}
        />
      ) : (
        ""
      )}
      {visit.may("AccessManager:Delete", type, subject) ? (
        <ButtonLink href={visit.href(`${path}/delete`)} kind="danger">
          Delete
        </ButtonLink>
      ) : (
        ""
      )}
    </>
  );
}

/** A text of a record; one that is not set says so. */
export function Value({ text }: { text: string }): JSX.Element {
  if (text === "") return <span class="none">none</span>;
  return <span safe>{text}</span>;
}

export interface ChangedProps {
  CreatedOn: string;
  ModifiedOn: string;
  /** How long that is past. */
  ago?: boolean;
}

/** A record is not changed by being made. */
export function Changed({ CreatedOn, ModifiedOn, ago = false }: ChangedProps): JSX.Element {
  if (ModifiedOn === CreatedOn) return <span class="none">never</span>;
  return <Time at={new Date(ModifiedOn)} ago={ago} />;
}
