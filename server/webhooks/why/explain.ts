// Why a connection did or did not get an event, in words, from what was written down at the time.

import { DELIVERY_STATES } from "../../../workflows/contract.ts";
import type { ConnectionState } from "../connections/store.ts";
import { PING } from "../events/event-types.ts";
import type { Witness, WitnessedDelivery } from "./store.ts";

/** A delivery's state, or why there is no delivery. */
export const OUTCOMES = [
  ...DELIVERY_STATES,
  "NotSubscribed",
  "NotYetCreated",
  "AlreadyDeleted",
  "NotConcerned",
] as const;
export type Outcome = (typeof OUTCOMES)[number];

export interface Explanation {
  outcome: Outcome;
  /** For people. */
  reason: string;
}

export interface ExplainedEvent {
  eventType: string;
  eventRecord: string;
}

export function explain(event: ExplainedEvent, witness: Witness): Explanation {
  const { delivery } = witness;
  return delivery ? { outcome: delivery.state, reason: whatBecame(event, witness, delivery) } : whyNone(event, witness);
}

function whyNone({ eventType, eventRecord }: ExplainedEvent, witness: Witness): Explanation {
  const { past, createdOn } = witness;
  if (eventType === PING) return { outcome: "NotConcerned", reason: "a ping goes to the connection it tries alone" };
  if (!past) return { outcome: "NotYetCreated", reason: `created after the event, at ${createdOn.toISOString()}` };
  if (past.deletedOn) return { outcome: "AlreadyDeleted", reason: `deleted at ${past.deletedOn.toISOString()}` };
  const missing = [
    ...(past.entities.includes(eventRecord) ? [] : [eventRecord]),
    ...(past.events.includes(eventType) ? [] : [eventType]),
  ];
  if (missing.length > 0) {
    const isNow = !witness.deletedOn && witness.entities.includes(eventRecord) && witness.events.includes(eventType);
    const words = `not subscribed to ${missing.join(", nor to ")}`;
    return { outcome: "NotSubscribed", reason: isNow ? `${words} at that time; it is now` : words };
  }
  // Its change had its time before the event had, and was committed after it.
  return { outcome: "NotSubscribed", reason: "changed at the same moment: the event did not see its subscription yet" };
}

function whatBecame({ eventType }: ExplainedEvent, witness: Witness, delivery: WitnessedDelivery): string {
  switch (delivery.state) {
    case "Delivered":
      return `${arrival(witness, delivery)}${heldBack(witness)}${sentAgain(delivery)}`;
    case "Exhausted":
      return `exhausted: ${attemptsMade(delivery)}${before(witness, delivery)}`;
    case "Held":
      return `${whyHeld(witness)}${delivery.attempts > 0 ? `; before that ${attemptsMade(delivery)}` : ""}${before(witness, delivery)}`;
    case "Cancelled":
      return witness.deletedOn && delivery.changedOn >= witness.deletedOn
        ? `cancelled: the connection was deleted at ${witness.deletedOn.toISOString()}`
        : "cancelled by hand in Temporal";
    default:
      // A ping goes to its connection in any state.
      return whatIsNext(eventType === PING ? "Active" : witness.state, delivery) + before(witness, delivery);
  }
}

function whatIsNext(state: ConnectionState, delivery: WitnessedDelivery): string {
  const { attempts, earlierAttempts, attemptUnderWay, last, arrived } = delivery;
  if (attemptUnderWay) return `the ${ordinal(attempts)} attempt is under way`;
  const willBeHeld = `it is Held once its turn comes, for the connection is ${state}`;
  if (attempts === earlierAttempts) {
    const earlier = attempts > 0 && !arrived ? `; before that ${attemptsMade(delivery)}` : "";
    const again = attempts > 0 ? " again" : "";
    const next = state === "Active" ? `on its way${again}, not attempted yet` : `not attempted yet; ${willBeHeld}`;
    return next + earlier;
  }
  const failed = `the ${ordinal(attempts)} attempt failed${last ? ` with ${last.word}` : ""}`;
  return state === "Active" ? `${failed}, another one follows` : `${failed}; ${willBeHeld}`;
}

function whyHeld({ state, stateSince, heldReason, drainPaused }: Witness): string {
  const since = stateSince ? ` since ${stateSince.toISOString()}` : "";
  if (state === "Paused") return `paused${since}`;
  if (state === "Held") return `held${since}${heldReason ? ` after ${heldReason}` : ""}`;
  return `what the connection has missed before is sent first${drainPaused ? ", and its Drain is paused" : ""}`;
}

/** That it took so long may have its reason there. */
function heldBack({ past }: Witness): string {
  return past && past.state !== "Active" ? `; the connection was ${past.state.toLowerCase()} at first` : "";
}

function attemptsMade({ attempts, runs, last }: WitnessedDelivery): string {
  const count = attempts === 1 ? "1 attempt" : `${attempts} attempts`;
  return `${count}${runs > 1 ? ` in ${runs} runs` : ""}${last ? `, last ${last.word}` : ""}`;
}

/** When the receiver had it for the first time: what is sent again later comes no later for that. */
function arrival({ eventTime }: Witness, { arrived, attempts }: WitnessedDelivery): string {
  const attempt = `delivered at the ${ordinal(arrived?.number ?? attempts)} attempt`;
  return arrived ? `${attempt}, ${duration(arrived.endedOn.getTime() - eventTime.getTime())} after the event` : attempt;
}

function sentAgain({ arrived, attempts }: WitnessedDelivery): string {
  return arrived && attempts > arrived.number
    ? `; sent again since, and delivered at the ${ordinal(attempts)} attempt`
    : "";
}

/** Of what is no more Delivered since it was sent again. */
function before(witness: Witness, delivery: WitnessedDelivery): string {
  return delivery.arrived ? `; sent again after it was ${arrival(witness, delivery)}` : "";
}

function ordinal(count: number): string {
  const [tens, ones] = [count % 100, count % 10];
  const suffix = tens > 10 && tens < 14 ? "th" : (["th", "st", "nd", "rd"][ones] ?? "th");
  return `${count}${suffix}`;
}

/** The longest unit of which it has at least two. */
function duration(milliseconds: number): string {
  const units = [
    ["days", 86_400_000],
    ["h", 3_600_000],
    ["min", 60_000],
    ["s", 1_000],
  ] as const;
  const least = Math.max(0, milliseconds);
  const [unit, size] = units.find(([, length]) => least >= 2 * length) ?? ["ms", 1];
  return `${Math.round(least / size)} ${unit}`;
}
