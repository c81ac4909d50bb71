// The lane of receivers that are slow: which they are, how many posts may be out to each, and whose turn it is.

import type { Logger } from "pino";
import type { Sql } from "../../db/connection.ts";
import { type Bulkhead, createBulkhead } from "./bulkhead.ts";
import { createSilence, type Silence } from "./silence.ts";
import { createSlowReceivers, type SlowReceivers } from "./slow-receivers.ts";
import { endTurn, readWait, writeNextAttempt } from "./store.ts";
import { createTurns, type Turns } from "./turns.ts";

/** For the name look-up and the recording of a post that another worker has out. */
const RECORDING_GRACE_MS = 10_000;

export interface SlowLane extends Bulkhead, SlowReceivers {
  turns: Turns;
  silence: Silence;
  /** Ends the turn of a delivery, if it had one. */
  endTurn(tenantId: string, deliveryId: string): Promise<void>;
  onTurnEnded(call: () => void): void;
  /** Leaves word for another worker of when a delivery's next attempt is due. */
  writeNextAttempt(tenantId: string, deliveryId: string, inMs: number): Promise<void>;
  /** Milliseconds until a delivery that another worker has begun may be gone on with. */
  readWait(tenantId: string, deliveryId: string): Promise<number>;
}

/** @param timeoutMs what one post may take */
export function createSlowLane(sql: Sql, timeoutMs: number, log: Logger): SlowLane {
  let turnEnded = () => {};
  return {
    ...createBulkhead(timeoutMs),
    ...createSlowReceivers(sql, log),
    turns: createTurns(),
    silence: createSilence(),
    async endTurn(tenantId, deliveryId) {
      await endTurn(sql, tenantId, deliveryId);
      turnEnded();
    },
    onTurnEnded(call) {
      turnEnded = call;
    },
    writeNextAttempt: (tenantId, deliveryId, inMs) => writeNextAttempt(sql, tenantId, deliveryId, inMs),
    readWait: (tenantId, deliveryId) => readWait(sql, tenantId, deliveryId, timeoutMs, RECORDING_GRACE_MS),
  };
}
