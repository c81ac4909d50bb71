import { Link } from "../ui/index.ts";
import { Sparkline } from "./chart.tsx";

export interface Figure {
  name: string;
  value: string;
  isBad?: boolean;
  href: string;
  /** By the hour, of the last 24 hours. */
  hours: readonly number[];
  /** The same of the 24 hours before. */
  before: readonly number[];
}

/** Of the counts of 48 hours. */
export function figureOf(name: string, counts: readonly number[], href: string, badIfAny = false): Figure {
  const half = counts.length / 2;
  const hours = counts.slice(half);
  const sum = sumOf(hours);
  return {
    name,
    value: sum.toLocaleString("en"),
    isBad: badIfAny && sum > 0,
    href,
    hours,
    before: counts.slice(0, half),
  };
}

export function FigureList({ figures }: { figures: readonly Figure[] }): JSX.Element {
  return (
    <dl class="figures">
      {figures.map((figure) => (
        <div class={figure.isBad ? "bad" : undefined}>
          <dt safe>{figure.name}</dt>
          <dd>
            <Link href={figure.href} text={figure.value} />
          </dd>
          <dd class="fine">
            <span safe>{changeOf(figure)}</span>
            <Sparkline counts={figure.hours} isBad={figure.isBad} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

const HOUR_MS = 3_600_000;
const MANY = 2;

/** Against the same time of yesterday: the present hour is not over yet. */
function changeOf({ hours, before }: Figure): string {
  const part = (Date.now() % HOUR_MS) / HOUR_MS;
  const now = sumOf(hours);
  const then = sumOf(before) - (before.at(-1) ?? 0) * (1 - part);
  if (sumOf(before) === 0) return now === 0 ? "as yesterday" : "none yesterday";
  const ratio = now / Math.max(then, 1);
  if (ratio >= MANY) return `${ratio.toFixed(1)} × yesterday`;
  const percent = Math.round((ratio - 1) * 100);
  if (percent === 0) return "as yesterday";
  return `${Math.abs(percent).toLocaleString("en")} % ${percent > 0 ? "above" : "below"} yesterday`;
}

const sumOf = (counts: readonly number[]) => counts.reduce((sum, count) => sum + count, 0);
