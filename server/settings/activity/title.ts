import { type EventRecord, WORST_FIRST } from "../../webhooks/index.ts";

type Titled = Pick<EventRecord, "EventRecord" | "EventType" | "RecordId" | "RecordCount">;

/** What an event is called wherever it stands, such as `Application 1001 Updated`. */
export function titleOfEvent({ EventRecord, EventType, RecordId, RecordCount }: Titled): string {
  const records = RecordId === null ? `${RecordCount.toLocaleString("en")} ${EventRecord} records` : undefined;
  return `${records ?? `${EventRecord} ${RecordId}`} ${EventType}`;
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
