// The pages of an entity's records, from its definition.

import { UNCONDITIONAL } from "../../platform/http/conditions.ts";
import type { Fields } from "../../platform/http/fields.ts";
import {
  type Attributes,
  type Declaration,
  type ENTITY,
  type EntityRecord,
  type EntityService,
  recordFields,
  searchables,
} from "../../records/index.ts";
import {
  ActionButton,
  AskButton,
  bodyOf,
  ContractField,
  FieldsInSections,
  formOf,
  formOfRecord,
  phrase,
  type Sections,
} from "../../ui/index.ts";
import { type Confirmation, type ConsolePage, type ConsoleServices, confirming, type Visit } from "../page.tsx";
import { ATTRIBUTES, attributeFields, attributesOf, attributeTexts } from "./attributes.tsx";
import { type BulkAction, bulkOf, deactivatePage } from "./bulk.tsx";
import { type DeclaredPages, declaredKind } from "./declared.tsx";
import { exportPage } from "./export.ts";
import { withMembers } from "./members.tsx";
import { aboveOf, type Held, type Identified, type Kind, recordPages } from "./record-pages.tsx";
import { labelOf } from "./record-section.tsx";
import { ACTIVE_FILTER, Exports, filtersOf, requireTexts, searchFor } from "./records.tsx";
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

export interface EntityPages<Item extends Identified> extends DeclaredPages<Item> {
  sections?: Sections;
  state?: State;
}

/** Activation by a button with a confirmation, because its effects exceed the form. */
interface State {
  effects: string[];
  messages: { on: string; off: string };
  /** Further actions on several records. */
  bulk: readonly BulkAction[];
}

export function entityPages<Item extends Identified>(
  deps: ConsoleServices,
  name: string,
  { sections, state, ...own }: EntityPages<Item> = {},
): ConsolePage[] {
  const service = deps.records.of(name);
  const { entity } = service;
  const { field: fields, form: all, references } = entity;
  const isReference = (one: string) => references.some((reference) => reference.name === one);
  const namesFor = (isNew: boolean) => (!isNew && state ? all.filter((one) => one !== "Is_Active") : all);
  const plainFor = (isNew: boolean) => namesFor(isNew).filter((one) => !isReference(one) && one !== ATTRIBUTES);
  const texts = searchables(entity).map((one) => labelOf(entity, one.name));

  const kind: Kind<Item> = declaredKind<Item, EntityRecord, typeof ENTITY>(entity as EntityDeclaration, service, {
    titleOf: (record) => nameOf(name, record as unknown as ReferenceChoice),
    ...own,
    list: {
      filters: async () => [searchFor(entity.nouns[1]), ...(all.includes("Is_Active") ? [ACTIVE_FILTER] : [])],
      ofName: {},
      exports: (visit) => <Exports visit={visit} path={`${kind.path}/export`} parameters={filtersOf(visit)} />,
      bulk: (visit) => (state ? bulkOf(kind, visit, state.bulk) : undefined),
      noMatch: [`No ${entity.nouns[0]} matches`, `The search matches parts of ${texts.join(", ")}.`],
      ...own.list,
    },
    form: {
      labels: undefined,
      async of(visit, held) {
        const choices = await choicesOf(deps, visit, entity, held);
        const needed = neededOf(entity, held?.record);
        const now = Object.fromEntries([...choices].map(([one, choice]) => [one, choice.now]));
        const values = held && withoutUnset({ ...held.record });
        const definitions = await service.attributes(visit.caller);
        const more = { ...now, ...attributeTexts(values?.[ATTRIBUTES] as Attributes | undefined) };
        return {
          state: values ? formOfRecord(entity, plainFor(!held), values, more) : formOf({ Is_Active: "true" }),
          fields: (filled) => (
            <FieldsInSections
              contract={entity}
              names={namesFor(!held)}
              sections={sections}
              state={filled}
              field={(one) => {
                const shared = { state: filled, name: one };
                if (one === ATTRIBUTES) return attributeFields(filled, definitions);
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
        const held = isNew || isNamed ? undefined : await kind.records.read(visit);
        requireTexts(form, neededOf(entity, held?.record));
        const attributes = attributesOf(form, await service.attributes(visit.caller));
        const sent = Object.keys(attributes).length > 0 ? [{ [ATTRIBUTES]: attributes }] : [];
        const pointing = namesFor(isNew)
          .filter(isReference)
          .map((one) => referenceOf(form, one));
        return Object.assign(bodyOf(entity, plainFor(isNew), form), ...pointing, ...sent);
      },
      taken: (body) => {
        const given = entity.identifiers.filter((one) => (body as EntityRecord)[one]);
        return `${given.join(" or ")} is already used by another ${name}.`;
      },
      ...own.form,
    },
    page: {
      effects: (record) => [
        phrase`${kind.titleOf(record)} is deleted.`,
        `Webhook connections that listen to ${name} get its last state.`,
      ],
      ...own.page,
      actions: (visit, held) => ({
        next: state && stateButton(visit, held.record, deactivation(kind, state, held)),
        ...own.page?.actions?.(visit, held),
      }),
    },
    messages: { deleted: (record) => phrase`${kind.titleOf(record)} is deleted.`, ...own.messages },
  });
  const ofState = state ? [...statePages(kind, state), deactivatePage(kind, service, state.effects)] : [];
  const more = [exportPage(deps, service, kind.path), ...ofState, ...(own.more ?? [])];
  return recordPages(withMembers(deps, { ...kind, more }, entity));
}

function statePages<Item extends Identified>(kind: Kind<Item>, state: State): ConsolePage[] {
  const { path, scopes, records } = kind;
  async function setActive(visit: Visit, Is_Active: boolean, conditions = UNCONDITIONAL): Promise<Response> {
    await records.save(visit, { Id: visit.params.id, Is_Active }, conditions);
    return visit.goTo(`${path}/${visit.params.id}`, Is_Active ? state.messages.on : state.messages.off);
  }
  return [
    { path: `${path}/:id/activate`, POST: { needs: scopes.write, answer: (visit) => setActive(visit, true) } },
    confirming({
      path: `${path}/:id/deactivate`,
      needs: [scopes.read, ...scopes.write],
      ask: async (visit) => deactivation(kind, state, await records.read(visit)),
      act: (visit, { basis }) => setActive(visit, false, { ...UNCONDITIONAL, ifMatch: [basis] }),
    }),
  ];
}

function deactivation<Item extends Identified>(kind: Kind<Item>, { effects }: State, { record, version }: Held<Item>) {
  return {
    title: phrase`Deactivate ${kind.titleOf(record)}?`,
    above: aboveOf(kind, record),
    effects,
    confirm: `Deactivate ${kind.nouns[0]}`,
    basis: version,
    back: `${kind.path}/${record.Id}`,
  } satisfies Confirmation;
}

function stateButton(visit: Visit, record: object & { Is_Active?: boolean }, question: Confirmation): JSX.Element {
  return record.Is_Active ? (
    <AskButton visit={visit} action={`${question.back}/deactivate`} label="Deactivate" question={question} />
  ) : (
    <ActionButton visit={visit} action={`${question.back}/activate`} label="Activate" />
  );
}

/** The API and providers may create records without these fields, but a value that exists must be kept. */
function neededOf({ form, field }: Entity, record: object | undefined): string[] {
  const before = record as Record<string, unknown> | undefined;
  return form.filter((name) => field[name]!.form?.needed && before?.[name] !== "");
}

/** docs/behaviour.md "Fields": an unset date has a default value in responses. */
function withoutUnset(record: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => [name, value === recordFields.UNSET_DATE ? "" : value]),
  );
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
