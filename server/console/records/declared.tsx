// The pages of a kind of record, from its declaration and service.

import { etagOf } from "../../platform/http/conditions.ts";
import type { Contract } from "../../platform/http/contract.ts";
import type { Fields } from "../../platform/http/fields.ts";
import { type Filters, readAsked } from "../../platform/http/query.ts";
import type { Declaration, RecordScopes, RecordService, ScopeOf, SETTING } from "../../records/index.ts";
import {
  bodyOf,
  Code,
  ContractFields,
  Facts,
  type FormState,
  formOf,
  formOfRecord,
  labelsOf,
  type MoreOptions,
  phrase,
  Section,
} from "../../ui/index.ts";
import type { ConsolePage } from "../page.tsx";
import type { Visit } from "../visit.ts";
import { type Held, headingOf, type Kind, recordPages } from "./record-pages.tsx";
import { Changed, type ChangedProps, filtersOf, Value } from "./records.tsx";

// biome-ignore lint/suspicious/noExplicitAny: a record of any fields.
type Any = any;

type Service<Input, S extends RecordScopes> = RecordService<Any, Input, S, Filters>;

/** The parts that replace those of the declaration. */
export interface DeclaredPages<Item extends DeclaredRecord>
  extends Partial<Omit<Kind<Item>, "type" | "scopes" | "messages">> {
  messages?: Partial<Kind<Item>["messages"]>;
  /** Options that the contract does not list. */
  options?(visit: Visit, record: Item | undefined): Promise<MoreOptions>;
}

interface DeclaredRecord {
  Id: string | number;
  Name?: string;
  CreatedOn?: string;
  ModifiedOn?: string;
}

type Declared<Input, S extends RecordScopes> = Omit<Declaration<Any, S>, "parse"> & { parse(body: unknown): Input };

export function declaredPages<Item extends DeclaredRecord, Input, S extends RecordScopes = typeof SETTING>(
  declaration: Declared<Input, S>,
  service: Service<Input, S>,
  own?: DeclaredPages<Item>,
): ConsolePage[] {
  return recordPages(declaredKind(declaration, service, own));
}

export function declaredKind<Item extends DeclaredRecord, Input, S extends RecordScopes = typeof SETTING>(
  declaration: Declared<Input, S>,
  service: Service<Input, S>,
  own: DeclaredPages<Item> = {},
): Kind<Item> {
  const { messages, options, ...special } = own;
  const { name, texts, form } = declaration;
  const scopes = declaration.scopes as { [Operation in keyof RecordScopes]: ScopeOf<S[Operation]> };
  const { names = form, nouns = [declaration.nouns[0], headingOf(declaration.nouns[1])] as const } = own;
  const [one, several] = nouns;
  const write = [...new Set([scopes.create, scopes.update])];
  return {
    type: name,
    path: `/settings/${several.toLowerCase().replaceAll(" ", "-")}`,
    nouns,
    scopes: { read: scopes.read, write, remove: scopes.remove },
    titleOf: ({ Name, Id }) => String(Name ?? Id),
    list(visit) {
      const { filters, paging } = readAsked(service.filters, filtersOf(visit), service.anyCase);
      return service.list(visit.permitted(scopes.read), filters, paging);
    },
    filters: async () => [{ name: "Name", label: "Name, in full" }],
    columns: () => [{ name: "Changed", cell: (record) => <LastChange {...record} ago /> }],
    empty: {
      none: [`No ${declaration.nouns[1]} to see`, texts.group],
      filtered: [`No ${one} has this name`, texts.group],
    },
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
    names,
    labels: labelsOf(declaration),
    form: async (visit, held) => contractForm(declaration, names, held, await options?.(visit, held?.record)),
    body: async (visit) => bodyOf(declaration, names, visit.form),
    taken: () => `Name is already used by another ${one}.`,
    show: async (_visit, { record }) => <Shown contract={declaration} names={names} record={record} />,
    effects: () => [texts.remove],
    ...special,
    messages: {
      added: `The ${one} is added.`,
      changed: `The ${one} is changed.`,
      deleted: ({ Name, Id }) => phrase`The ${one} ${String(Name ?? Id)} is deleted.`,
      ...messages,
    },
  };
}

function contractForm(
  contract: Pick<Contract<Fields>, "field">,
  names: readonly string[],
  held: Held<object> | undefined,
  more: MoreOptions | undefined,
) {
  return {
    state: held ? formOfRecord(contract, names, { ...held.record }) : formOf(),
    fields: (state: FormState) => (
      <ContractFields contract={contract} names={names} state={state} isNew={!held} more={more} />
    ),
  };
}

interface ShownProps {
  contract: Pick<Contract<Fields>, "name" | "field">;
  names: readonly string[];
  record: DeclaredRecord;
}

function Shown({ contract: { name: type, field }, names, record }: ShownProps): JSX.Element {
  const values: Record<string, unknown> = { ...record };
  return (
    <Section title={type}>
      <Facts
        facts={[
          ...names
            .filter((name) => name !== "Name" && name in values)
            .map((name): [string, JSX.Element] => [
              field[name]!.form!.label,
              <Value text={[values[name] ?? ""].flat().join(", ")} />,
            ]),
          ["Changed", <LastChange {...record} />],
          ["Id", <Code text={String(record.Id)} copy />],
        ]}
      />
    </Section>
  );
}

/** Some kinds have no dates. */
function LastChange({ CreatedOn = "", ModifiedOn = CreatedOn, ago }: Partial<ChangedProps>): JSX.Element {
  return <Changed CreatedOn={CreatedOn} ModifiedOn={ModifiedOn} ago={ago} />;
}
