// The lifetimes of signing keys, drawn on the server. The table below has the same data.

import type { signing } from "../identity/index.ts";
import { Chart, percent } from "./chart.tsx";

const DATE = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeZone: "UTC" });
/** Pixels. Horizontal positions are percentages, because the drawing fills the page. */
const ROW_HEIGHT = 40;
const BAR_HEIGHT = 12;
const AXIS_HEIGHT = 40;
/** The minimum width of a period in percent of the picture, so that one day of half a year is visible. */
const MIN_WIDTH = 0.6;

const PARTS = [
  { name: "Announced", swatch: "open" },
  { name: "Signing", swatch: "delivered" },
  { name: "Retired", swatch: "cancelled" },
];

interface PictureProps {
  keys: readonly signing.SigningKeyRecord[];
  /** Milliseconds since 1970. */
  now: number;
}

export function KeysPicture({ keys, now }: PictureProps): JSX.Element {
  const lives = keys.map((key) => lifeOf(key, now));
  const from = Math.min(now, ...lives.map(({ moments }) => moments[0]!));
  const to = Math.max(now, ...lives.map(({ moments }) => moments.at(-1)!));
  const place = (moment: number) => ((moment - from) / (to - from || 1)) * 100;
  const bottom = keys.length * ROW_HEIGHT;
  const words = keys.map(({ Id, State }) => `${Id} ${State.toLowerCase()}`).join(", ");
  const countOf = (name: string) => String(keys.filter(({ State }) => State === name).length);
  const x = percent(place(now));
  return (
    <Chart class="chart panel" legend={PARTS.map((part) => ({ ...part, value: countOf(part.name) }))}>
      <svg width="100%" height={bottom + AXIS_HEIGHT} role="img" aria-label={`Signing keys over time: ${words}.`}>
        {lives.map((life, row) => (
          <Life life={life} top={row * ROW_HEIGHT} place={place} />
        ))}
        <line x1={x} x2={x} y1="0" y2={bottom} stroke-dasharray="4 3" />
        <text x={x} y={bottom + 16} text-anchor={place(now) < 50 ? "start" : "end"}>
          now
        </text>
        <text x="0%" y={bottom + 34} safe>
          {DATE.format(from)}
        </text>
        <text x="100%" y={bottom + 34} text-anchor="end" safe>
          {DATE.format(to)}
        </text>
      </svg>
    </Chart>
  );
}

interface Life {
  name: string;
  /** When each of PARTS begins, and when the last one ends; milliseconds since 1970. */
  moments: number[];
}

/** The time of publication is not stored, so a future key is shown as announced from now on. */
function lifeOf({ Id, Alg, SignsFrom, SignsUntil, PublishedUntil }: signing.SigningKeyRecord, now: number): Life {
  const signs = Date.parse(SignsFrom);
  return {
    name: `${Alg} ${Id.slice(0, 8)}`,
    moments: [Math.min(now, signs), signs, Date.parse(SignsUntil), Date.parse(PublishedUntil)],
  };
}

interface LifeProps {
  life: Life;
  top: number;
  place: (moment: number) => number;
}

function Life({ life: { name, moments }, top, place }: LifeProps): JSX.Element {
  return (
    <g>
      <text x="0" y={top + 16} safe>
        {name}
      </text>
      {PARTS.map((part, index) => {
        const [from, to] = [moments[index]!, moments[index + 1]!];
        if (from === to) return "";
        const width = Math.max(place(to) - place(from), MIN_WIDTH);
        const left = Math.min(place(from), 100 - width);
        return (
          <rect class={part.swatch} x={percent(left)} y={top + 22} width={percent(width)} height={BAR_HEIGHT}>
            <title safe>{`${name}: ${part.name} from ${DATE.format(from)} to ${DATE.format(to)}`}</title>
          </rect>
        );
      })}
    </g>
  );
}
