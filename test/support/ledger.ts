// The report after a crash: compares changes answered 200 with a receiver's calls.

import { type Api, until } from "../world/api.ts";
import type { Receiver } from "../world/receiver.ts";

export interface Ledger {
  committed: number;
  delivered: number;
  /** Posts of events that the receiver already had. */
  duplicated: number;
  lost: number;
}

const AFTER_FAILURE_MS = 50;

/**
 * Makes several changes at a time, and continues while the service is down.
 * @param enough called with the number made so far
 * @returns the names of the Applications whose change was answered 200; no other change counts as committed
 */
export async function makeChanges(
  api: Pick<Api, "change">,
  enough: (made: number) => boolean,
  lanes = 4,
): Promise<string[]> {
  const committed: string[] = [];
  let made = 0;
  const lane = async () => {
    while (!enough(made)) {
      const name = `Gate ${++made}`;
      const answered = await api.change({ Name: name }).then(
        () => true,
        () => false,
      );
      if (answered) committed.push(name);
      else await Bun.sleep(AFTER_FAILURE_MS);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return committed;
}

/** Waits until all committed changes have arrived (or patience ends), prints the report and returns it. */
export async function settleLedger(title: string, committed: string[], receiver: Receiver): Promise<Ledger> {
  const taken = () => receiver.calls.filter((call) => call.status === 200);
  const missing = () => {
    const names = new Set(taken().map((call) => call.payload.Data.Name));
    return committed.filter((name) => !names.has(name));
  };
  await until("all deliveries", () => missing().length === 0).catch(() => {});
  const lost = missing().length;
  const events = new Set(taken().map((call) => call.payload.EventId));
  const ledger = {
    committed: committed.length,
    delivered: committed.length - lost,
    duplicated: taken().length - events.size,
    lost,
  };
  const figures = Object.entries(ledger).map(([word, figure]) => `${word} ${figure}`);
  console.log(`ledger: ${title}: ${figures.join(", ")}`);
  return ledger;
}

/** Every event of the tenant becomes Delivered in the log, not only at the receiver. */
export async function untilLogSaysDelivered(api: Api): Promise<void> {
  await until("the log to say Delivered", async () => {
    const others = ["Pending", "Retrying", "Exhausted", "Held", "Cancelled"];
    // A request in progress when PostgreSQL stopped is answered 503; the next one is not.
    const found = await Promise.all(others.map((state) => api.events(`State=${state}&Limit=1`))).catch(() => undefined);
    return found?.every(({ Items }) => Items.length === 0);
  });
}
