import pino, { type DestinationStream, type Logger, stdSerializers } from "pino";
import type { LogLevel } from "./config.ts";

/** Fields in which PostgreSQL repeats values. */
const VALUES = ["detail", "where", "internal_query"];

/** JSON lines, by default to standard output. Callers never log secrets; the redaction below is a safety net. */
export function createLog(level: LogLevel, part: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: { part },
    redact: ["*.secret", "*.apiKey", "*.password", "*.authorization"],
    // The Temporal SDK uses `error`.
    serializers: { err: withoutValues, error: withoutValues },
  };
  return pino(options, destination ?? standardOutput());
}

/** Characters buffered while writing fails, such as on a full disk; further ones are dropped. */
const MAX_KEPT_CHARACTERS = 1024 * 1024;

function standardOutput(): DestinationStream {
  const output = pino.destination({ fd: 1, sync: true, maxLength: MAX_KEPT_CHARACTERS });
  // A log that cannot be written must not end the process.
  output.on("error", () => {});
  return output;
}

/** After this time without failures, an outage counts as over. */
const QUIET_MS = 60_000;

export type OutageLog = (fields: { err?: unknown; error?: unknown; [name: string]: unknown }, message: string) => void;

/** For failures that repeat during an outage: the first of a cause is a warning, the following are debug lines. */
export function createOutageLog(log: Logger): OutageLog {
  const lastOf = new Map<string, number>();
  return (fields, message) => {
    const now = performance.now();
    for (const [cause, last] of lastOf) if (now - last > QUIET_MS) lastOf.delete(cause);
    const failure = fields.err ?? fields.error;
    const cause = failure instanceof Error ? failure.message : String(failure);
    log[lastOf.has(cause) ? "debug" : "warn"](fields, message);
    lastOf.set(cause, now);
  };
}

function withoutValues(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  return Object.fromEntries(Object.entries(stdSerializers.err(error)).filter(([key]) => !VALUES.includes(key)));
}
