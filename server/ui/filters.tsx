// The form over a list: a text, a state and a time range in front, other filters behind a button, and what is set.

import type { FormState, Option } from "./form.tsx";
import { inReadersZone, inUtc, UTC } from "./form.tsx";
import { attribute } from "./layout.tsx";
import { LinkBar } from "./parts.tsx";
import type { PageVisit } from "./visit.ts";

/** A list filter; its value is in the page's address. */
export interface ListFilter {
  name: string;
  label: string;
  /** The allowed values; without them the filter is a text field. */
  options?: Option[];
  type?: "search" | "datetime-local";
  /** Behind the button "More filters". */
  isBehind?: boolean;
}

/** Parameters that leave no record out. */
const ARRANGING = ["Cursor", "Limit", "Sort"];

export function isFiltered({ url }: PageVisit): boolean {
  return [...url.searchParams].some(([name, value]) => value !== "" && !ARRANGING.includes(name));
}

/** The address with other parameters, without those that are undefined. Another list begins at its first page. */
export function hrefWith({ url, href }: PageVisit, changed: Record<string, string | undefined>): string {
  const query = new URLSearchParams([...url.searchParams].filter(([name, value]) => value !== "" && name !== "Cursor"));
  for (const [name, value] of Object.entries(changed)) {
    query.delete(name);
    if (value !== undefined) query.set(name, value);
  }
  return href(url.pathname) + (query.size > 0 ? `?${query}` : "");
}

/** The maximum number of characters, as long as the longest name. */
const MAX_CHARACTERS = 256;

export interface SearchFormProps {
  visit: PageVisit;
  filters: ListFilter[];
  problems?: FormState;
  /** The button's label; without it the list follows what is typed. */
  action?: string;
  ranges?: RangesProps["ranges"];
}

/** The id of the part that is replaced while a filter is typed. */
export const RESULTS = "list";
const LIVE = {
  "hx-trigger": "input delay:200ms",
  "hx-target": `#${RESULTS}`,
  "hx-select": `#${RESULTS}`,
  "hx-swap": "outerMorph",
  "hx-sync": "this:replace",
};

export function SearchForm({ visit, filters, problems, action, ranges }: SearchFormProps): JSX.Element {
  const { searchParams, pathname } = visit.url;
  // Other query parameters of the page are kept.
  const others = [...searchParams].filter(
    ([name, value]) => value !== "" && name !== "Cursor" && !filters.some((filter) => filter.name === name),
  );
  const behind = filters.filter(({ isBehind }) => isBehind);
  const field = (filter: ListFilter) => <Filter visit={visit} filter={filter} filters={filters} problems={problems} />;
  const live = action ? {} : { ...LIVE, "hx-get": visit.href(pathname), ...(ranges && { "hx-select-oob": "#ranges" }) };
  return (
    <search>
      {problems?.others.map((text) => (
        <p class="problem" role="alert" safe>
          {text}
        </p>
      ))}
      <form class="filters" method="get" action={visit.href(pathname)} {...live}>
        {others.map(([name, value]) => (
          <input type="hidden" name={attribute(name)} value={attribute(value)} />
        ))}
        {filters.filter(({ isBehind }) => !isBehind).map(field) as "safe"[]}
        {behind.length > 0 && (
          <details class="behind" open={behind.some(({ name }) => problems?.problem(name) !== undefined)}>
            <summary class="button plain">More filters</summary>
            <div>{behind.map(field) as "safe"[]}</div>
          </details>
        )}
        {ranges ? <Ranges visit={visit} ranges={ranges} /> : ""}
        <button type="submit" class={action ? "plain" : "plain unscripted"} safe>
          {action ?? "Filter"}
        </button>
      </form>
    </search>
  );
}

interface FilterProps {
  visit: PageVisit;
  filter: ListFilter;
  filters: ListFilter[];
  problems: FormState | undefined;
}

function Filter({ visit, filter, filters, problems }: FilterProps): JSX.Element {
  const { name, label, options, type = "search", isBehind } = filter;
  const given = visit.url.searchParams.get(name) ?? "";
  const problem = problems?.problem(name);
  const id = `filter-${name}`;
  const shared = {
    id,
    name,
    ...(problem && { "aria-invalid": "true" as const, "aria-describedby": `${id}-problem` }),
  };
  return (
    <div class={`filter ${options ? "of-words" : type}`}>
      <label for={id} class={isBehind || type === "datetime-local" ? undefined : "unseen"} safe>
        {type === "datetime-local" ? `${label} ${UTC}` : label}
      </label>
      {problem ? (
        <p class="wrong" role="alert" id={`${id}-problem`} safe>
          {inLabels(problem, filters)}
        </p>
      ) : (
        ""
      )}
      {options ? (
        <select {...shared}>
          <option value="" safe>
            {isBehind ? "Any" : `${label}: any`}
          </option>
          {options.map((option) => (
            <option value={attribute(option.value)} selected={option.value === given} safe>
              {option.label}
            </option>
          ))}
        </select>
      ) : (
        <input
          {...shared}
          type={type}
          placeholder={isBehind ? undefined : attribute(label)}
          {...(type === "datetime-local"
            ? inReadersZone(given)
            : { value: attribute(given), maxlength: MAX_CHARACTERS })}
          autocomplete="off"
          spellcheck="false"
        />
      )}
    </div>
  );
}

/** Replaces the API's filter names by their labels. */
function inLabels(problem: string, filters: ListFilter[]): string {
  return filters.reduce((text, { name, label }) => text.replace(new RegExp(`\\b${name}\\b`), `“${label}”`), problem);
}

interface ChipsProps {
  visit: PageVisit;
  filters: ListFilter[];
  /** Parameters that other parts of the page show. */
  inSight: string[];
}

/** The filters that are set and not in sight, each with a link that removes it. */
export function Chips({ visit, filters, inSight }: ChipsProps): JSX.Element {
  if (!isFiltered(visit)) return "";
  const others = ["Last", ...ARRANGING, ...inSight];
  const isSeen = (name: string) => others.includes(name) || filters.some((one) => one.name === name && !one.isBehind);
  const set = [...visit.url.searchParams].filter(([name, value]) => value !== "" && !isSeen(name));
  return (
    <ul class="chips" aria-label="Filters that are set">
      {set.map(([name, value]) => {
        const { label = name, options } = filters.find((filter) => filter.name === name) ?? {};
        const text = `${label}: ${options?.find((option) => option.value === value)?.label ?? value}`;
        return (
          <li>
            <span safe>{text}</span>
            <a href={attribute(hrefWith(visit, { [name]: undefined }))}>
              <span class="unseen" safe>{`Remove ${text}`}</span>
              <span aria-hidden="true">×</span>
            </a>
          </li>
        );
      })}
      <li class="all">
        <a href={visit.href(visit.url.pathname)}>Clear</a>
      </li>
    </ul>
  );
}

// The time range of a log: a preset link, or the fields From and To.

const RANGES = [
  { value: "15m", label: "15 min" },
  { value: "1h", label: "1 h" },
  { value: "24h", label: "24 h" },
  { value: "7d", label: "7 days" },
];
const OWN = ["From", "To"];
/** Other date-time fields of a search form, independent of the range. */
const BESIDE = ["OutcomeFrom", "OutcomeTo"];

/** The parameters of a log with date-times in UTC. From and To take precedence over a preset. */
export function inRange(parameters: URLSearchParams): URLSearchParams {
  const asked = inUtc(parameters, [...OWN, ...BESIDE]);
  if (isOwn(parameters)) asked.delete("Last");
  return asked;
}

function isOwn(parameters: URLSearchParams): boolean {
  return OWN.some((name) => parameters.get(name));
}

interface RangesProps {
  visit: PageVisit;
  /** The last preset beside "All", limited by the log's retention; default: 7d. */
  ranges: { longest?: "24h" | "7d" };
}

/** Presets keep all other filters. */
function Ranges({ visit, ranges: { longest = "7d" } }: RangesProps): JSX.Element {
  const { searchParams } = visit.url;
  const offered = RANGES.slice(0, 1 + RANGES.findIndex(({ value }) => value === longest));
  const chosen = isOwn(searchParams) ? undefined : (searchParams.get("Last") ?? "");
  return (
    <LinkBar
      id="ranges"
      label="Time"
      links={[...offered, { value: "", label: "All" }].map(({ value, label }) => ({
        text: label,
        href: hrefWith(visit, { Last: value || undefined, From: undefined, To: undefined }),
        isCurrent: value === chosen,
      }))}
    />
  );
}
