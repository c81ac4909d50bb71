// Deliveries as chart data.

import type { DeliveryState } from "../../../workflows/contract.ts";
import type { OutcomeCount } from "../../webhooks/index.ts";
import { type Bar, barOf, type Series, type Slot } from "../chart.tsx";

const STATES: { name: string; states: DeliveryState[] }[] = [
  { name: "Delivered", states: ["Delivered"] },
  { name: "Open", states: ["Pending", "Retrying"] },
  { name: "Held", states: ["Held"] },
  { name: "Cancelled", states: ["Cancelled"] },
  { name: "Exhausted", states: ["Exhausted"] },
];

export const DELIVERIES: Series[] = STATES.map(({ name }) => ({ name, swatch: name.toLowerCase() }));

/** The log filter for a bar: outcomes within the slot, regardless of the events' times. */
export const outcomeFilter = ({ from, to }: Slot) => `OutcomeFrom=${from.toISOString()}&OutcomeTo=${to.toISOString()}`;
export const stateFilter = (name: string, since: Date) =>
  name === "Open" ? "State=Open" : `Was=${name}&OutcomeFrom=${since.toISOString()}`;

export function barsOf(counts: readonly OutcomeCount[], slots: readonly Slot[]): Bar[] {
  const bySlot = Map.groupBy(counts, ({ from }) => from.getTime());
  return slots.map((slot) => {
    const own = bySlot.get(slot.from.getTime()) ?? [];
    return deliveriesBar(slot, (state) =>
      own.filter((one) => one.state === state).reduce((sum, { count }) => sum + count, 0),
    );
  });
}

/** @param countOf the number of deliveries in a state */
export function deliveriesBar(slot: Slot, countOf: (state: DeliveryState) => number): Bar {
  return barOf(
    slot,
    STATES.map(({ states }) => states.reduce((sum, state) => sum + countOf(state), 0)),
  );
}
