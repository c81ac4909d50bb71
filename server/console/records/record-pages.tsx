// The pages of every kind of record: list, record, add, change and delete. Most parts of a kind come from its
// declaration and its service (declared.tsx); the others are in its own pages.

import { Conflict } from "../../platform/errors.ts";
import { type Conditions, UNCONDITIONAL } from "../../platform/http/conditions.ts";
import type { Page as ListPage } from "../../platform/http/query.ts";
import type { Scope } from "../../records/index.ts";
import {
  ButtonLink,
  type Column,
  type Effect,
  FormPanel,
  type FormState,
  type Labels,
  Link,
  type ListProps,
  refusedForm,
} from "../../ui/index.ts";
import { type Confirmation, type ConsolePage, confirming, type PageRecord, type View, type Visit } from "../page.tsx";
import { listView } from "./log-page.tsx";

type Action = Extract<Scope, `${string}:${string}`>;

export type Identified = object & { Id: string | number };

export interface Kind<Item extends Identified> {
  type: string;
  /** The list's path; all other paths are below it. */
  path: string;
  /** The singular within a sentence, and the plural heading. */
  nouns: readonly [one: string, several: string];
  /** Policies check the last scope of `write` against the record itself. */
  scopes: { read: Action; write: readonly Action[]; remove: Action };
  /** A record that the visitor may not read has only its Id. */
  titleOf(record: Partial<Item>): string;
  records: Records<Item>;
  list: ListParts<Item>;
  form: FormParts<Item>;
  page: PageParts<Item>;
  messages: Messages<Item>;
  /** Further pages. One with `tab` is a tab of the record's page. */
  more?: ConsolePage[];
}

/** The path's `:id` is the record's Id. */
interface Records<Item> {
  list(visit: Visit): Promise<ListPage<Item>>;
  /** Of the whole list, up to `max`; null: it is not told. */
  count(visit: Visit, max: number): Promise<number | null>;
  read(visit: Visit): Promise<Held<Item>>;
  /** @param conditions If-None-Match for a new record @throws ApiError */
  save(visit: Visit, body: object, conditions: Conditions): Promise<Partial<Item>>;
  /** @returns the record's last state */
  remove(visit: Visit, conditions: Conditions): Promise<Partial<Item>>;
}

export interface Held<Item> {
  record: Item;
  /** The entity tag, and the values that it is computed from. */
  version: string;
  stored: object;
}

interface ListParts<Item> {
  lead?(visit: Visit): JSX.Element;
  filters(visit: Visit): Promise<NonNullable<ListProps<Item>["filters"]>>;
  /** The first column, which links to the record; default: its name. */
  first?(visit: Visit): Column<Item>;
  /** Of the default one. */
  ofName?: Partial<Pick<Column<Item>, "name" | "sort">>;
  /** Within a sentence; default: those of the kind. */
  nouns?: readonly [one: string, several: string];
  columns: Column<Item>[];
  /** Shown instead of an empty list, and of one without a match. */
  none: EmptyText;
  noMatch: EmptyText;
  live?: { id: string; seconds: number };
  tabs?(visit: Visit): Promise<ListProps<Item>["tabs"]>;
  bulk?(visit: Visit): ListProps<Item>["bulk"];
  exports?(visit: Visit): JSX.Element;
}

type EmptyText = NonNullable<ListProps<never>["empty"]>["none"];

interface FormParts<Item> {
  /** The fields that problems are shown at. */
  names: readonly string[];
  labels?: Labels;
  /** @param held undefined for a new record */
  of(visit: Visit, held?: Held<Item>): Promise<RecordForm>;
  /** The input in the API's shape. @throws BadInput */
  body(visit: Visit, isNew: boolean): Promise<object>;
  /** The message if a unique value of a new record is taken. */
  taken(body: object): string;
  add?: Adding;
  /** The record's own page is also its form. */
  inPlace?: {
    label: string;
    beside?(visit: Visit): JSX.Element;
    aside: JSX.Element;
  };
}

export interface RecordForm {
  state: FormState;
  fields(state: FormState): JSX.Element;
}

interface Adding {
  /** Below the list's path; default: `add`. */
  path?: string;
  title?(visit: Visit): string;
  /** Buttons, if a record can be added in several ways. */
  links?(visit: Visit): JSX.Element;
}

interface PageParts<Item> {
  lead?(visit: Visit): JSX.Element;
  show(visit: Visit, held: Held<Item>): Promise<JSX.Element>;
  actions?(visit: Visit, held: Held<Item>): Actions;
  /** The effects of a deletion, which the page that confirms it lists. */
  effects(record: Item, visit: Visit): Effect[] | Promise<Effect[]>;
}

/** Before and after the link to the form, for visitors who may change the record; and those that all visitors see. */
interface Actions {
  first?: JSX.Element;
  next?: JSX.Element;
  others?: JSX.Element;
}

/** @param record the visible part of what was saved */
interface Messages<Item> {
  /** A page if it shows what can be shown only once. */
  added(visit: Visit, record: Partial<Item>, body: object): string | Response | Promise<string | Response>;
  changed(visit: Visit, record: Partial<Item>): string | Promise<string>;
  deleted(record: Partial<Item>): string;
}

/** A kind whose record type does not matter. */
type AnyKind = Kind<Identified>;

export function recordPages(kind: AnyKind): ConsolePage[] {
  const { path, nouns, more = [] } = kind;
  const { add, inPlace } = kind.form;
  const { read, write, remove } = kind.scopes;
  const one = `${path}/:id`;
  const both = [read, ...write];
  const record: PageRecord = {
    type: kind.type,
    async read(visit) {
      const held = await kind.records.read(visit);
      return { id: String(held.record.Id), title: kind.titleOf(held.record), above: [listOf(kind)] };
    },
  };
  const changing = { needs: both, answer: (visit: Visit) => change(kind, visit) };
  return [
    { path, area: nouns[1], GET: { needs: [read], answer: (visit) => listPage(kind, visit) } },
    {
      path: `${path}/${add?.path ?? "add"}`,
      command: `Add ${nouns[0]}`,
      GET: { needs: write, answer: (visit) => formPage(kind, visit, false) },
      POST: { needs: write, answer: (visit) => addOne(kind, visit) },
    },
    {
      path: one,
      shows: kind.type,
      record,
      tab: "Record",
      GET: { needs: [read], answer: (visit) => onePage(kind, visit) },
      ...(inPlace && { POST: changing }),
    },
    ...(inPlace
      ? []
      : [
          {
            path: `${one}/change`,
            GET: { needs: both, answer: (visit: Visit) => formPage(kind, visit, true) },
            POST: changing,
          },
        ]),
    confirming({
      path: `${one}/delete`,
      isLinked: true,
      needs: [read, remove],
      ask: (visit) => askToDelete(kind, visit),
      async act(visit, { basis }) {
        const removed = await kind.records.remove(visit, { ...UNCONDITIONAL, ifMatch: [basis] });
        return visit.goTo(kind.path, kind.messages.deleted(removed));
      },
    }),
    ...more.map((page) => (page.tab ? { ...page, record } : page)),
  ];
}

async function listPage(kind: AnyKind, visit: Visit): Promise<View> {
  const { path, nouns, scopes, records, list, form } = kind;
  const [one, several] = nouns;
  const first = list.first?.(visit) ?? {
    name: "Name",
    ...list.ofName,
    cell: (record: Identified) => <Link href={visit.href(`${path}/${record.Id}`)} text={kind.titleOf(record)} />,
  };
  const label = `Add ${one}`;
  const links = form.add?.links?.(visit) ?? <ButtonLink href={visit.href(`${path}/add`)} label={label} kind="main" />;
  const add = scopes.write.every((scope) => visit.may(scope)) ? links : undefined;
  return listView(visit, {
    title: several,
    lead: list.lead?.(visit),
    caption: several,
    add,
    filters: await list.filters(visit),
    nouns: list.nouns ?? nouns,
    read: () => records.list(visit),
    count: (max) => records.count(visit, max),
    tabs: await list.tabs?.(visit),
    bulk: list.bulk?.(visit),
    live: list.live,
    empty: list,
    parts: () => ({ columns: [first, ...list.columns], exports: list.exports?.(visit) }),
  });
}

/** @param refused a rejected form of the page */
async function onePage(kind: AnyKind, visit: Visit, refused?: FormState): Promise<View> {
  const held = await kind.records.read(visit);
  const { record } = held;
  const { page, form } = kind;
  const path = `${kind.path}/${record.Id}`;
  const mayChange = mayChangeOne(kind, visit, record);
  const { others = "", ...actions } = page.actions?.(visit, held) ?? {};
  const { first = "", next = "" } = mayChange ? actions : {};
  return {
    title: kind.titleOf(record),
    above: [listOf(kind)],
    status: refused ? 422 : 200,
    actions: (
      <>
        {first as "safe"}
        {mayChange && !form.inPlace ? <ButtonLink href={visit.href(`${path}/change`)} label="Change" /> : ""}
        {next as "safe"}
        {others as "safe"}
        {visit.may(kind.scopes.remove, kind.type, subjectOf(record)) && (
          <ButtonLink href={visit.href(`${path}/delete`)} label="Delete" kind="danger" />
        )}
      </>
    ),
    lead: page.lead?.(visit),
    body: form.inPlace && mayChange ? await filled(kind, visit, held, refused) : await page.show(visit, held),
  };
}

/** @param isChange of the record with the path's `:id`; otherwise a record is added */
async function formPage(kind: AnyKind, visit: Visit, isChange: boolean, refused?: FormState): Promise<View> {
  const held = isChange ? await kind.records.read(visit) : undefined;
  const [one] = kind.nouns;
  return {
    title: held ? `Change ${one}` : (kind.form.add?.title?.(visit) ?? `Add ${one}`),
    above: held ? aboveOf(kind, held.record) : [listOf(kind)],
    status: refused ? 422 : 200,
    body: await filled(kind, visit, held, refused),
  };
}

async function addOne(kind: AnyKind, visit: Visit): Promise<View | Response> {
  const { form, records, messages } = kind;
  try {
    const body = await form.body(visit, true);
    // If-None-Match: an upsert by identifier would otherwise change an existing record.
    const isNew = { ...UNCONDITIONAL, ifNoneMatch: "*" } as const;
    const made = await records.save(visit, body, isNew).catch((error) => {
      throw error.status === 412 ? new Conflict(form.taken(body)) : error;
    });
    const told = await messages.added(visit, made, body);
    return typeof told === "string" ? visit.goTo(`${kind.path}/${made.Id}`, told) : told;
  } catch (error) {
    return formPage(kind, visit, false, refusedForm(visit.form, error, form.names, form.labels));
  }
}

/** Saves a changed record, unless it was changed by someone else meanwhile. */
async function change(kind: AnyKind, visit: Visit): Promise<View | Response> {
  const { form, records, messages } = kind;
  const { params } = visit;
  try {
    const body = { ...(await form.body(visit, false)), Id: params.id };
    const unchanged = { ...UNCONDITIONAL, ifMatch: [visit.form.get("version") ?? ""] };
    const saved = await records.save(visit, body, unchanged);
    return visit.goTo(`${kind.path}/${params.id}`, await messages.changed(visit, saved));
  } catch (error) {
    const refused = refusedForm(visit.form, error, form.names, form.labels);
    return form.inPlace ? onePage(kind, visit, refused) : formPage(kind, visit, true, refused);
  }
}

async function askToDelete(kind: AnyKind, visit: Visit): Promise<Confirmation & { basis: string }> {
  const { record, version } = await kind.records.read(visit);
  visit.caller.permissions.require(kind.scopes.remove, kind.type, subjectOf(record));
  const [one] = kind.nouns;
  return {
    title: `Delete this ${one}?`,
    above: aboveOf(kind, record),
    effects: await kind.page.effects(record, visit),
    confirm: `Delete ${one}`,
    basis: version,
    back: `${kind.path}/${record.Id}`,
  };
}

/** The page's form, which is submitted to the page's own address. */
async function filled({ path, form, nouns }: AnyKind, visit: Visit, held?: Held<Identified>, refused?: FormState) {
  const { inPlace } = form;
  const { state: initial, fields } = await form.of(visit, held);
  const state = refused ?? initial;
  const panel = (
    <FormPanel
      visit={visit}
      state={state}
      action={visit.url.pathname}
      back={held && !inPlace ? `${path}/${held.record.Id}` : path}
      label={inPlace?.label ?? (held ? "Save" : `Add ${nouns[0]}`)}
      version={held?.version}
      wide={inPlace !== undefined}
      beside={inPlace?.beside?.(visit)}
    >
      {fields(state) as "safe"}
    </FormPanel>
  );
  return inPlace ? (
    <div class="two">
      {panel as "safe"}
      {inPlace.aside as "safe"}
    </div>
  ) : (
    panel
  );
}

export function mayChangeOne({ scopes, type }: AnyKind, visit: Visit, record: Identified): boolean {
  return scopes.write.every((scope) => visit.may(scope)) && visit.may(scopes.write.at(-1)!, type, subjectOf(record));
}

export type KindPath = Pick<AnyKind, "nouns" | "path">;

export function listOf({ nouns, path }: KindPath) {
  return { name: nouns[1], path };
}

export function aboveOf(kind: AnyKind, record: Identified) {
  return [listOf(kind), { name: kind.titleOf(record), path: `${kind.path}/${record.Id}` }];
}

const subjectOf = (record: object): Record<string, unknown> => ({ ...record });

export const headingOf = (several: string) => several.charAt(0).toUpperCase() + several.slice(1);
