// The lifetimes of signing keys, drawn on the server: announced, signing, retired, and the present. The table below has
// the same data.

import type { SigningKeyRecord } from "../oauth/index.ts";
import { LegendItem } from "./chart.tsx";

const DATE = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeZone: "UTC" });
/** Pixels. Horizontal positions are percentages, because the drawing fills the page. */
const ROW_HEIGHT = 40;
const BAR_HEIGHT = 12;
const AXIS_HEIGHT = 40;
/** Percent: keeps a day within half a year visible. */
const MIN_WIDTH = 0.6;

const PARTS = [
  { name: "Announced", swatch: "open" },
  { name: "Signing", swatch: "delivered" },
  { name: "Retired", swatch: "cancelled" },
];

interface PictureProps {
  keys: readonly SigningKeyRecord[];
  /** Milliseconds since 1970. */
  now: number;
}

export function KeysPicture({ keys, now }: PictureProps): JSX.Element {
  const lives = keys.map((key) => lifeOf(key, now));
  const from = Math.min(now, ...lives.map(({ moments }) => moments[0]!));
  const to = Math.max(now, ...lives.map(({ moments }) => moments.at(-1)!));
  const place = (moment: number) => Math.round(((moment - from) / (to - from || 1)) * 10_000) / 100;
  const bottom = keys.length * ROW_HEIGHT;
  const words = keys.map(({ Id, State }) => `${Id} ${State.toLowerCase()}`).join(", ");
  return (
    <figure class="chart panel">
      <figcaption>
        <ul class="legend">
          {PARTS.map(({ name, swatch }) => (
            <LegendItem swatch={swatch} name={name} value={String(keys.filter(({ State }) => State === name).length)} />
          ))}
        </ul>
      </figcaption>
      <svg width="100%" height={bottom + AXIS_HEIGHT} role="img" aria-label={`Signing keys over time: ${words}.`}>
        {lives.map((life, row) => (
          <Life life={life} top={row * ROW_HEIGHT} place={place} />
        ))}
        <line x1={`${place(now)}%`} x2={`${place(now)}%`} y1="0" y2={bottom} stroke-dasharray="4 3" />
        <text x={`${place(now)}%`} y={bottom + 16} text-anchor={place(now) < 50 ? "start" : "end"}>
          now
        </text>
        <Moment at={from} x="0%" anchor="start" y={bottom + 34} />
        <Moment at={to} x="100%" anchor="end" y={bottom + 34} />
      </svg>
    </figure>
  );
}

interface Life {
  name: string;
  /** The start of each of PARTS, and the end of the last. */
  moments: number[];
}

/** The time of publication is not stored, so a future key is shown as announced from now on. */
function lifeOf({ Id, Alg, SignsFrom, SignsUntil, PublishedUntil }: SigningKeyRecord, now: number): Life {
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
        const [left, right] = [place(from), place(to)];
        const width = Math.max(right - left, MIN_WIDTH);
        return (
          <rect
            class={part.swatch}
            x={`${Math.min(left, 100 - width)}%`}
            y={top + 22}
            width={`${width}%`}
            height={BAR_HEIGHT}
          >
            <title safe>{`${name}: ${part.name} from ${DATE.format(from)} to ${DATE.format(to)}`}</title>
          </rect>
        );
      })}
    </g>
  );
}

function Moment({ at, x, y, anchor }: { at: number; x: string; y: number; anchor: "start" | "end" }): JSX.Element {
  return (
    <text x={x} y={y} text-anchor={anchor} safe>
      {DATE.format(at)}
    </text>
  );
}
