import type { Page } from "../../http/paging.ts";
import type { Visit } from "../visit.ts";
import { Pager } from "./parts.tsx";
import { type Filter, SearchForm } from "./search.tsx";
import { type Column, Table } from "./table.tsx";

export interface ListProps<Row> {
  visit: Visit;
  /** For who does not see the heading above it. */
  caption: string;
  filters: Filter[];
  page: Page<Row>;
  columns: Column<Row>[];
  /** Stands in the table's place if there is nothing. */
  empty: JSX.Element;
}

/** Filters, what they find, and the way to more of it. */
export function List<Row>({ visit, caption, filters, page, columns, empty }: ListProps<Row>): JSX.Element {
  return (
    <>
      <SearchForm visit={visit} filters={filters} />
      {page.Items.length > 0 ? <Table caption={caption} columns={columns} rows={page.Items} /> : (empty as "safe")}
      <Pager visit={visit} next={page.Next} />
    </>
  );
}
