// Lists: what is searched for, and the table of what was found.

import type { Page } from "../http/query.ts";
import { refusedForm } from "./contract-form.tsx";
import type { FormState } from "./form.tsx";
import { inReadersZone, type Option, UTC } from "./form.tsx";
import { attribute } from "./layout.tsx";
import { EmptyState, Live, Pager, Refreshing } from "./parts.tsx";
import type { Visit } from "./visit.ts";

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
  /** What is found changes by itself, and is looked at again. */
  live?: { id: string; seconds: number };
}

/** Filters, what they find, and the way to more of it. */
export function List<Row>({ visit, caption, filters, found, columns, empty, live }: ListProps<Row>): JSX.Element {
  const { page, problems } = found;
  const table =
    page.Items.length > 0 ? (
      <Table caption={caption} columns={columns} rows={page.Items} />
    ) : problems ? (
      <NotAsked />
    ) : (
      empty
    );
  return (
    <>
      {live ? <Refreshing visit={visit} seconds={live.seconds} /> : ""}
      <SearchForm visit={visit} filters={filters} problems={problems} />
      {live ? (
        <Live visit={visit} {...live}>
          {table as "safe"}
        </Live>
      ) : (
        (table as "safe")
      )}
      <Pager visit={visit} next={page.Next} />
    </>
  );
}

/** A filter of a list; its value lives in the address. */
export interface Filter {
  /** As the REST API names it. */
  name: string;
  label: string;
  /** One of these; without them a text. */
  options?: Option[];
  type?: "search" | "datetime-local";
}

/** Characters of a filter: as many as the longest name has, so that one can be looked for. */
const MAX_CHARACTERS = 256;

export interface SearchFormProps {
  visit: Visit;
  filters: Filter[];
  /** What is wrong with what was asked for. */
  problems?: FormState;
}

/** Filters over a list: a GET form, so that the address can be kept and passed on. */
export function SearchForm({ visit, filters, problems }: SearchFormProps): JSX.Element {
  const { searchParams, pathname } = visit.url;
  // What a link has asked for beside the fields stays asked for.
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
          const told = problem ? { "aria-invalid": "true" as const, "aria-describedby": `filter-${name}-problem` } : {};
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
                <select id={`filter-${name}`} name={name} {...told}>
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
                  {...told}
                  autocomplete="off"
                />
              )}
            </div>
          );
        })}
        <div class="filter buttons">
          <button type="submit" class="plain">
            Filter
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

/** The service calls filters as the API does, and a page by their labels. */
function inLabels(problem: string, filters: Filter[]): string {
  return filters.reduce((text, { name, label }) => text.replace(new RegExp(`\\b${name}\\b`), `“${label}”`), problem);
}

export interface Column<Row> {
  name: string;
  cell: (row: Row) => JSX.Element;
  /** Numbers stand at the right. */
  numeric?: boolean;
}

export interface TableProps<Row> {
  /** For who does not see the heading above it. */
  caption: string;
  columns: Column<Row>[];
  rows: readonly Row[];
}

/** What the elements are by themselves, said again for when their display is no table's. */
const ROLES = {
  table: { role: "table" },
  rowgroup: { role: "rowgroup" },
  row: { role: "row" },
  columnheader: { role: "columnheader" },
  rowheader: { role: "rowheader" },
  cell: { role: "cell" },
} as const;

/**
 * On a narrow screen each row is a card, and each cell has its column's name beside it. The first column names the row.
 */
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

/** What belongs to one thing, name by name. `brief`: each value is a word or a number. */
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
