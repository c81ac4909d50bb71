import { BadInput } from "../../platform/errors.ts";
import { type Page, type Paging, readAsked, readPaging, readQuery } from "../../platform/http/query.ts";
import type { EntityService } from "../../records/index.ts";
import { attribute, type Option, Time } from "../../ui/index.ts";
import type { Visit } from "../visit.ts";

/** The filters in the address; empty ones are ignored. */
export function filtersOf({ url }: Visit): URLSearchParams {
  return new URLSearchParams([...url.searchParams].filter(([, value]) => value !== ""));
}

export function pagingOf(visit: Visit): Paging {
  return readPaging(readQuery(filtersOf(visit), []));
}

export const searchFor = (several: string) => ({ name: "Search", label: `Search ${several}` });

export const optionsOf = <Word extends string>(
  words: readonly Word[],
  labels?: Readonly<Record<Word, string>>,
): Option[] => words.map((value) => ({ value, label: labels?.[value] ?? value }));

export const ACTIVE_FILTER = {
  name: "Is_Active",
  label: "State",
  options: [
    { value: "true", label: "Active" },
    { value: "false", label: "Inactive" },
  ],
};

export async function listRecords<Shape>(
  service: EntityService,
  visit: Visit,
  parameters: URLSearchParams,
  searchMs?: number,
): Promise<Page<Shape>> {
  const { filters, paging } = readAsked(service.filters, parameters, service.anyCase);
  const { Items, ...rest } = await service.list(visit.permitted("AccessManager:Read"), filters, paging, searchMs);
  return { Items: Items as unknown as Shape[], ...rest };
}

/** The record with the path's `:id`. @throws NotFound, Permission */
export async function readRecord<Shape>(service: EntityService, visit: Visit): Promise<Shape> {
  return (await service.read(visit.permitted("AccessManager:Read"), visit.params.id!)).record as Shape;
}

/** Requires the display fields, although the API does not. @throws BadInput starting with the fields' names */
export function requireTexts(form: URLSearchParams, names: readonly string[]): void {
  const missing = names.filter((name) => (form.get(name) ?? "").trim() === "");
  if (missing.length > 0) throw new BadInput(...missing.map((name) => `${name} is missing.`));
}

/** Downloads of the filtered rows. @param path accepts Format */
export function Exports({ visit, path, parameters = new URLSearchParams() }: ExportsProps): JSX.Element {
  const href = (format: string) => {
    const query = new URLSearchParams([...parameters].filter(([name]) => name !== "Cursor" && name !== "Limit"));
    query.set("Format", format);
    return visit.href(`${path}?${query}`);
  };
  return (
    <>
      <a class="button quiet" href={attribute(href("CSV"))}>
        Export CSV
      </a>
      <a class="button quiet" href={attribute(href("NDJSON"))}>
        Export JSON lines
      </a>
    </>
  );
}

interface ExportsProps {
  visit: Visit;
  path: string;
  /** Of the filtered list. */
  parameters?: URLSearchParams;
}

export function Value({ text }: { text: string }): JSX.Element {
  if (text === "") return <span class="none">none</span>;
  return <span safe>{text}</span>;
}

export interface ChangedProps {
  CreatedOn: string;
  ModifiedOn: string;
  ago?: boolean;
}

/** Creation does not count as a change. */
export function Changed({ CreatedOn, ModifiedOn, ago = false }: ChangedProps): JSX.Element {
  if (ModifiedOn === CreatedOn) return <span class="none">never</span>;
  return <Time at={ModifiedOn} ago={ago} />;
}
