// Forwards the Temporal SDK's messages to our log.

import { type LogMetadata, SdkComponent, type Logger as TemporalLogger } from "@temporalio/common";
import type { Logger } from "pino";
import { createOutageLog } from "../server/platform/log.ts";
import { ATTEMPT_FAILED, EXHAUSTED } from "../workflows/contract.ts";

/** The SDK's info messages are too detailed for operators. */
const LEVELS = { TRACE: "trace", DEBUG: "debug", INFO: "debug", WARN: "warn", ERROR: "error" } as const;
/** Posts run within their workflow's task, so a slow receiver causes a slow task. */
const SLOW_WORKFLOW_TASK = "[TMPRL1104]";
/** Logged by the worker of its own task queue, which runs only activities. */
const NO_WORKFLOWS = "No workflows registered";
/** Logged for each gRPC call after several retries, and again after each further one. */
const TRIED_AGAIN = /^gRPC call \w+ retried \d+ times$/;

export function temporalLogger(log: Logger): TemporalLogger {
  const triedAgain = createOutageLog(log);
  const write = (level: keyof typeof LEVELS, message: string, meta: LogMetadata = {}) => {
    const { taskToken, ...fields } = meta;
    if (TRIED_AGAIN.test(message)) return triedAgain(fields, message);
    log[isAsItShouldBe(message, fields) ? "debug" : LEVELS[level]](fields, message);
  };
  return {
    log: write,
    trace: (message, meta) => write("TRACE", message, meta),
    debug: (message, meta) => write("DEBUG", message, meta),
    info: (message, meta) => write("INFO", message, meta),
    warn: (message, meta) => write("WARN", message, meta),
    error: (message, meta) => write("ERROR", message, meta),
  };
}

/** Receivers' failures are not ours: postOnce logs each attempt. */
function isAsItShouldBe(message: string, { sdkComponent, error }: LogMetadata): boolean {
  if (message.startsWith(NO_WORKFLOWS)) return true;
  if (sdkComponent === SdkComponent.core) return message.startsWith(SLOW_WORKFLOW_TASK);
  if (message === "Activity failed") return [ATTEMPT_FAILED, EXHAUSTED].includes(error?.type);
  // A failure loses its type when it leaves the workflow's isolate.
  return message === "Workflow failed" && / deliveries exhausted: /.test(error?.message);
}
