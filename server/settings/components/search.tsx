import { attribute } from "../../signin/index.ts";
import type { Visit } from "../visit.ts";
import type { Option } from "./form.tsx";
import type { FormState } from "./form-state.ts";
import { inReadersZone, UTC } from "./moment.ts";

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
const MOST_TYPED = 256;

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
                    : { value: attribute(given), maxlength: MOST_TYPED })}
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
