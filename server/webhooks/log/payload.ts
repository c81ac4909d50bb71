// An event's payload as a caller may see it: what stands in it is as hidden as the records it is of.

import type { Caller, Shown } from "../../access/index.ts";
import { PING } from "../events/event-types.ts";
import { recordsOf } from "./attributes.ts";
import type { LoggedEvent, WithPayload } from "./store.ts";

/** Why Data is not there, in a word. */
export const WITHHELD = "Data is left out: your policies do not let you read every record in it.";

export interface SeenPayload {
  /** Without Data, if that is withheld. */
  payload: Record<string, unknown>;
  withheld: typeof WITHHELD | null;
  /** The exact text that every attempt sends; undefined if not all of it is shown. */
  text: string | undefined;
}

export async function seePayload(
  { gate }: Pick<Caller, "gate">,
  { eventType, eventRecord, payload }: LoggedEvent & WithPayload,
): Promise<SeenPayload> {
  const whole = JSON.parse(payload);
  // A ping tells of its connection only some fields.
  const shown = await gate.payload(eventRecord, recordsOf(payload), eventType !== PING);
  if (!shown) {
    const { Data: _, ...rest } = whole;
    return { payload: rest, withheld: WITHHELD, text: undefined };
  }
  const seen = { ...whole, Data: dataOf(whole.Data, shown) };
  return { payload: seen, withheld: null, text: JSON.stringify(seen) === payload ? payload : undefined };
}

function dataOf(data: unknown, shown: Shown<Record<string, unknown>>[]): unknown {
  return Array.isArray(data) ? shown : shown[0];
}
