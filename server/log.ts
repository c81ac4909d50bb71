import pino, { type Logger } from "pino";
import type { LogLevel } from "./config.ts";

/** JSON lines on standard output. Nothing that holds a secret is ever handed to it; the paths below are a net. */
export function createLog(level: LogLevel, part: string): Logger {
  return pino({ level, base: { part }, redact: ["*.secret", "*.apiKey", "*.password", "*.authorization"] });
}
