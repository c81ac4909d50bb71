// Durations in milliseconds.

/** After a failure, to protect services that are down. */
export const FAILURE_PAUSE_MS = 1_000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
