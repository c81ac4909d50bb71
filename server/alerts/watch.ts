// Looks for what somebody should look at. Beside each worker; one of them looks at a time.

import type { Logger } from "pino";
import type { Sql } from "../db/sql.ts";
import { createOutageLog } from "../log.ts";
import { recordAlertEvent } from "./event.ts";
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
      if (!standing) return;
      const { raised, ended } = await saveStanding(tx, standing);
      for (const alert of ended) await recordAlertEvent(tx, alert.tenantId, "Deleted", alert);
      for (const alert of raised) {
        const { tenantId, kind, connectionId } = alert;
        await recordAlertEvent(tx, tenantId, "Created", alert);
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
