// The time range of a log page: a preset link, or the fields From and To.

import { inUtc } from "./form.tsx";
import { attribute } from "./layout.tsx";
import type { PageVisit } from "./visit.ts";

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

/** Presets keep all other filters. @param longest the last one beside "All", limited by the log's retention */
export function Ranges({ visit, longest = "7d" }: { visit: PageVisit; longest?: "24h" | "7d" }): JSX.Element {
  const { searchParams, pathname } = visit.url;
  const offered = RANGES.slice(0, 1 + RANGES.findIndex(({ value }) => value === longest));
  const own = isOwn(searchParams);
  const chosen = own ? undefined : (searchParams.get("Last") ?? "");
  const href = (last: string) => {
    const kept = [...searchParams].filter(
      ([name, value]) => value !== "" && !["Last", "Cursor", ...OWN].includes(name),
    );
    const query = new URLSearchParams(last === "" ? kept : [...kept, ["Last", last]]);
    return visit.href(pathname) + (query.size > 0 ? `?${query}` : "");
  };
  return (
    <nav class="ranges" aria-label="Time">
      {[...offered, { value: "", label: "All" }].map(({ value, label }) => (
        <a href={attribute(href(value))} aria-current={value === chosen ? "true" : undefined} safe>
          {label}
        </a>
      ))}
      {own ? (
        <a href="#filter-From" aria-current="true">
          Own
        </a>
      ) : (
        <a href="#filter-From">Own</a>
      )}
    </nav>
  );
}
