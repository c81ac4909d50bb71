import { attribute } from "../../signin/index.ts";
import type { Visit } from "../visit.ts";
import type { Option } from "./form.tsx";

/** A filter of a list; its value lives in the address. */
export interface Filter {
  /** As the REST API names it. */
  name: string;
  label: string;
  /** One of these; without them a text. */
  options?: Option[];
  type?: "search" | "datetime-local" | "date";
}

/** Filters over a list: a GET form, so that the address can be kept and passed on. */
export function SearchForm({ visit, filters }: { visit: Visit; filters: Filter[] }): JSX.Element {
  const { searchParams, pathname } = visit.url;
  const isFiltered = filters.some(({ name }) => searchParams.get(name));
  return (
    <search>
      <form class="filters" method="get" action={visit.href(pathname)}>
        {filters.map(({ name, label, options, type = "search" }) => {
          const given = searchParams.get(name) ?? "";
          return (
            <div class="filter">
              <label for={`filter-${name}`} safe>
                {type === "datetime-local" ? `${label} ${UTC}` : label}
              </label>
              {options ? (
                <select id={`filter-${name}`} name={name}>
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
                  value={attribute(type === "datetime-local" ? utcField(given) : given)}
                  {...(type === "datetime-local" ? MOMENT : {})}
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
          {isFiltered ? (
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

/** moments.js takes the word away, and puts the value into the reader's own zone. */
const UTC = "(UTC)";
const MOMENT = { step: "any", "data-utc": UTC };

/** A moment of the address as the field has it; what is none is left out. */
function utcField(given: string): string {
  const date = new Date(ZONELESS.test(given) ? `${given}Z` : given);
  return Number.isNaN(date.getTime()) ? "" : date.toISOString().slice(0, 19);
}

const ZONELESS = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?$/;

/** Without script the fields of a form say a time without its zone, which is UTC's. */
export function inUtc(parameters: URLSearchParams, names: readonly string[]): URLSearchParams {
  const entries = [...parameters].map(([name, value]) => {
    return [name, names.includes(name) && ZONELESS.test(value) ? `${value}Z` : value];
  });
  return new URLSearchParams(entries);
}
