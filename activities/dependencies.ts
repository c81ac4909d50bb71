import type { Logger } from "pino";
import type { KeyRotation, LogoutEngine, mail } from "../server/identity/index.ts";
import type { RetentionConfig } from "../server/platform/config/config.ts";
import type { Sql } from "../server/platform/db/sql.ts";
import type { WorkerMetrics } from "../server/platform/metrics/index.ts";
import type { Tracing } from "../server/platform/tracing/index.ts";
import type { DeliveryEngine } from "../server/webhooks/index.ts";

export interface ActivityDependencies {
  /** For statements that may take minutes. */
  patientSql: Sql;
  engine: DeliveryEngine;
  logouts: LogoutEngine;
  mails: mail.MailEngine;
  retention: RetentionConfig;
  /** The size of the Temporal store of `start`; undefined: Temporal runs elsewhere. */
  temporalBytes(): Promise<number | undefined>;
  keyRotation: Pick<KeyRotation, "run">;
  log: Logger;
  tracing: Pick<Tracing, "begin">;
  metrics: Pick<WorkerMetrics, "attempted" | "ended" | "logoutAttempted" | "logoutEnded" | "mailAttempted" | "removed">;
}
