import type { Logger } from "pino";
import type { Sql } from "../server/db/connection.ts";
import type { MasterKey } from "../server/master-key.ts";
import type { WorkerMetrics } from "../server/metrics/index.ts";
import type { Tracing } from "../server/tracing/index.ts";
import type { AttemptDelivery, AttemptLog, InFlight, Windows } from "../server/webhooks/index.ts";

export interface ActivityDependencies {
  sql: Sql;
  attemptLog: AttemptLog;
  attemptDelivery: AttemptDelivery;
  masterKey: MasterKey;
  log: Logger;
  tracing: Pick<Tracing, "begin">;
  metrics: Pick<WorkerMetrics, "attempted" | "ended">;
  /** Told when an attempt begins, so that the dispatcher may take on more. */
  inFlight: Pick<InFlight, "begin">;
  windows: Windows;
  holding: {
    /** Exhausted deliveries in a row after which a connection is Held. */
    after: number;
    /** Milliseconds before a Held connection is probed for the first time. */
    probeInterval: number;
  };
}
