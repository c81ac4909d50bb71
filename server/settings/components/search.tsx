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
        {filters.map(({ name, label, options, type = "search" }) => (
          <div class="filter">
            <label for={`filter-${name}`} safe>
              {label}
            </label>
            {options ? (
              <select id={`filter-${name}`} name={name}>
                <option value="">Any</option>
                {options.map((option) => (
                  <option value={attribute(option.value)} selected={option.value === searchParams.get(name)} safe>
                    {option.label}
                  </option>
                ))}
              </select>
            ) : (
              <input
                id={`filter-${name}`}
                name={name}
                type={type}
                value={attribute(searchParams.get(name) ?? "")}
                autocomplete="off"
              />
            )}
          </div>
        ))}
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
