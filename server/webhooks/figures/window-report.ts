// Writes a worker's in-memory windows to PostgreSQL every few seconds, for display only.

import type { Logger } from "pino";
import type { Sql } from "../../platform/db/sql.ts";
import { type Passes, startEvery } from "../../platform/db/watch.ts";
import { createOutageLog } from "../../platform/log.ts";
import type { Windows } from "../deliveries/windows.ts";
import { forgetWindows, noteWindows } from "./status.store.ts";

const EVERY_MS = 5_000;
/** The maximum number of reported windows, busiest first. */
const MAX_REPORTED = 1_000;

export function startWindowReport(sql: Sql, windows: Windows, log: Logger): Passes {
  const workerId = Bun.randomUUIDv7();
  const failed = createOutageLog(log);
  const tell = () => noteWindows(sql, workerId, Object.fromEntries(windows.seen().slice(0, MAX_REPORTED)));
  const passes = startEvery(EVERY_MS, tell, (error) =>
    failed({ err: error }, "the state of the windows could not be stored"),
  );
  return {
    async stop() {
      await passes.stop();
      await forgetWindows(sql, workerId).catch(() => {});
    },
  };
}
