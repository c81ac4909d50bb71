// A worker's windows live in its memory. So that people can see them, it writes down every few seconds how they stand;
// nothing is decided by that.

import type { Logger } from "pino";
import type { Sql } from "../../db/sql.ts";
import { createOutageLog } from "../../log.ts";
import type { Windows } from "../deliveries/windows.ts";
import { forgetWindows, noteWindows } from "./status.store.ts";

const EVERY_MS = 5_000;
/** Those that have most to do. */
const MOST_TOLD = 1_000;

export interface WindowReport {
  stop(): Promise<void>;
}

export function startWindowReport(sql: Sql, windows: Windows, log: Logger): WindowReport {
  const workerId = Bun.randomUUIDv7();
  const failed = createOutageLog(log);
  let telling: Promise<void> | undefined;
  const timer = setInterval(() => {
    telling ??= noteWindows(sql, workerId, Object.fromEntries(windows.seen().slice(0, MOST_TOLD)))
      .catch((error) => failed({ err: error }, "how the windows stand could not be written down"))
      .finally(() => {
        telling = undefined;
      });
  }, EVERY_MS);
  return {
    async stop() {
      clearInterval(timer);
      await telling;
      await forgetWindows(sql, workerId).catch(() => {});
    },
  };
}
