// The pages of a kind of record, from its declaration and service.

import { etagOf } from "../../platform/http/conditions.ts";
import type { Contract } from "../../platform/http/contract.ts";
import type { Fields } from "../../platform/http/fields.ts";
import { type Filters, readAsked } from "../../platform/http/query.ts";
import type { Declaration, RecordScopes, RecordService, ScopeOf } from "../../records/index.ts";
import {
  bodyOf,
  type Column,
  ContractFields,
  type FormState,
  formOf,
  formOfRecord,
  labelsOf,
  type MoreOptions,
  phrase,
} from "../../ui/index.ts";
import type { ConsolePage } from "../page.tsx";
import { type Held, headingOf, type Kind, recordPages } from "./record-pages.tsx";
import { columnOf, RecordSection, shortOf } from "./record-section.tsx";
import { filtersOf, searchFor } from "./records.tsx";

// biome-ignore lint/suspicious/noExplicitAny: a record of any fields.
type Any = any;

/** Parts of the pages that replace what the declaration gives. */
export type DeclaredPages<Item extends DeclaredRecord> = Partial<Pick<Kind<Item>, "nouns" | "titleOf" | "more">> & {
  [Part in "records" | "list" | "form" | "page" | "messages"]?: Partial<Kind<Item>[Part]>;
} & {
  /** Columns of the list; a string is a field's name. */
  columns?: (string | Column<Item>)[];
};

interface DeclaredRecord {
  Id: string | number;
  Name?: string;
}

type Declared<Input, S extends RecordScopes> = Omit<Declaration<Any, S>, "parse"> & { parse(body: unknown): Input };

export function declaredPages<Item extends DeclaredRecord, Input, S extends RecordScopes>(
  declaration: Declared<Input, S>,
  service: RecordService<Item, Input, S, Filters>,
  own?: DeclaredPages<Item>,
): ConsolePage[] {
  return recordPages(declaredKind(declaration, service, own));
}

export function declaredKind<Item extends DeclaredRecord, Input, S extends RecordScopes>(
  declaration: Declared<Input, S>,
  service: RecordService<Any, Input, S, Filters>,
  { columns = shortOf(declaration), records, list, form, page, messages, ...own }: DeclaredPages<Item> = {},
): Kind<Item> {
  const { name, texts } = declaration;
  const scopes = declaration.scopes as { [Operation in keyof RecordScopes]: ScopeOf<S[Operation]> };
  const { nouns = [declaration.nouns[0], headingOf(declaration.nouns[1])] as const } = own;
  const { names = declaration.form } = form ?? {};
  const [one, several] = nouns;
  const write = [...new Set([scopes.create, scopes.update])];
  return {
    type: name,
    path: `/settings/${several.toLowerCase().replaceAll(" ", "-")}`,
    scopes: { read: scopes.read, write, remove: scopes.remove },
    titleOf: ({ Name, Id }) => String(Name ?? Id),
    ...own,
    nouns,
    records: {
      list(visit) {
        const { filters, paging } = readAsked(service.filters, filtersOf(visit), service.anyCase);
        return service.list(visit.permitted(scopes.read), filters, paging);
      },
      count: (visit, max) => service.count(visit.permitted(scopes.read), {}, max),
      async read(visit) {
        const { version, ...read } = await service.read(visit.permitted(scopes.read), visit.params.id!);
        return { ...read, version: etagOf(version), stored: version };
      },
      async save(visit, body, conditions) {
        const input = declaration.parse(body);
        return (await service.save(visit.permitted(...write), input, conditions, body)).record;
      },
      async remove(visit, conditions) {
        return (await service.remove(visit.permitted(scopes.remove), visit.params.id!, conditions)).record;
      },
      ...records,
    },
    list: {
      filters: async () => [searchFor(declaration.nouns[1])],
      ofName: { sort: "Name" },
      nouns: declaration.nouns,
      columns: columns.map((one) => (typeof one === "string" ? columnOf<Item>(declaration, one) : one)),
      none: [`No ${declaration.nouns[1]} to see`, texts.group],
      noMatch: [`No matching ${declaration.nouns[1]}`, "The search finds parts of names and descriptions."],
      ...list,
    },
    form: {
      names,
      labels: labelsOf(declaration),
      of: async (_visit, held) => contractForm(declaration, names, held),
      body: async (visit) => bodyOf(declaration, names, visit.form),
      taken: () => `Name is already used by another ${one}.`,
      ...form,
    },
    page: {
      show: async (visit, { record }) => <RecordSection visit={visit} declaration={declaration} record={record} />,
      effects: () => [texts.remove],
      ...page,
    },
    messages: {
      added: () => `The ${one} is added.`,
      changed: () => `The ${one} is changed.`,
      deleted: ({ Name, Id }) => phrase`The ${one} ${String(Name ?? Id)} is deleted.`,
      ...messages,
    },
  };
}

/** @param more options that the contract does not list */
export function contractForm(
  contract: Pick<Contract<Fields>, "field">,
  names: readonly string[],
  held: Held<object> | undefined,
  more?: MoreOptions,
) {
  return {
    state: held ? formOfRecord(contract, names, { ...held.record }) : formOf(),
    fields: (state: FormState) => (
      <ContractFields contract={contract} names={names} state={state} isNew={!held} more={more} />
    ),
  };
}
