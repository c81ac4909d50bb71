import { type DeliveryState, REDELIVERY_STATES, type RedeliveryState } from "../../../workflows/contract.ts";
import { BadInput } from "../../errors.ts";
import { printable } from "../../http/body.ts";
import { readDate } from "../../http/dates.ts";
import { isUuid } from "../../http/paging.ts";

/** What has ended, and how: the states that a Replay may choose from. */
export const REPLAYED_STATES = ["Delivered", "Exhausted", "Cancelled"] as const satisfies DeliveryState[];
/** Deliveries a second. */
export const DEFAULT_RATE = 20;
export const MOST_RATE = 100;
/** What a redelivery can be set to. */
export const WISHED_STATES = REDELIVERY_STATES.filter((state) => state !== "Completed");

export interface RedeliveryInput {
  connectionId: string;
  from: Date;
  /** null: until now. */
  to: Date | null;
  states: DeliveryState[];
  rate: number;
}

/** Absent is left as it is. */
export interface RedeliveryChange {
  state?: RedeliveryState;
  rate?: number;
}

/**
 * What POST Redelivery takes.
 * @throws BadInput naming every field that does not fit
 */
export function parseRedelivery(body: unknown): { input: RedeliveryInput; dryRun: boolean } {
  const input: Partial<RedeliveryInput> = { to: null, states: ["Exhausted"], rate: DEFAULT_RATE };
  let dryRun = false;
  const problems = fieldProblems(body, "Redelivery", {
    ConnectionId: (value) => {
      if (typeof value !== "string" || !isUuid(value)) return "ConnectionId must be a connection's Id.";
      input.connectionId = value.toLowerCase();
      return undefined;
    },
    From: (value) => {
      input.from = dateOf(value);
      return input.from ? undefined : `From must be ${DATE_SHAPE}.`;
    },
    To: (value) => {
      if (value === null || value === "") return undefined;
      input.to = dateOf(value);
      return input.to ? undefined : `To must be ${DATE_SHAPE}, or null.`;
    },
    States: (value) => {
      input.states = someStates(value);
      return input.states ? undefined : `States must be a list with at least one of ${REPLAYED_STATES.join(", ")}.`;
    },
    Rate: (value) => {
      input.rate = rateOf(value);
      return input.rate ? undefined : RATE_PROBLEM;
    },
    DryRun: (value) => {
      if (typeof value !== "boolean") return "DryRun must be true or false.";
      dryRun = value;
      return undefined;
    },
  });
  const { connectionId, from, to, states, rate } = input;
  const given = Object.keys(Object(body));
  for (const name of ["ConnectionId", "From"]) if (!given.includes(name)) problems.push(`${name} is missing.`);
  if (from && to && from >= to) problems.push("From must be before To.");
  if (problems.length > 0 || !connectionId || !from || to === undefined || !states || !rate)
    throw BadInput.of(problems);
  return { input: { connectionId, from, to, states, rate }, dryRun };
}

/**
 * What PATCH Redelivery/{Id} takes.
 * @throws BadInput naming every field that does not fit
 */
export function parseRedeliveryChange(body: unknown): RedeliveryChange {
  const change: RedeliveryChange = {};
  const problems = fieldProblems(body, "Redelivery", {
    State: (value) => {
      change.state = WISHED_STATES.find((state) => state === value);
      return change.state ? undefined : `State must be one of ${WISHED_STATES.join(", ")}.`;
    },
    Rate: (value) => {
      change.rate = rateOf(value);
      return change.rate ? undefined : RATE_PROBLEM;
    },
  });
  if (problems.length > 0) throw BadInput.of(problems);
  return change;
}

/**
 * What POST WebhookEvent/{EventId}/Redeliver takes.
 * @returns the connection's id, or undefined for all that the event went to
 * @throws BadInput naming every field that does not fit
 */
export function parseRedeliver(body: unknown): string | undefined {
  let connectionId: string | undefined;
  const problems = fieldProblems(body, "Redeliver", {
    ConnectionId: (value) => {
      if (value === null || value === "") return undefined;
      if (typeof value !== "string" || !isUuid(value)) return "ConnectionId must be a connection's Id, or empty.";
      connectionId = value.toLowerCase();
      return undefined;
    },
  });
  if (problems.length > 0) throw BadInput.of(problems);
  return connectionId;
}

/** Takes a field's value, or says what is wrong with it. */
type Take = (value: unknown) => string | undefined;

/** @throws BadInput if it is no object at all */
function fieldProblems(body: unknown, record: string, fields: Record<string, Take>): string[] {
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    throw new BadInput(`The body must be one ${record} object.`);
  }
  return Object.entries(body).flatMap(([name, value]) => {
    const take = Object.hasOwn(fields, name) ? fields[name] : undefined;
    return (take ? take(value) : `${printable(name)} is no field of ${record}.`) ?? [];
  });
}

const DATE_SHAPE = "a date such as 2026-01-31 or 2026-01-31T12:00:00Z";
const RATE_PROBLEM = `Rate must be a whole number from 1 to ${MOST_RATE}.`;

function dateOf(value: unknown): Date | undefined {
  return typeof value === "string" ? readDate(value) : undefined;
}

function rateOf(value: unknown): number | undefined {
  const fits = typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= MOST_RATE;
  return fits ? value : undefined;
}

function someStates(value: unknown): DeliveryState[] | undefined {
  const isKnown = (item: unknown) => REPLAYED_STATES.some((state) => state === item);
  if (!Array.isArray(value) || value.length === 0 || !value.every(isKnown)) return undefined;
  return [...new Set(value as DeliveryState[])];
}
