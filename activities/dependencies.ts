import type { Logger } from "pino";
import type { createKeyRotation, createLogoutEngine, imports, mail } from "../server/identity/index.ts";
import type { RetentionConfig } from "../server/platform/config/config.ts";
import type { Sql } from "../server/platform/db/sql.ts";
import type { WorkerMetrics } from "../server/platform/metrics/index.ts";
import type { Tracing } from "../server/platform/tracing/index.ts";
import type { DeliveryEngine } from "../server/webhooks/index.ts";

export interface ActivityDependencies {
  /** For statements that may take minutes. */
  patientSql: Sql;
  engine: DeliveryEngine;
  logouts: ReturnType<typeof createLogoutEngine>;
  mails: mail.MailEngine;
  invitations: Pick<imports.InvitationEngine, "next">;
  retention: RetentionConfig;
  /** The size of the Temporal store of `start`; undefined: Temporal runs elsewhere. */
  temporalBytes(): Promise<number | undefined>;
  keyRotation: Pick<ReturnType<typeof createKeyRotation>, "run">;
  log: Logger;
  tracing: Pick<Tracing, "begin">;
  metrics: Pick<WorkerMetrics, "attempted" | "ended" | "logoutAttempted" | "logoutEnded" | "mailAttempted" | "removed">;
}
