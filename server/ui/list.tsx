import type { Children } from "@kitajs/html";
import type { Page } from "../platform/http/query.ts";
import { refusedForm } from "./contract-form.tsx";
import { Chips, hrefWith, isFiltered, type ListFilter, RESULTS, SearchForm } from "./filters.tsx";
import type { FormState } from "./form.tsx";
import { attribute } from "./layout.tsx";
import { AskButton, type AskButtonProps, EmptyState, Live, Pager, Section } from "./parts.tsx";
import type { PageVisit } from "./visit.ts";

export interface FoundRows<Row> {
  page: Page<Row>;
  /** Of the answer: 400 for invalid filters. */
  status?: 200 | 400;
  problems?: FormState;
  /** All rows of a list without filters, up to one more than MAX_COUNTED; null: it is not told. */
  total?: number | null;
  /** There is no record at all, so the page needs no filters. */
  isBare?: boolean;
}

/** The page of a list that was not read. */
const NO_ROWS: Page<never> = { Items: [], Next: null, Hidden: 0 };

/** Reads a list. Invalid filters are reported beside their input. */
export async function find<Row>(
  visit: PageVisit,
  filters: ListFilter[],
  read: () => Promise<Page<Row>>,
  count?: (max: number) => Promise<number | null>,
): Promise<FoundRows<Row>> {
  try {
    const page = await read();
    const isWhole = page.Next === null && !visit.url.searchParams.has("Cursor");
    // Filters of a large kind have no index.
    if (isFiltered(visit)) return { page };
    if (isWhole) return { page, total: page.Items.length, isBare: page.Items.length === 0 };
    return { page, total: (await count?.(MAX_COUNTED + 1)) ?? null };
  } catch (error) {
    const names = filters.map(({ name }) => name);
    return { page: NO_ROWS, status: 400, problems: refusedForm(visit.url.searchParams, error, names) };
  }
}

export interface ListProps<Row> {
  visit: PageVisit;
  /** For screen readers, which may not relate the table to the heading above. */
  caption: string;
  /** Default: none. */
  filters?: ListFilter[];
  /** The label of the form's button. */
  action?: string;
  /** Set for a log: links to time ranges. */
  ranges?: { longest?: "24h" | "7d" };
  found: FoundRows<Row>;
  columns: Column<Row>[];
  /** Instead of an empty table. */
  empty?: EmptyTexts;
  /** The nouns of its rows, for their number. */
  nouns?: readonly [one: string, several: string];
  /** Parts of the list, each with a link. */
  tabs?: ListTab[] | undefined;
  bulk?: Bulk<Row> | undefined;
  /** Links to files with all rows. */
  exports?: JSX.Element | undefined;
  /** `news`: announced to screen readers. */
  live?: { id: string; seconds: number; news?: JSX.Element };
}

/** Of a list without records, and of one where no record matches the filters. */
interface EmptyTexts {
  none: EmptyText;
  noMatch?: EmptyText;
  /** A button below `none`. */
  add?: JSX.Element | undefined;
}

type EmptyText = readonly [title: string, text?: string];

interface ListTab {
  name: string;
  count?: number | null | undefined;
  /** The parameters of its address. */
  query: Record<string, string | undefined>;
}

/** Actions on all chosen rows, whose Ids are sent as `Id`. */
interface Bulk<Row> {
  method: "get" | "post";
  idOf(row: Row): string;
  nameOf(row: Row): string;
  /** Whether a row can be chosen; default: all. */
  isFit?(row: Row): boolean;
  /** Submit buttons with a `formaction`, and other fields. */
  actions: JSX.Element;
}

/** A total that large is not counted on. */
const MAX_COUNTED = 1_000;
const BULK = "bulk";

export function List<Row>(props: ListProps<Row>): JSX.Element {
  const { visit, caption, filters = [], action, ranges, found, columns, live, tabs = [], bulk, exports } = props;
  const { page, problems, isBare } = found;
  const table =
    page.Items.length > 0 ? (
      <Table visit={visit} caption={caption} columns={bulk ? [pick(bulk), ...columns] : columns} rows={page.Items} />
    ) : (
      <Nothing {...props} />
    );
  return (
    <div class="list">
      {tabs.length > 0 && !isBare && <Tabs visit={visit} tabs={tabs} />}
      {filters.length > 0 && !isBare && (
        <SearchForm visit={visit} filters={filters} problems={problems} action={action} ranges={ranges} />
      )}
      <div id={RESULTS}>
        <Chips visit={visit} filters={filters} inSight={tabs.flatMap(({ query }) => Object.keys(query))} />
        {live ? (
          <Live visit={visit} id={live.id} seconds={live.seconds}>
            {(live.news ?? "") as "safe"}
            {table as "safe"}
          </Live>
        ) : (
          (table as "safe")
        )}
        {bulk && page.Items.length > 0 ? <BulkBar visit={visit} bulk={bulk} /> : ""}
        <div class="list-end">
          <Total {...props} />
          {page.Items.length > 0 && exports ? <p>{exports as "safe"}</p> : ""}
          <Pager visit={visit} page={page} />
        </div>
      </div>
    </div>
  );
}

function Nothing<Row>({ visit, found, empty }: ListProps<Row>): JSX.Element {
  if (found.problems) {
    return <EmptyState title="No results" text="Correct the filter, or clear all of them." />;
  }
  const { none, noMatch = none, add } = empty ?? { none: ["Nothing here"] as const };
  const isAsked = isFiltered(visit);
  const [title, text = ""] = isAsked ? noMatch : none;
  return (
    <EmptyState title={title} text={text}>
      {!isAsked && add ? <p>{add as "safe"}</p> : ""}
    </EmptyState>
  );
}

function Tabs({ visit, tabs }: { visit: PageVisit; tabs: ListTab[] }): JSX.Element {
  const isChosen = ({ query }: ListTab) =>
    Object.entries(query).every(([name, value = ""]) => (visit.url.searchParams.get(name) ?? "") === value);
  return (
    <nav class="tabs" aria-label="Parts of the list">
      {tabs.map((tab) => (
        <a href={attribute(hrefWith(visit, tab.query))} aria-current={isChosen(tab) ? "true" : undefined}>
          <span safe>{tab.name}</span> {typeof tab.count === "number" && <small safe>{countInWords(tab.count)}</small>}
        </a>
      ))}
    </nav>
  );
}

const countInWords = (count: number) =>
  count > MAX_COUNTED ? `${MAX_COUNTED.toLocaleString("en")}+` : count.toLocaleString("en");

function Total<Row>({ nouns, found: { page, total } }: ListProps<Row>): JSX.Element {
  const known = total ?? (page.Next === null ? page.Items.length : undefined);
  if (!nouns || page.Items.length === 0) return "";
  const words = known === undefined ? `${page.Items.length} or more` : countInWords(known);
  return (
    <p class="fine" role="status" safe>
      {`${words} ${known === 1 ? nouns[0] : nouns[1]}`}
    </p>
  );
}

function pick<Row>({ idOf, nameOf, isFit = () => true }: Bulk<Row>): Column<Row> {
  return {
    name: "",
    isPick: true,
    cell: (row) =>
      isFit(row) ? (
        <input
          type="checkbox"
          form={BULK}
          name="Id"
          value={attribute(idOf(row))}
          aria-label={attribute(`Choose ${nameOf(row)}`)}
        />
      ) : (
        ""
      ),
  };
}

/** Styles show it while a row is chosen. */
function BulkBar<Row>({ visit, bulk: { method, actions } }: { visit: PageVisit; bulk: Bulk<Row> }): JSX.Element {
  return (
    <form id={BULK} class="bulk" method={method} action={visit.href(visit.url.pathname)}>
      {method === "post" && <input type="hidden" name="csrf" value={visit.csrf} />}
      <span class="chosen"></span>
      {actions as "safe"}
    </form>
  );
}

interface ListSectionProps<Row> {
  title: string;
  id?: string;
  /** Default: the title. */
  caption?: string;
  columns: Column<Row>[];
  rows: readonly Row[];
  /** Instead of an empty table; without it, there is no section. */
  none?: string;
  /** Below the rows. */
  children?: Children;
  /** Such as a link to all of them. */
  buttons?: JSX.Element | false;
}

/** The first rows of a list, as a section of a record's page. */
export function ListSection<Row>(props: ListSectionProps<Row>): JSX.Element {
  const { title, id, caption = title, columns, rows, none, children = "", buttons } = props;
  if (rows.length === 0 && none === undefined) return "";
  return (
    <Section title={title} id={id} buttons={buttons}>
      {rows.length > 0 ? (
        <Table caption={caption} columns={columns} rows={rows} />
      ) : (
        <p class="fine" safe>
          {none!}
        </p>
      )}
      {children as "safe"}
    </Section>
  );
}

/** The column of an action, by its name, that asks first; none if the visitor may not act. */
export function askColumn<Row>(
  visit: PageVisit,
  may: boolean,
  name: string,
  ask: (row: Row) => Omit<AskButtonProps, "visit" | "label">,
): Column<Row>[] {
  return may ? [{ name, cell: (row) => <AskButton visit={visit} label={name} {...ask(row)} /> }] : [];
}

export interface Column<Row> {
  name: string;
  cell(row: Row): JSX.Element;
  numeric?: boolean;
  /** The value of Sort for its order. */
  sort?: string;
  /** The place on a narrow screen: beside the first column, or none; default: the second line. */
  narrow?: "beside" | "none";
  /** Its check box chooses the row. */
  isPick?: boolean;
}

export interface TableProps<Row> {
  caption: string;
  columns: Column<Row>[];
  rows: readonly Row[];
  /** Set for columns with a sort. */
  visit?: PageVisit;
}

/** The implicit roles, set explicitly because CSS display can remove table semantics. */
const ROLES = {
  table: { role: "table" },
  rowgroup: { role: "rowgroup" },
  row: { role: "row" },
  columnheader: { role: "columnheader" },
  rowheader: { role: "rowheader" },
  cell: { role: "cell" },
} as const;

/** On narrow screens each row has two lines. The first column, beside a check box, is the row header. */
export function Table<Row>({ caption, columns, rows, visit }: TableProps<Row>): JSX.Element {
  const first = columns.findIndex(({ isPick }) => !isPick);
  return (
    <table class="rows" data-columns={String(columns.length)} {...ROLES.table}>
      <caption class="unseen" safe>
        {caption}
      </caption>
      <thead {...ROLES.rowgroup}>
        <tr {...ROLES.row}>
          {columns.map((column) => (
            <Header visit={visit} column={column} />
          ))}
        </tr>
      </thead>
      <tbody {...ROLES.rowgroup}>
        {rows.map((row) => (
          <tr {...ROLES.row}>
            {columns.map((column, index) =>
              index === first ? (
                <th scope="row" {...ROLES.rowheader}>
                  {column.cell(row)}
                </th>
              ) : (
                <td {...ROLES.cell} class={classOf(column)} data-name={attribute(column.name)}>
                  {column.cell(row)}
                </td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function classOf({
  numeric,
  narrow,
  isPick,
}: Pick<Column<never>, "numeric" | "narrow" | "isPick">): string | undefined {
  return [numeric && "number", narrow && `narrow-${narrow}`, isPick && "pick"].filter(Boolean).join(" ") || undefined;
}

function Header({ visit, column }: { visit: PageVisit | undefined; column: Omit<Column<never>, "cell"> }): JSX.Element {
  const { name, sort, isPick } = column;
  const shared = { scope: "col", ...ROLES.columnheader, class: classOf(column) } as const;
  if (isPick) {
    return (
      <th {...shared}>
        <span class="unseen">Choose</span>
      </th>
    );
  }
  if (!visit || !sort) {
    return (
      <th {...shared} safe>
        {name}
      </th>
    );
  }
  const reversed = sort.startsWith("-") ? sort.slice(1) : `-${sort}`;
  const asked = visit.url.searchParams.get("Sort");
  const [isSame, isReversed] = [asked === sort, asked === reversed];
  const order = (is: string) => (is.startsWith("-") ? "descending" : "ascending");
  return (
    <th {...shared} aria-sort={isSame || isReversed ? order(asked!) : undefined}>
      <a href={attribute(hrefWith(visit, { Sort: isSame ? reversed : sort }))} safe>
        {name}
      </a>
    </th>
  );
}
