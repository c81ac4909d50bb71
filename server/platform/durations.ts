// Durations in milliseconds.

/** After a failure, to protect services that are down. */
export const FAILURE_PAUSE_MS = 1_000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

const SPREAD = 0.1;

/** A wait up to a tenth shorter or longer, so that those that begin together do not end together. @param longest of all waits */
export function spread(ms: number, longest = Number.POSITIVE_INFINITY): number {
  const [least, most] = [ms * (1 - SPREAD), Math.min(ms * (1 + SPREAD), longest)];
  return Math.round(least + (most - least) * Math.random());
}
