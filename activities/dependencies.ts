import type { Logger } from "pino";
import type { RetentionConfig } from "../server/config.ts";
import type { Sql } from "../server/db/sql.ts";
import type { Egress } from "../server/egress/index.ts";
import type { LogoutId } from "../server/ids.ts";
import type { AttemptLogout } from "../server/logouts/index.ts";
import type { WorkerMetrics } from "../server/metrics/index.ts";
import type { KeyRotation } from "../server/oauth/index.ts";
import type { Tracing } from "../server/tracing/index.ts";
import type { AttemptDelivery, AttemptLog, InFlight, Windows } from "../server/webhooks/index.ts";

export interface ActivityDependencies {
  sql: Sql;
  /** For statements that may take minutes. */
  patientSql: Sql;
  attemptLog: AttemptLog;
  attemptDelivery: AttemptDelivery;
  /** The capacity for posts. */
  egress: Pick<Egress, "isFull">;
  retention: RetentionConfig;
  /** The size of the Temporal store of `start`; undefined: Temporal runs elsewhere. */
  temporalBytes(): Promise<number | undefined>;
  keyRotation: Pick<KeyRotation, "run">;
  log: Logger;
  tracing: Pick<Tracing, "begin">;
  metrics: Pick<WorkerMetrics, "attempted" | "ended" | "logoutAttempted" | "logoutEnded" | "removed">;
  /** Notified when an attempt begins, so the dispatcher can start more. */
  inFlight: Pick<InFlight, "begin">;
  windows: Windows;
  attemptLogout: AttemptLogout;
  logoutWindows: Windows<number, LogoutId, LogoutId>;
  holding: {
    /** Consecutive exhausted deliveries until a connection is Held. */
    after: number;
    /** Milliseconds until a Held connection is first probed. */
    probeInterval: number;
  };
}
