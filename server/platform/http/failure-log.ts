import type { Logger } from "pino";
import { outageOf, timeoutOf } from "../db/failures.ts";
import { ApiError } from "../errors.ts";
import { createOutageLog } from "../log.ts";
import { contextOf, traceIdOf } from "./context.ts";

/** Logs an error that the caller did not cause. An outage of PostgreSQL is one warning, not one for each request. */
export type LogFailure = (error: unknown, request: Request) => void;

export function createFailureLog(log: Logger): LogFailure {
  const databaseIsAway = createOutageLog(log);
  return (error, request) => {
    const { key, traceParent } = contextOf(request);
    const line = { err: error, requestKey: key, traceId: traceParent && traceIdOf(traceParent) };
    const outage = outageOf(error);
    if (outage === "disk-full") databaseIsAway(line, "PostgreSQL's disk is full; changes are answered 503");
    else if (outage) databaseIsAway(line, "PostgreSQL is unavailable or read-only; requests are answered 503");
    else if (timeoutOf(error)) log.warn(line, "a statement took too long; the request is answered 503");
    else if (!(error instanceof ApiError)) log.error(line, "a request failed");
  };
}
