import type { Page } from "../../http/paging.ts";
import type { Visit } from "../visit.ts";
import { type FormState, refusedForm } from "./form-state.ts";
import { EmptyState, Pager } from "./parts.tsx";
import { type Filter, SearchForm } from "./search.tsx";
import { type Column, Table } from "./table.tsx";

/** What the filters of a page have found, or what is wrong with them. */
export interface Found<Row> {
  page: Page<Row>;
  problems?: FormState;
}

/** Reads a list; a filter that is wrong is said beside it, with all of them as they were typed. */
export async function find<Row>(visit: Visit, filters: Filter[], read: () => Promise<Page<Row>>): Promise<Found<Row>> {
  try {
    return { page: await read() };
  } catch (error) {
    const names = filters.map(({ name }) => name);
    return { page: { Items: [], Next: null }, problems: refusedForm(visit.url.searchParams, error, names) };
  }
}

/** The status of a list's page. */
export function statusOf({ problems }: Found<unknown>): number {
  return problems ? 400 : 200;
}

/** Stands in the place of a list that was not asked for in a way it could be given. */
export function NotAsked(): JSX.Element {
  return (
    <EmptyState title="Nothing was looked for">
      <p>Correct the filter, or clear all of them.</p>
    </EmptyState>
  );
}

export interface ListProps<Row> {
  visit: Visit;
  /** For who does not see the heading above it. */
  caption: string;
  filters: Filter[];
  found: Found<Row>;
  columns: Column<Row>[];
  /** Stands in the table's place if there is nothing. */
  empty: JSX.Element;
}

/** Filters, what they find, and the way to more of it. */
export function List<Row>({ visit, caption, filters, found, columns, empty }: ListProps<Row>): JSX.Element {
  const { page, problems } = found;
  return (
    <>
      <SearchForm visit={visit} filters={filters} problems={problems} />
      {page.Items.length > 0 ? (
        <Table caption={caption} columns={columns} rows={page.Items} />
      ) : problems ? (
        <NotAsked />
      ) : (
        (empty as "safe")
      )}
      <Pager visit={visit} next={page.Next} />
    </>
  );
}
