// An event's id begins with its time in milliseconds (RFC 9562 5.7), so that the events of a time are found by their ids.

/** The time in its row may be a little later than that in its id. */
const CLOCK_SLACK_MS = 1_000;

/** Lies before every event of this time and of later ones. */
export function eventIdBefore(time: Date): string {
  return boundary(time.getTime() - CLOCK_SLACK_MS);
}

/** Lies after every event of this time and of earlier ones. */
export function eventIdAfter(time: Date): string {
  return boundary(time.getTime() + CLOCK_SLACK_MS);
}

function boundary(milliseconds: number): string {
  const hex = Math.max(0, milliseconds).toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}
