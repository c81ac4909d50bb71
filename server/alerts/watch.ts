// Looks for what somebody should look at. Beside each worker; one of them looks at a time.

import type { Logger } from "pino";
import type { Sql } from "../db/connection.ts";
import { createOutageLog } from "../log.ts";
import { listStanding, saveStanding } from "./store.ts";

const EVERY_MS = 15_000;

export interface AlertWatch {
  stop(): Promise<void>;
}

export function startAlertWatch(sql: Sql, log: Logger): AlertWatch {
  const failed = createOutageLog(log);
  let looking: Promise<void> | undefined;

  async function look(): Promise<void> {
    await sql.begin(async (tx) => {
      const standing = await listStanding(tx, new Date());
      const raised = standing ? await saveStanding(tx, standing) : [];
      for (const { tenantId, kind, connectionId } of raised) {
        log.warn({ tenantId, kind, connectionId }, "an alert is raised");
      }
    });
  }

  const timer = setInterval(() => {
    looking ??= look()
      .catch((error) => failed({ err: error }, "alerts could not be looked for"))
      .finally(() => {
        looking = undefined;
      });
  }, EVERY_MS);
  return {
    async stop() {
      clearInterval(timer);
      await looking;
    },
  };
}
