// What receivers are like: one answers, one fails at random, one always fails, one is gone.

import { type Receiver, startReceiver } from "../support/receiver.ts";
import type { Random } from "./random.ts";

const LONGEST_WAIT_MS = 1_500;

/** @param dataDir where the certificate is that Gatehouse trusts */
export function startReceivers(dataDir: string, random: Random): Receiver[] {
  const flaky = async () => {
    const luck = random();
    if (luck < 0.25) return 500;
    if (luck < 0.3) return 503;
    if (luck < 0.33) return "hang" as const;
    if (luck < 0.4) await Bun.sleep(random() * LONGEST_WAIT_MS);
    return 200;
  };
  return [
    startReceiver(200, { dataDir }),
    startReceiver(flaky, { dataDir }),
    startReceiver(500, { dataDir }),
    startReceiver(410, { dataDir }),
  ];
}
