import type { SettingsService } from "../../access/index.ts";
import { etagOf } from "../../http/conditions.ts";
import type { Contract } from "../../http/contract.ts";
import type { Fields } from "../../http/fields.ts";
import type { Settings } from "../../settings.ts";
import {
  bodyOf,
  Code,
  ContractFields,
  Facts,
  type FormState,
  formFields,
  formOf,
  formOfRecord,
  labelsOf,
  type MoreOptions,
  phrase,
  Section,
} from "../../ui/index.ts";
import type { ConsolePage } from "../page.tsx";
import type { Visit } from "../visit.ts";
import type { Held, Kind } from "./kind.tsx";
import { headingOf, recordPages } from "./kind.tsx";
import { askedByName, Changed, type ChangedProps, Value } from "./records.tsx";

// biome-ignore lint/suspicious/noExplicitAny: a contract of any fields.
type Setting = any;

type Given = "path" | "nouns" | "empty" | "effects";
type FromContract = "type" | "scopes" | "list" | "read" | "save" | "remove";

export interface SettingsKind<Item extends SettingsRecord, Input>
  extends Pick<Kind<Item>, Given>,
    Partial<Omit<Kind<Item>, Given | FromContract | "told">> {
  contract: Pick<Contract<Fields>, "name" | "field"> & { parse(body: unknown): Input };
  service: Pick<SettingsService<Setting, Input>, "list" | "read" | "save" | "remove">;
  told?: Partial<Kind<Item>["told"]>;
  /** Options that the contract does not list. */
  options?(visit: Visit, record: Item | undefined): Promise<MoreOptions>;
}

interface SettingsRecord {
  Id: string;
  Name: string;
  CreatedOn?: string;
  ModifiedOn?: string;
}

export function settingsPages<Item extends SettingsRecord, Input>(own: SettingsKind<Item, Input>): ConsolePage[] {
  return recordPages(settingsKind(own));
}

/** The pages of a kind without special parts. */
export function plainSettingsPages({ type, service }: Settings[string]): ConsolePage[] {
  const { nouns, texts } = type;
  const [one, several] = nouns;
  return settingsPages<SettingsRecord, object>({
    contract: type,
    service,
    path: `/settings/${several.replaceAll(" ", "-")}`,
    nouns: [one, headingOf(several)],
    empty: { none: [`No ${several} to see`, texts.group], filtered: [`No ${one} has this name`, texts.group] },
    effects: () => [texts.remove],
  });
}

export function settingsKind<Item extends SettingsRecord, Input>(own: SettingsKind<Item, Input>): Kind<Item> {
  const { contract, service, told, options, ...special } = own;
  const names = own.names ?? formFields(contract);
  const [one] = own.nouns;
  return {
    type: contract.name,
    scopes: { read: "Settings:Read", write: ["Settings:Update"], remove: "Settings:Update" },
    titleOf: ({ Name, Id }) => String(Name ?? Id),
    list(visit) {
      const { filter, paging } = askedByName(visit, contract);
      return service.list(visit.permitted("Settings:Read"), filter, paging);
    },
    filters: async () => [{ name: "Name", label: "Name, in full" }],
    columns: () => [{ name: "Changed", cell: (record) => <LastChange {...record} ago /> }],
    async read(visit) {
      const { record, version } = await service.read(visit.permitted("Settings:Read"), visit.params.id!);
      return { record, version: etagOf(version), stored: version };
    },
    async save(visit, body, conditions) {
      const input = contract.parse(body);
      return (await service.save(visit.permitted("Settings:Update"), input, conditions, body)).record as Partial<Item>;
    },
    async remove(visit, conditions) {
      const removed = await service.remove(visit.permitted("Settings:Update"), visit.params.id!, conditions);
      return removed.record as Partial<Item>;
    },
    names,
    labels: labelsOf(contract),
    form: async (visit, held) => contractForm(contract, names, held, await options?.(visit, held?.record)),
    body: async (visit) => bodyOf(contract, names, visit.form),
    taken: () => `Name is held by another ${one}.`,
    show: async (_visit, { record }) => <Shown contract={contract} names={names} record={record} />,
    ...special,
    told: {
      added: `The ${one} is added.`,
      changed: `The ${one} is changed.`,
      deleted: ({ Name, Id }) => phrase`The ${one} ${String(Name ?? Id)} is deleted.`,
      ...told,
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
  record: SettingsRecord;
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
          ["Id", <Code text={record.Id} copy />],
        ]}
      />
    </Section>
  );
}

/** Some kinds have no dates. */
function LastChange({ CreatedOn = "", ModifiedOn = CreatedOn, ago }: Partial<ChangedProps>): JSX.Element {
  return <Changed CreatedOn={CreatedOn} ModifiedOn={ModifiedOn} ago={ago} />;
}
