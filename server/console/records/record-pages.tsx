// The pages of every kind of record: list, record, add, change and delete. A kind supplies its names, its reading and
// writing, and its special parts.

import { Conflict } from "../../platform/errors.ts";
import { type Conditions, UNCONDITIONAL } from "../../platform/http/conditions.ts";
import type { Page as ListPage } from "../../platform/http/query.ts";
import type { Scope } from "../../records/index.ts";
import {
  ButtonLink,
  type Column,
  type Effect,
  EmptyState,
  FormPanel,
  type FormState,
  find,
  type Labels,
  List,
  type ListFilter,
  refusedForm,
  statusOf,
} from "../../ui/index.ts";
import { type Confirmation, type ConsolePage, confirming, type PageRecord, type View } from "../page.tsx";
import type { Visit } from "../visit.ts";
import { filtersOf, isFiltered } from "./records.tsx";

type Action = Extract<Scope, `${string}:${string}`>;

export type Identified = object & { Id: string | number };

export interface Held<Item> {
  record: Item;
  /** The entity tag, and the values that it is computed from. */
  version: string;
  stored: object;
}

export interface RecordForm {
  state: FormState;
  fields(state: FormState): JSX.Element;
}

type EmptyText = readonly [title: string, text: string];

export interface Kind<Item extends Identified> {
  type: string;
  /** The list's path; all other paths are below it. */
  path: string;
  /** The singular within a sentence, and the plural heading. */
  nouns: readonly [one: string, several: string];
  /** The last of `write` is checked against the record itself. */
  scopes: { read: Action; write: readonly Action[]; remove: Action };
  /** A record that the visitor may not read has only its Id. */
  titleOf(record: Partial<Item>): string;

  list(visit: Visit): Promise<ListPage<Item>>;
  filters(visit: Visit): Promise<ListFilter[]>;
  /** The first column, which links to the record; by default its name. */
  first?(visit: Visit): Column<Item>;
  columns(visit: Visit): Column<Item>[];
  live?: { id: string; seconds: number };
  empty: { none: EmptyText; filtered: EmptyText };
  lead?(visit: Visit): JSX.Element;
  /** Buttons, if a record can be added in several ways. */
  adds?(visit: Visit): JSX.Element;

  read(visit: Visit): Promise<Held<Item>>;
  /** @param conditions If-None-Match for a new record @throws ApiError */
  save(visit: Visit, body: object, conditions: Conditions): Promise<Partial<Item>>;
  /** @returns the record's last state */
  remove(visit: Visit, conditions: Conditions): Promise<Partial<Item>>;

  names: readonly string[];
  labels?: Labels;
  /** @param held undefined for a new record */
  form(visit: Visit, held?: Held<Item>): Promise<RecordForm>;
  /** The input in the API's shape. @throws BadInput */
  body(visit: Visit, isNew: boolean): Promise<object>;
  /** The message if a unique value of a new record is taken. */
  taken(body: object): string;
  /** The page for adding, if it is not `add` below the list's path. */
  add?: { path: string; title(visit: Visit): string };
  /** The record's own page is also its form. */
  inPlace?: {
    label: string;
    beside?(visit: Visit): JSX.Element;
    below: JSX.Element;
  };

  /** The content of the record's page. @param refused a rejected form of that page */
  show(visit: Visit, held: Held<Item>, refused?: FormState): Promise<JSX.Element>;
  /** Replaces the redirect to a new record: shows what can be shown only once. */
  once?(visit: Visit, made: Partial<Item>, body: object): View | Response | undefined;
  leadOfOne?(visit: Visit): JSX.Element;
  /** Actions beside the heading for visitors who may change the record: before and after the link to the form. */
  actions?(visit: Visit, held: Held<Item>): { first?: JSX.Element; next?: JSX.Element };
  /** Further actions; the function decides who sees them. */
  others?(visit: Visit, record: Item): JSX.Element;
  effects(record: Item, visit: Visit): Effect[] | Promise<Effect[]>;
  messages: {
    added: string | Told<Item>;
    changed: string | Told<Item>;
    deleted(record: Partial<Item>): string;
  };
  more?: ConsolePage[];
  tabs?: (Pick<ConsolePage, "GET" | "POST"> & { tab: string })[];
}

/** @param record the visible part of what was saved */
type Told<Item> = (visit: Visit, record: Partial<Item>) => string | Promise<string>;

async function toldOf<Item>(message: string | Told<Item>, visit: Visit, record: Partial<Item>): Promise<string> {
  return typeof message === "string" ? message : message(visit, record);
}

export function recordPages<Item extends Identified>(kind: Kind<Item>): ConsolePage[] {
  const { path, nouns, inPlace, add } = kind;
  const { read, write, remove } = kind.scopes;
  const one = `${path}/:id`;
  const both = [read, ...write];
  const record: PageRecord = {
    type: kind.type,
    async read(visit) {
      const held = await kind.read(visit);
      return { id: String(held.record.Id), title: kind.titleOf(held.record), above: [listOf(kind)] };
    },
  };
  const changing = { needs: both, answer: (visit: Visit) => change(kind, visit) };
  return [
    { path, area: nouns[1], GET: { needs: [read], answer: (visit) => listPage(kind, visit) } },
    {
      path: `${path}/${add?.path ?? "add"}`,
      GET: { needs: write, answer: (visit) => addPage(kind, visit) },
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
            GET: { needs: both, answer: (visit: Visit) => changePage(kind, visit) },
            POST: changing,
          },
        ]),
    confirming({
      path: `${one}/delete`,
      isLinked: true,
      needs: [read, remove],
      ask: (visit) => askToDelete(kind, visit),
      async act(visit, { basis }) {
        const removed = await kind.remove(visit, { ...UNCONDITIONAL, ifMatch: [basis] });
        return visit.goTo(kind.path, kind.messages.deleted(removed));
      },
    }),
    ...(kind.tabs ?? []).map((tab): ConsolePage => ({ ...tab, path: `${one}/${tab.tab.toLowerCase()}`, record })),
    ...(kind.more ?? []),
  ];
}

async function listPage<Item extends Identified>(kind: Kind<Item>, visit: Visit): Promise<View> {
  const { path, nouns, scopes, empty } = kind;
  const [one, several] = nouns;
  const filters = await kind.filters(visit);
  const found = await find(visit, filters, () => kind.list(visit));
  const [title, text] = isFiltered(filtersOf(visit)) ? empty.filtered : empty.none;
  const name = kind.first?.(visit) ?? {
    name: "Name",
    cell: (record: Item) => (
      <a href={visit.href(`${path}/${record.Id}`)} safe>
        {kind.titleOf(record)}
      </a>
    ),
  };
  // ButtonLink escapes the label.
  const label = `Add ${one}`;
  const adds = kind.adds?.(visit) ?? (
    <ButtonLink href={visit.href(`${path}/add`)} kind="main">
      {label as "safe"}
    </ButtonLink>
  );
  return {
    title: several,
    status: statusOf(found),
    lead: kind.lead?.(visit),
    actions: scopes.write.every((scope) => visit.may(scope)) ? adds : undefined,
    body: (
      <List
        visit={visit}
        caption={several}
        filters={filters}
        live={kind.live}
        found={found}
        columns={[name, ...kind.columns(visit)]}
        empty={
          <EmptyState title={title}>
            <p safe>{text}</p>
          </EmptyState>
        }
      />
    ),
  };
}

/** @param refused a rejected form of the page */
async function onePage<Item extends Identified>(kind: Kind<Item>, visit: Visit, refused?: FormState): Promise<View> {
  const held = await kind.read(visit);
  const { record } = held;
  const path = `${kind.path}/${record.Id}`;
  const mayChange = mayChangeOne(kind, visit, record);
  const { first = "", next = "" } = (mayChange && kind.actions?.(visit, held)) || {};
  return {
    title: kind.titleOf(record),
    above: [listOf(kind)],
    status: refused ? 422 : 200,
    actions: (
      <>
        {first as "safe"}
        {mayChange && !kind.inPlace ? <ButtonLink href={visit.href(`${path}/change`)}>Change</ButtonLink> : ""}
        {next as "safe"}
        {(kind.others?.(visit, record) ?? "") as "safe"}
        {visit.may(kind.scopes.remove, kind.type, subjectOf(record)) ? (
          <ButtonLink href={visit.href(`${path}/delete`)} kind="danger">
            Delete
          </ButtonLink>
        ) : (
          ""
        )}
      </>
    ),
    lead: kind.leadOfOne?.(visit),
    body:
      kind.inPlace && mayChange
        ? await filled(kind, visit, { held, refused, action: path, back: kind.path })
        : await kind.show(visit, held, refused),
  };
}

async function addPage<Item extends Identified>(kind: Kind<Item>, visit: Visit, refused?: FormState): Promise<View> {
  return {
    title: kind.add?.title(visit) ?? `Add ${kind.nouns[0]}`,
    above: [listOf(kind)],
    status: refused ? 422 : 200,
    body: await filled(kind, visit, { refused, action: visit.url.pathname, back: kind.path }),
  };
}

async function addOne<Item extends Identified>(kind: Kind<Item>, visit: Visit): Promise<View | Response> {
  try {
    const body = await kind.body(visit, true);
    // If-None-Match: an upsert by identifier would otherwise change an existing record.
    const isNew = { ...UNCONDITIONAL, ifNoneMatch: "*" } as const;
    const made = await kind.save(visit, body, isNew).catch((error) => {
      throw error.status === 412 ? new Conflict(kind.taken(body)) : error;
    });
    return (
      kind.once?.(visit, made, body) ??
      visit.goTo(`${kind.path}/${made.Id}`, await toldOf(kind.messages.added, visit, made))
    );
  } catch (error) {
    return addPage(kind, visit, refusedForm(visit.form, error, kind.names, kind.labels));
  }
}

async function changePage<Item extends Identified>(kind: Kind<Item>, visit: Visit, refused?: FormState): Promise<View> {
  const held = await kind.read(visit);
  const path = `${kind.path}/${held.record.Id}`;
  return {
    title: `Change ${kind.nouns[0]}`,
    above: aboveOf(kind, held.record),
    status: refused ? 422 : 200,
    body: await filled(kind, visit, { held, refused, action: `${path}/change`, back: path }),
  };
}

/** Saves a changed record, unless it was changed by someone else meanwhile. */
async function change<Item extends Identified>(kind: Kind<Item>, visit: Visit): Promise<View | Response> {
  const { form, params } = visit;
  try {
    const body = { ...(await kind.body(visit, false)), Id: params.id };
    const saved = await kind.save(visit, body, { ...UNCONDITIONAL, ifMatch: [form.get("version") ?? ""] });
    return visit.goTo(`${kind.path}/${params.id}`, await toldOf(kind.messages.changed, visit, saved));
  } catch (error) {
    return (kind.inPlace ? onePage : changePage)(kind, visit, refusedForm(form, error, kind.names, kind.labels));
  }
}

async function askToDelete<Item extends Identified>(
  kind: Kind<Item>,
  visit: Visit,
): Promise<Confirmation & { basis: string }> {
  const { record, version } = await kind.read(visit);
  visit.caller.permissions.require(kind.scopes.remove, kind.type, subjectOf(record));
  const [one] = kind.nouns;
  return {
    title: `Delete this ${one}?`,
    above: aboveOf(kind, record),
    effects: await kind.effects(record, visit),
    confirm: `Delete ${one}`,
    basis: version,
    back: `${kind.path}/${record.Id}`,
  };
}

interface Filled<Item> {
  held?: Held<Item>;
  refused: FormState | undefined;
  action: string;
  back: string;
}

async function filled<Item extends Identified>(
  kind: Kind<Item>,
  visit: Visit,
  { held, refused, ...ways }: Filled<Item>,
) {
  const { inPlace, nouns } = kind;
  const form = await kind.form(visit, held);
  const state = refused ?? form.state;
  return (
    <>
      <FormPanel
        visit={visit}
        state={state}
        {...ways}
        label={inPlace?.label ?? (held ? "Save" : `Add ${nouns[0]}`)}
        version={held?.version}
        wide={inPlace !== undefined}
        beside={inPlace?.beside?.(visit)}
      >
        {form.fields(state) as "safe"}
      </FormPanel>
      {(inPlace?.below ?? "") as "safe"}
    </>
  );
}

function mayChangeOne<Item extends Identified>({ scopes, type }: Kind<Item>, visit: Visit, record: Item): boolean {
  return scopes.write.every((scope) => visit.may(scope)) && visit.may(scopes.write.at(-1)!, type, subjectOf(record));
}

function listOf<Item extends Identified>({ nouns, path }: Kind<Item>) {
  return { name: nouns[1], path };
}

export function aboveOf<Item extends Identified>(kind: Kind<Item>, record: Item) {
  return [listOf(kind), { name: kind.titleOf(record), path: `${kind.path}/${record.Id}` }];
}

const subjectOf = (record: object): Record<string, unknown> => ({ ...record });

export const headingOf = (several: string) => several.charAt(0).toUpperCase() + several.slice(1);
