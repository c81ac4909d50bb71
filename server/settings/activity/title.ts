import { type EventRecord, WORST_FIRST } from "../../webhooks/index.ts";

/** What has changed, such as `Application 1001`. */
export function recordOf({ EventRecord, RecordId, RecordCount }: EventRecord): string {
  return RecordId === null
    ? `${RecordCount.toLocaleString("en")} ${EventRecord} records`
    : `${EventRecord} ${RecordId}`;
}

/** How the deliveries stand, the worst first: `1 exhausted, 3 delivered`. */
export function deliveriesInWords({ Deliveries }: EventRecord): string {
  const counts = WORST_FIRST.map((state) => ({
    state,
    count: Deliveries.filter(({ State }) => State === state).length,
  }));
  return counts
    .filter(({ count }) => count > 0)
    .map(({ state, count }) => `${count.toLocaleString("en")} ${state.toLowerCase()}`)
    .join(", ");
}
