import pino, { type Logger, stdSerializers } from "pino";
import type { LogLevel } from "./config.ts";

/** Where PostgreSQL repeats the values of a statement. */
const VALUES = ["detail", "where", "internal_query"];

/** JSON lines on standard output. Nothing that holds a secret is ever handed to it; the paths below are a net. */
export function createLog(level: LogLevel, part: string): Logger {
  return pino({
    level,
    base: { part },
    redact: ["*.secret", "*.apiKey", "*.password", "*.authorization"],
    // `error` is what the Temporal SDK calls it.
    serializers: { err: withoutValues, error: withoutValues },
  });
}

function withoutValues(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  return Object.fromEntries(Object.entries(stdSerializers.err(error)).filter(([key]) => !VALUES.includes(key)));
}
