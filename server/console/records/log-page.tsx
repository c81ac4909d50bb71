// Pages with one list: that of a kind of record, and those of logs, which are read by the filters in the address.

import { type Asked, type Filters, type Page, readAsked } from "../../platform/http/query.ts";
import { find, inRange, List, type ListProps } from "../../ui/index.ts";
import type { View, Visit } from "../page.tsx";
import { filtersOf } from "./records.tsx";

interface ListView<Row>
  extends Pick<View, "title" | "above" | "lead" | "actions">,
    Omit<ListProps<Row>, "visit" | "found" | "columns"> {
  read(): Promise<Page<Row>>;
  /** Of all rows, up to `max`; null: it is not told. */
  count?(max: number): Promise<number | null>;
  /** The parts that depend on what was read. */
  parts(page: Page<Row>): Parts<Row> | Promise<Parts<Row>>;
  /** A button: beside the title, or in a list that has never had a row. */
  add?: JSX.Element | undefined;
  /** Above the list. */
  top?: JSX.Element;
}

type Parts<Row> = Pick<ListProps<Row>, "columns"> &
  Partial<Pick<ListProps<Row>, "bulk" | "empty" | "exports" | "live">>;

export async function listView<Row>(visit: Visit, view: ListView<Row>): Promise<View> {
  const { title, above, lead, actions, read, count, parts, add, top = "", ...list } = view;
  const found = await find(visit, list.filters ?? [], read, count);
  const { live, empty, ...rest } = { ...list, ...(await parts(found.page)) };
  return {
    title,
    above,
    lead,
    status: found.status,
    actions: found.isBare ? actions : (add ?? actions),
    body: (
      <>
        {top as "safe"}
        <List
          {...rest}
          visit={visit}
          live={found.problems ? undefined : live}
          found={found}
          empty={empty && { ...empty, add }}
        />
      </>
    ),
  };
}

interface LogPage<Known extends Filters, Row> extends Omit<ListView<Row>, "read" | "exports"> {
  /** The filters of the service. */
  known: Known;
  /** Replaces filters that only the page has. @throws BadInput */
  translate?(parameters: URLSearchParams): Promise<URLSearchParams>;
  read(asked: Asked<Known>): Promise<Page<Row>>;
  exports?(parameters: URLSearchParams): JSX.Element;
}

export function logPage<Known extends Filters, Row>(visit: Visit, log: LogPage<Known, Row>): Promise<View> {
  const { known, translate, read, parts, exports, ...view } = log;
  let parameters = inRange(filtersOf(visit));
  // Later pages show the past, so they do not refresh.
  const isPast = visit.url.searchParams.has("Cursor");
  return listView(visit, {
    ...view,
    async read() {
      if (translate) parameters = await translate(parameters);
      return read(readAsked(known, parameters));
    },
    async parts(page) {
      const { live = view.live, ...own } = await parts(page);
      return { ...own, live: isPast ? undefined : live, exports: exports?.(parameters) };
    },
  });
}
