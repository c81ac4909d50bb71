// What the Temporal SDK has to say, as lines of our log.

import { type LogMetadata, SdkComponent, type Logger as TemporalLogger } from "@temporalio/common";
import type { Logger } from "pino";
import { createOutageLog } from "../server/log.ts";
import { ATTEMPT_FAILED, EXHAUSTED } from "../workflows/contract.ts";

/** What the SDK finds worth an info is none for an operator. */
const LEVELS = { TRACE: "trace", DEBUG: "debug", INFO: "debug", WARN: "warn", ERROR: "error" } as const;
/** A post runs within its workflow's task, so that a slow receiver makes a slow task. */
const SLOW_WORKFLOW_TASK = "[TMPRL1104]";
/** Said by the worker of the queue of its own, which runs activities only. */
const NO_WORKFLOWS = "No workflows registered";
/** Each of its calls says so after some tries, and again after each further one. */
const TRIED_AGAIN = /^gRPC call \w+ retried \d+ times$/;

export function temporalLogger(log: Logger): TemporalLogger {
  const triedAgain = createOutageLog(log);
  const write = (level: keyof typeof LEVELS, message: string, meta: LogMetadata = {}) => {
    const { taskToken, ...told } = meta;
    if (TRIED_AGAIN.test(message)) return triedAgain(told, message);
    log[isAsItShouldBe(message, told) ? "debug" : LEVELS[level]](told, message);
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

/** A receiver's doing is none of ours: each attempt has an info line, by createAttempt. */
function isAsItShouldBe(message: string, { sdkComponent, error }: LogMetadata): boolean {
  if (message.startsWith(NO_WORKFLOWS)) return true;
  if (sdkComponent === SdkComponent.core) return message.startsWith(SLOW_WORKFLOW_TASK);
  if (message === "Activity failed") return [ATTEMPT_FAILED, EXHAUSTED].includes(error?.type);
  // On its way out of the workflow's isolate a failure has lost its type.
  return message === "Workflow failed" && / deliveries exhausted: /.test(error?.message);
}
