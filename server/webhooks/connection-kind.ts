// The two kinds of connections: Push posts events to an address, Pull gives them to a consumer that asks.

import { BadInput, Conflict } from "../platform/errors.ts";
import type { Connection } from "./connections.store.ts";

/** Fields about calls, and their columns. A Pull connection has their defaults. */
const OF_CALLS = {
  URL: "url",
  Headers: "headers",
  SignByKey: "signByKey",
  Compression: "compression",
  TimeoutMs: "timeoutMs",
  RatePerSecond: "ratePerSecond",
  MaxInFlight: "maxInFlight",
  HoldAfter: "holdAfter",
} as const satisfies Record<string, keyof Connection>;

/** @throws BadInput */
export function refuseMisfits(before: Connection | undefined, after: Connection): void {
  const problems: Record<string, string> = {};
  if (before && before.kind !== after.kind) problems.Kind = "Kind cannot be changed. Make a new connection.";
  else if (after.kind === "Push") {
    if (after.url === "") problems.URL = "URL is missing.";
  } else {
    // Nothing else names it in lists and in Temporal.
    if (!after.name) problems.Name = "Name is missing. A Pull connection needs one.";
    for (const [name, column] of Object.entries(OF_CALLS)) {
      if (![null, "", false, "None"].includes(after[column] as null)) {
        problems[name] = `${name} is for calls, which a Pull connection does not make.`;
      }
    }
  }
  const all = Object.entries(problems).map(([Field, Message]) => ({ Field, Message }));
  if (all.length > 0) throw BadInput.in(all);
}

/** @throws Conflict for a connection to which nothing is posted */
export function requirePush(kind: Connection["kind"]): void {
  if (kind === "Pull") throw new Conflict("The connection is of Kind Pull: nothing is posted to it.");
}
