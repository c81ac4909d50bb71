// The pages of an entity's records, from its definition.

import type { Children } from "@kitajs/html";
import { UNCONDITIONAL } from "../../platform/http/conditions.ts";
import type { Fields } from "../../platform/http/fields.ts";
import {
  type Attributes,
  type Declaration,
  type ENTITY,
  type EntityRecord,
  type EntityService,
  searchables,
  UNSET_DATE,
} from "../../records/index.ts";
import {
  ActionButton,
  AskButton,
  Badge,
  bodyOf,
  Code,
  type Column,
  ContractField,
  Facts,
  FieldsInSections,
  formOf,
  formOfRecord,
  phrase,
  Section,
  type Sections,
  Time,
} from "../../ui/index.ts";
import { type Confirmation, type ConsolePage, type ConsoleServices, confirming } from "../page.tsx";
import type { Visit } from "../visit.ts";
import { AttributeFields, attributesOf, attributeTexts } from "./attributes.tsx";
import { declaredKind } from "./declared.tsx";
import { aboveOf, type Held, type Identified, type Kind, recordPages } from "./record-pages.tsx";
import { ACTIVE_FILTER, Changed, requireTexts, Value } from "./records.tsx";
import {
  type Choice,
  choiceOf,
  choiceOfProvider,
  nameOf,
  type ReferenceChoice,
  ReferenceField,
  referenceOf,
} from "./reference-field.tsx";

type Entity = EntityService["entity"];

type EntityDeclaration = Entity & Declaration<Fields, typeof ENTITY>;

/** The field that the form splits into one field for each attribute. */
const ATTRIBUTES = "Attributes";

export interface EntityKind<Item extends Identified>
  extends Partial<
    Pick<Kind<Item>, "titleOf" | "filters" | "lead" | "empty" | "adds" | "show" | "others" | "effects" | "more">
  > {
  columns?: (string | Column<Item>)[];
  added?: string;
  sections?: Sections;
  /** Activation by a button with a confirmation, because its effects exceed the form. */
  state?: {
    effects: string[];
    messages: { on: string; off: string };
  };
}

export function entityPages<Item extends Identified>(
  deps: ConsoleServices,
  name: string,
  own: EntityKind<Item> = {},
): ConsolePage[] {
  const service = deps.records.of(name);
  const { entity } = service;
  const { field: fields, form: all, references } = entity;
  const isReference = (one: string) => references.some((reference) => reference.name === one);
  const declared = declaredKind<Item, EntityRecord, typeof ENTITY>(entity as EntityDeclaration, service);
  const {
    path,
    nouns: [noun],
    scopes: { read },
  } = declared;
  const write = [entity.scopes.create, entity.scopes.update] as (typeof ENTITY)["create" | "update"][];
  const titleOf = own.titleOf ?? ((record) => nameOf(name, record as unknown as ReferenceChoice));
  const { state, sections, added = declared.messages.added, columns = shortOf(entity), more = [], ...special } = own;
  const namesFor = (isNew: boolean) => (!isNew && state ? all.filter((one) => one !== "Is_Active") : all);
  const texts = searchables(entity).map((one) => labelOf(entity, one.name));

  async function setActive(visit: Visit, Is_Active: boolean, conditions = UNCONDITIONAL): Promise<Response> {
    const body = { Id: visit.params.id, Is_Active };
    await service.save(visit.permitted(...write), entity.parse(body), conditions, body);
    return visit.goTo(`${path}/${visit.params.id}`, Is_Active ? state!.messages.on : state!.messages.off);
  }

  function askToDeactivate({ record, version }: Held<Item>): Confirmation & { basis: string } {
    return {
      title: phrase`Deactivate ${titleOf(record)}?`,
      above: aboveOf(kind, record),
      effects: state!.effects,
      confirm: `Deactivate ${noun}`,
      basis: version,
      back: `${path}/${record.Id}`,
    };
  }

  const statePages: ConsolePage[] = [
    { path: `${path}/:id/activate`, POST: { needs: write, answer: (visit) => setActive(visit, true) } },
    confirming({
      path: `${path}/:id/deactivate`,
      needs: [read, ...write],
      ask: async (visit) => askToDeactivate(await kind.read(visit)),
      act: (visit, { basis }) => setActive(visit, false, { ...UNCONDITIONAL, ifMatch: [basis] }),
    }),
  ];

  const kind: Kind<Item> = {
    ...declared,
    labels: undefined,
    titleOf,
    filters: async () => [{ name: "Search", label: "Search" }, ...(all.includes("Is_Active") ? [ACTIVE_FILTER] : [])],
    columns: () => columns.map((one) => (typeof one === "string" ? columnOf(entity, one) : one)),
    empty: {
      ...declared.empty,
      filtered: [`No ${noun} matches`, `The search matches parts of ${texts.join(", ")}.`],
    },
    async form(visit, held) {
      const names = namesFor(!held);
      const choices = await choicesOf(deps, visit, entity, held);
      const needed = neededOf(entity, held?.record);
      const now = Object.fromEntries([...choices].map(([one, choice]) => [one, choice.now]));
      const values = held && withoutUnset({ ...held.record });
      const plain = names.filter((one) => !isReference(one) && one !== ATTRIBUTES);
      const definitions = await service.attributes(visit.caller);
      const more = { ...now, ...attributeTexts(values?.[ATTRIBUTES] as Attributes | undefined) };
      return {
        state: values ? formOfRecord(entity, plain, values, more) : formOf({ Is_Active: "true" }),
        fields: (filled) => (
          <FieldsInSections
            contract={entity}
            names={names}
            sections={sections}
            state={filled}
            field={(one) => {
              const shared = { state: filled, name: one };
              if (one === ATTRIBUTES) return <AttributeFields state={filled} definitions={definitions} />;
              if (!isReference(one)) {
                const required = needed.includes(one);
                return <ContractField {...shared} contract={entity} isNew={!held} required={required} />;
              }
              const choice = choices.get(one);
              return choice ? <ReferenceField {...shared} {...fields[one]!.form!} choice={choice} /> : "";
            }}
          />
        ),
      };
    },
    async body(visit, isNew) {
      const { form } = visit;
      const needed = neededOf(entity, undefined);
      // The record is read only if a required text is missing: a record created without it may stay without.
      const isNamed = needed.every((one) => (form.get(one) ?? "").trim() !== "");
      const held = isNew || isNamed ? undefined : await kind.read(visit);
      requireTexts(form, neededOf(entity, held?.record));
      const names = namesFor(isNew);
      const plain = names.filter((one) => !isReference(one) && one !== ATTRIBUTES);
      const attributes = attributesOf(form, await service.attributes(visit.caller));
      const sent = Object.keys(attributes).length > 0 ? [{ [ATTRIBUTES]: attributes }] : [];
      const pointing = names.filter(isReference).map((one) => referenceOf(form, one));
      return Object.assign(bodyOf(entity, plain, form), ...pointing, ...sent);
    },
    taken: (body) => {
      const given = entity.identifiers.filter((one) => (body as EntityRecord)[one]);
      return `${given.join(" or ")} is already used by another ${name}.`;
    },
    show: async (visit, { record }) => <RecordSection visit={visit} entity={entity} record={record} />,
    actions(visit, held) {
      if (!state) return {};
      const one = `${path}/${held.record.Id}`;
      const isActive = (held.record as { Is_Active?: boolean }).Is_Active === true;
      const next = isActive ? (
        <AskButton visit={visit} action={`${one}/deactivate`} label="Deactivate" question={askToDeactivate(held)} />
      ) : (
        <ActionButton visit={visit} action={`${one}/activate`} label="Activate" />
      );
      return { next };
    },
    effects: (record) => [
      phrase`${titleOf(record)} is deleted.`,
      `Webhook connections that listen to ${name} get its last state.`,
    ],
    ...special,
    messages: {
      ...declared.messages,
      added,
      deleted: (record) => phrase`${titleOf(record)} is deleted.`,
    },
    more: [...(state ? statePages : []), ...more],
  };
  return recordPages(kind);
}

function columnOf<Item extends object>(entity: Entity, name: string): Column<Item> {
  return { name: labelOf(entity, name), cell: (record) => <Cell entity={entity} name={name} record={record} /> };
}

/** Columns for an entity's table on another page; the first links to the record. */
export function entityColumns({ entity }: EntityService, visit: Visit, [first, ...names]: string[]) {
  const leading = columnOf<ReferenceChoice>(entity, first!);
  const cell = (record: ReferenceChoice) => (
    <a href={visit.href(visit.pathOf({ Type: entity.name, Id: record.Id })!)} safe>
      {nameOf(entity.name, record)}
    </a>
  );
  return [{ ...leading, cell }, ...names.map((name) => columnOf<ReferenceChoice>(entity, name))];
}

const labelOf = ({ field }: Entity, name: string) =>
  name === "Is_Active" ? "State" : (field[name]?.form?.label ?? name);

function shortOf({ form, field }: Entity): string[] {
  const isShown = (name: string) => name !== ATTRIBUTES && name !== "Name" && !field[name]!.writeOnly;
  return form.filter((name) => isShown(name) && !field[name]!.form?.rows);
}

/** The API and providers may create records without these fields, but a value that exists must be kept. */
function neededOf({ form, field }: Entity, record: object | undefined): string[] {
  const before = record as Record<string, unknown> | undefined;
  return form.filter((name) => field[name]!.form?.needed && before?.[name] !== "");
}

/** docs/behaviour.md "Fields": an unset date has a default value in responses. */
function withoutUnset(record: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, value === UNSET_DATE ? "" : value]));
}

async function choicesOf(
  deps: ConsoleServices,
  visit: Visit,
  { form, field, references }: Entity,
  held: Held<object> | undefined,
): Promise<Map<string, Choice>> {
  const choices = new Map<string, Choice>();
  for (const { name, column, target, writeOnly } of references) {
    if (!form.includes(name)) continue;
    const stored = (held?.stored as Record<string, unknown> | undefined)?.[column];
    const shown = (held?.record as Record<string, ReferenceChoice> | undefined)?.[name];
    const now = writeOnly ? { Id: Number(stored ?? 0), Name: "", ExternalId: "" } : shown;
    const none = field[name]!.form?.words?.[""];
    const to = deps.records.all.find(({ entity }) => entity.name === target);
    const choice = to ? await choiceOf(to, visit, now, none) : await choiceOfProvider(deps, visit, now, none);
    if (choice) choices.set(name, choice);
  }
  return choices;
}

interface CellProps {
  entity: Entity;
  name: string;
  record: object;
  /** Links foreign keys to their records. */
  visit?: Visit;
}

function Cell({ entity, name, record, visit }: CellProps): JSX.Element {
  const value = (record as Record<string, unknown>)[name];
  if (name === "Is_Active") return <Badge state={value ? "Active" : "Inactive"} />;
  const reference = entity.references.find((one) => one.name === name);
  if (reference) {
    const one = value as ReferenceChoice;
    const path = one.Id && visit ? visit.pathOf({ Type: reference.target, Id: one.Id }) : undefined;
    const text = one.Id ? nameOf(reference.target, one) : "";
    if (!path || !visit) return <Value text={text} />;
    return (
      <a href={visit.href(path)} safe>
        {text}
      </a>
    );
  }
  if (typeof value === "boolean") return <Value text={value ? "yes" : "no"} />;
  if (entity.fields.find((one) => one.name === name)?.type !== "dateTime") return <Value text={String(value ?? "")} />;
  return value === UNSET_DATE ? <Value text="" /> : <Time at={new Date(String(value))} />;
}

export interface RecordSectionProps {
  visit: Visit;
  entity: Entity;
  /** Default: the entity's name. */
  title?: string;
  record: object & { Description?: string };
  /** A string is a field's name. Default: the form's fields. */
  facts?: (string | Fact)[];
  children?: Children;
}

type Fact = [name: string, value: JSX.Element];

export function RecordSection(props: RecordSectionProps): JSX.Element {
  const { visit, entity, title = entity.name, record, children = "" } = props;
  const short = shortOf(entity);
  const active = short.filter((name) => name === "Is_Active");
  const { facts = [...active, ...short.filter((name) => name !== "Is_Active"), ...stampsOf(record)] } = props;
  return (
    <Section title={title}>
      <Facts
        facts={facts.map((one): Fact => {
          if (typeof one !== "string") return one;
          return [labelOf(entity, one), <Cell entity={entity} name={one} record={record} visit={visit} />];
        })}
      />
      {record.Description ? (
        <p class="prose" safe>
          {record.Description}
        </p>
      ) : (
        ""
      )}
      {children as "safe"}
    </Section>
  );
}

function stampsOf(record: object): Fact[] {
  const { CreatedOn, ModifiedOn, Id } = record as Record<string, string | undefined>;
  const stamps: Fact[] = CreatedOn
    ? [
        ["Created", <Time at={new Date(CreatedOn)} />],
        ["Changed", <Changed CreatedOn={CreatedOn} ModifiedOn={ModifiedOn ?? CreatedOn} />],
      ]
    : [];
  return [...stamps, ["Id", <Code text={String(Id)} copy />]];
}
