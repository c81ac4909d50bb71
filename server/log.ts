import pino, { type DestinationStream, type Logger, stdSerializers } from "pino";
import type { LogLevel } from "./config.ts";

/** Where PostgreSQL repeats the values of a statement. */
const VALUES = ["detail", "where", "internal_query"];

/** JSON lines, on standard output unless told otherwise. Nothing that holds a secret is ever handed to it; the paths below are a net. */
export function createLog(level: LogLevel, part: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: { part },
    redact: ["*.secret", "*.apiKey", "*.password", "*.authorization"],
    // `error` is what the Temporal SDK calls it.
    serializers: { err: withoutValues, error: withoutValues },
  };
  return pino(options, destination ?? standardOutput());
}

/** Characters that are kept while they cannot be written, as on a full disk; what comes then is dropped. */
const MAX_KEPT_CHARACTERS = 1024 * 1024;

function standardOutput(): DestinationStream {
  const output = pino.destination({ fd: 1, sync: true, maxLength: MAX_KEPT_CHARACTERS });
  // A log that cannot be written must not end the process.
  output.on("error", () => {});
  return output;
}

/** After so long without a failure, what was away is taken to have been there. */
const QUIET_MS = 60_000;

/** Writes a line that tells of a failure. */
export type OutageLog = (fields: { err?: unknown; error?: unknown; [name: string]: unknown }, message: string) => void;

/**
 * For what fails again and again while something is away: the first failure of a cause is a warning, those that follow
 * it are debug lines.
 */
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
