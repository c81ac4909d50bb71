import type { Logger } from "pino";
import type { KeyRotation, SendToken } from "../server/identity/index.ts";
import type { RetentionConfig } from "../server/platform/config/config.ts";
import type { Sql } from "../server/platform/db/sql.ts";
import type { Egress } from "../server/platform/egress/index.ts";
import type { LogoutId } from "../server/platform/ids.ts";
import type { WorkerMetrics } from "../server/platform/metrics/index.ts";
import type { Tracing } from "../server/platform/tracing/index.ts";
import type { AttemptWriter, SendSigned, StartingWorkflows, Windows } from "../server/webhooks/index.ts";

export interface ActivityDependencies {
  sql: Sql;
  /** For statements that may take minutes. */
  patientSql: Sql;
  attemptWriter: AttemptWriter;
  sendSigned: SendSigned;
  /** Whether the tenant has a free request. */
  egress: Pick<Egress, "isFull">;
  retention: RetentionConfig;
  /** The size of the Temporal store of `start`; undefined: Temporal runs elsewhere. */
  temporalBytes(): Promise<number | undefined>;
  keyRotation: Pick<KeyRotation, "run">;
  log: Logger;
  tracing: Pick<Tracing, "begin">;
  metrics: Pick<WorkerMetrics, "attempted" | "ended" | "logoutAttempted" | "logoutEnded" | "removed">;
  /** Notified when a first post begins, so the dispatcher can start more workflows. */
  starting: Pick<StartingWorkflows, "end">;
  windows: Windows;
  sendToken: SendToken;
  logoutWindows: Windows<number, LogoutId, LogoutId>;
  holding: {
    /** Consecutive exhausted deliveries until a connection is Held. */
    after: number;
    /** Milliseconds until a Held connection is first probed. */
    probeInterval: number;
  };
}
