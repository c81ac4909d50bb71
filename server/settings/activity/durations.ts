const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** To read off: `12 ms`, `1.2 s`, `1 min 10 s`, `2 h 5 min`, `3 d 4 h`. */
export function duration(milliseconds: number): string {
  if (milliseconds < SECOND) return `${Math.max(0, Math.round(milliseconds))} ms`;
  if (milliseconds < MINUTE) return `${(milliseconds / SECOND).toFixed(1).replace(/\.0$/, "")} s`;
  if (milliseconds < HOUR) return inTwo(milliseconds, [MINUTE, "min"], [SECOND, "s"]);
  if (milliseconds < DAY) return inTwo(milliseconds, [HOUR, "h"], [MINUTE, "min"]);
  return inTwo(milliseconds, [DAY, "d"], [HOUR, "h"]);
}

type Unit = [size: number, name: string];

function inTwo(milliseconds: number, [large, largeName]: Unit, [small, smallName]: Unit): string {
  const rest = Math.floor((milliseconds % large) / small);
  return `${Math.floor(milliseconds / large)} ${largeName}${rest > 0 ? ` ${rest} ${smallName}` : ""}`;
}

const STEPS = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 20, 30].map((count) => count * SECOND),
  ...[1, 2, 5, 10, 20, 30].map((count) => count * MINUTE),
  ...[1, 2, 4, 8, 12].map((count) => count * HOUR),
];
const MOST_TICKS = 4;

/** Round moments from 0 on, for an axis of this length. */
export function ticks(span: number): number[] {
  const days = Math.ceil(span / DAY / MOST_TICKS) * DAY;
  const step = STEPS.find((size) => span / size <= MOST_TICKS) ?? days;
  return Array.from({ length: Math.floor(span / step) + 1 }, (_, index) => index * step);
}
