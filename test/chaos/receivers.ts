// Kinds of receivers: one answers, one fails at random, one always fails, one is unreachable. Two more require order.

import type { ConnectionFields } from "../world/api.ts";
import { type Receiver, startReceiver } from "../world/receiver.ts";
import type { Random } from "./random.ts";

const MAX_WAIT_MS = 1_500;

export interface Party {
  receiver: Receiver;
  /** The settings of its connection. */
  wish: Partial<ConnectionFields>;
}

/** @param dataDir has the certificate that Gatehouse trusts */
export function startReceivers(dataDir: string, random: Random): Party[] {
  const flaky = async () => {
    const luck = random();
    if (luck < 0.25) return 500;
    if (luck < 0.3) return 503;
    if (luck < 0.33) return "hang" as const;
    if (luck < 0.4) await Bun.sleep(random() * MAX_WAIT_MS);
    return 200;
  };
  const ordered = { Order: "Record" } as const;
  return [
    { receiver: startReceiver(200, { dataDir }), wish: {} },
    { receiver: startReceiver(flaky, { dataDir }), wish: {} },
    { receiver: startReceiver(500, { dataDir }), wish: {} },
    { receiver: startReceiver(410, { dataDir }), wish: {} },
    { receiver: startReceiver(200, { dataDir }), wish: ordered },
    { receiver: startReceiver(flaky, { dataDir }), wish: ordered },
  ];
}
