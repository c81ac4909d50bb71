import type { Children } from "@kitajs/html";
import type { Page } from "../platform/http/query.ts";
import { refusedForm } from "./contract-form.tsx";
import type { FormState } from "./form.tsx";
import { inReadersZone, type Option, UTC } from "./form.tsx";
import { attribute } from "./layout.tsx";
import { AskButton, type AskButtonProps, EmptyState, Live, Pager, Refreshing, Section } from "./parts.tsx";
import { Ranges } from "./range.tsx";
import type { PageVisit } from "./visit.ts";

export interface FoundRows<Row> {
  page: Page<Row>;
  problems?: FormState;
}

/** The page of a list that was not read. */
export const NO_ROWS: Page<never> = { Items: [], Next: null, Hidden: 0 };

/** Reads a list. Invalid filters are reported beside their input. */
export async function find<Row>(
  visit: PageVisit,
  filters: ListFilter[],
  read: () => Promise<Page<Row>>,
): Promise<FoundRows<Row>> {
  try {
    return { page: await read() };
  } catch (error) {
    const names = filters.map(({ name }) => name);
    return { page: NO_ROWS, problems: refusedForm(visit.url.searchParams, error, names) };
  }
}

export function statusOf({ problems }: FoundRows<unknown>): number {
  return problems ? 400 : 200;
}

/** Replaces a list with invalid filters. */
function NotAsked(): JSX.Element {
  return (
    <EmptyState title="No results">
      <p>Correct the filter, or clear all of them.</p>
    </EmptyState>
  );
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
  empty?: JSX.Element;
  /** `news`: announced to screen readers. */
  live?: { id: string; seconds: number; news?: JSX.Element };
}

export function List<Row>(props: ListProps<Row>): JSX.Element {
  const { visit, caption, filters = [], action, ranges, found, columns, live } = props;
  const { page, problems } = found;
  const table =
    page.Items.length > 0 ? (
      <Table caption={caption} columns={columns} rows={page.Items} />
    ) : problems ? (
      <NotAsked />
    ) : (
      (props.empty ?? <EmptyState title="Nothing here" />)
    );
  return (
    <>
      {live ? <Refreshing visit={visit} seconds={live.seconds} /> : ""}
      {ranges ? <Ranges visit={visit} {...ranges} /> : ""}
      {filters.length > 0 ? <SearchForm visit={visit} filters={filters} problems={problems} action={action} /> : ""}
      {live ? (
        <Live visit={visit} id={live.id} seconds={live.seconds}>
          {(live.news ?? "") as "safe"}
          {table as "safe"}
        </Live>
      ) : (
        (table as "safe")
      )}
      <Pager visit={visit} page={page} />
    </>
  );
}

interface ListSectionProps<Row> {
  title: string;
  id?: string;
  /** Default: the title. */
  caption?: string;
  columns: Column<Row>[];
  rows: readonly Row[];
  /** Instead of an empty table. */
  none: string;
  /** Below the rows, such as the link to all of them. */
  children?: Children;
}

/** The first rows of a list, as a section of a record's page. */
export function ListSection<Row>(props: ListSectionProps<Row>): JSX.Element {
  const { title, id, caption = title, columns, rows, none, children = "" } = props;
  return (
    <Section title={title} id={id}>
      {rows.length > 0 ? (
        <Table caption={caption} columns={columns} rows={rows} />
      ) : (
        <p class="fine" safe>
          {none}
        </p>
      )}
      {children as "safe"}
    </Section>
  );
}

/** The column of an action that asks first; none if the visitor may not act. */
export function askColumn<Row>(
  visit: PageVisit,
  may: boolean,
  name: string,
  ask: (row: Row) => Omit<AskButtonProps, "visit">,
): Column<Row>[] {
  return may ? [{ name, cell: (row) => <AskButton visit={visit} {...ask(row)} /> }] : [];
}

/** A list filter; its value is in the page's address. */
export interface ListFilter {
  name: string;
  label: string;
  /** The allowed values; without them the filter is a text field. */
  options?: Option[];
  type?: "search" | "datetime-local";
}

/** The maximum number of characters, as long as the longest name. */
const MAX_CHARACTERS = 256;

export interface SearchFormProps {
  visit: PageVisit;
  filters: ListFilter[];
  problems?: FormState;
  action?: string;
}

export function SearchForm({ visit, filters, problems, action = "Filter" }: SearchFormProps): JSX.Element {
  const { searchParams, pathname } = visit.url;
  // Other query parameters of the page are kept.
  const others = [...searchParams].filter(
    ([name, value]) => value !== "" && name !== "Cursor" && !filters.some((filter) => filter.name === name),
  );
  const asked = [...filters.map(({ name }) => searchParams.get(name)), ...others.map(([name]) => name !== "Limit")];
  return (
    <search>
      {problems?.others.map((text) => (
        <p class="problem" role="alert" safe>
          {text}
        </p>
      ))}
      <form class="filters" method="get" action={visit.href(pathname)}>
        {others.map(([name, value]) => (
          <input type="hidden" name={attribute(name)} value={attribute(value)} />
        ))}
        {filters.map(({ name, label, options, type = "search" }) => {
          const given = searchParams.get(name) ?? "";
          const problem = problems?.problem(name);
          const invalid = problem
            ? { "aria-invalid": "true" as const, "aria-describedby": `filter-${name}-problem` }
            : {};
          return (
            <div class="filter">
              <label for={`filter-${name}`} safe>
                {type === "datetime-local" ? `${label} ${UTC}` : label}
              </label>
              {problem ? (
                <p class="wrong" role="alert" id={`filter-${name}-problem`} safe>
                  {inLabels(problem, filters)}
                </p>
              ) : (
                ""
              )}
              {options ? (
                <select id={`filter-${name}`} name={name} {...invalid}>
                  <option value="">Any</option>
                  {options.map((option) => (
                    <option value={attribute(option.value)} selected={option.value === given} safe>
                      {option.label}
                    </option>
                  ))}
                </select>
              ) : (
                <input
                  id={`filter-${name}`}
                  name={name}
                  type={type}
                  {...(type === "datetime-local"
                    ? inReadersZone(given)
                    : { value: attribute(given), maxlength: MAX_CHARACTERS })}
                  {...invalid}
                  autocomplete="off"
                />
              )}
            </div>
          );
        })}
        <div class="filter buttons">
          <button type="submit" class="plain" safe>
            {action}
          </button>
          {asked.some(Boolean) ? (
            <a class="button quiet" href={visit.href(pathname)}>
              Clear
            </a>
          ) : (
            ""
          )}
        </div>
      </form>
    </search>
  );
}

/** Replaces the API's filter names by their labels. */
function inLabels(problem: string, filters: ListFilter[]): string {
  return filters.reduce((text, { name, label }) => text.replace(new RegExp(`\\b${name}\\b`), `“${label}”`), problem);
}

export interface Column<Row> {
  name: string;
  cell(row: Row): JSX.Element;
  numeric?: boolean;
}

export interface TableProps<Row> {
  caption: string;
  columns: Column<Row>[];
  rows: readonly Row[];
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

/** On narrow screens each row is a card with the column name beside each cell. The first column is the row header. */
export function Table<Row>({ caption, columns, rows }: TableProps<Row>): JSX.Element {
  return (
    <table class="rows" {...ROLES.table}>
      <caption class="unseen" safe>
        {caption}
      </caption>
      <thead {...ROLES.rowgroup}>
        <tr {...ROLES.row}>
          {columns.map(({ name, numeric }) => (
            <th scope="col" {...ROLES.columnheader} class={numeric ? "number" : undefined} safe>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody {...ROLES.rowgroup}>
        {rows.map((row) => (
          <tr {...ROLES.row}>
            {columns.map(({ name, cell, numeric }, index) =>
              index === 0 ? (
                <th scope="row" {...ROLES.rowheader}>
                  {cell(row)}
                </th>
              ) : (
                <td {...ROLES.cell} class={numeric ? "number" : undefined} data-name={attribute(name)}>
                  {cell(row)}
                </td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Name-value pairs. `brief` is for values of a word or a number. */
export function Facts({ facts, brief }: { facts: [name: string, value: JSX.Element][]; brief?: boolean }): JSX.Element {
  return (
    <dl class={brief ? "facts brief" : "facts"}>
      {facts.map(([name, value]) => (
        <div>
          <dt safe>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
